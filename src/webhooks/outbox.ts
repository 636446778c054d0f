import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ConfigError } from '../config.ts';
import { seal, unseal } from '../journal/sealing.ts';
import { openStore, type Store } from '../journal/store.ts';
import type { Origin } from '../sources/drift.ts';
import type { Facts } from '../watch/facts.ts';
import type { Item, Observation } from '../watch/observation.ts';
import type { WatchedList } from '../watch/watched-list.ts';
import type { Message } from './messages.ts';

/** A message waiting to be delivered. */
export interface Pending {
  readonly id: string;
  /** Messages of one record are delivered in order. */
  readonly record: string;
  readonly message: Message;
}

/**
 * The last observation of each list and the messages still to be delivered. An observation and its messages are
 * recorded together, so that a process that ends at any moment neither loses nor duplicates the message of a change.
 */
export interface Outbox {
  /** In order of creation. */
  readonly pending: Iterable<Pending>;
  readonly size: number;
  /** Returns the last observation of a list; null if there was none yet. */
  seen<R>(list: WatchedList<R>, onDrift: Origin['onDrift']): Observation<R> | null;
  /** Records the current observation together with its messages. */
  record<R>(
    list: WatchedList<R>,
    now: Observation<R>,
    messages: readonly Omit<Pending, 'id'>[],
  ): Promise<void>;
  /** Removes a delivered message. */
  done(id: string): Promise<void>;
  close(): Promise<void>;
}

const FORMAT_VERSION = 1;
const DIGITS = 15;

/** Opens the outbox in the folder `watch` of a data directory, sealed with its secret. */
export async function openOutbox(dataDirectory: string, secret: string): Promise<Outbox> {
  const key = createHash('sha256').update(`watch ${secret}`).digest();
  const name = createHash('sha256').update(key).digest('base64url');
  const format = JSON.stringify({ version: FORMAT_VERSION, secret: name });
  const records = new Map<string, string>();
  const store = await openStore(
    { path: join(dataDirectory, 'watch'), format },
    (id, text) => void records.set(id, text),
  );
  return new DiskOutbox(store, records, key);
}

/** A change of one record: its new text, or null to remove it. */
interface StoredChange {
  readonly id: string;
  readonly text: string | null;
}

interface StoredItem {
  readonly place: number;
  readonly facts: Facts;
  readonly packed: unknown;
}

const MESSAGE = 'message ';
const isMessage = (id: string): boolean => id.startsWith(MESSAGE);
const itemId = (list: string, key: string): string => `item ${list} ${key}`;
const timeId = (list: string): string => `time ${list}`;

class DiskOutbox implements Outbox {
  readonly #store: Store;
  readonly #key: Uint8Array;
  readonly #texts = new Map<string, string>();
  readonly #pending = new Map<string, Pending>();
  #last = 0;

  constructor(store: Store, sealed: ReadonlyMap<string, string>, key: Uint8Array) {
    this.#store = store;
    this.#key = key;
    for (const id of [...sealed.keys()].toSorted()) {
      const text = unseal(sealed.get(id) ?? '', key, id);
      if (isMessage(id)) {
        this.#pending.set(id, { ...(JSON.parse(text) as Omit<Pending, 'id'>), id });
        this.#last = Number(id.slice(MESSAGE.length));
      } else this.#texts.set(id, text);
    }
  }

  get pending(): Iterable<Pending> {
    return this.#pending.values();
  }

  get size(): number {
    return this.#pending.size;
  }

  seen<R>(list: WatchedList<R>, onDrift: Origin['onDrift']): Observation<R> | null {
    const time = this.#texts.get(timeId(list.name));
    if (time === undefined) return null;
    const items = [...this.#texts]
      .filter(([id]) => id.startsWith(itemId(list.name, '')))
      .map(([, text]) => JSON.parse(text) as StoredItem)
      .toSorted((one, other) => one.place - other.place)
      .map(({ facts, packed }) => ({ facts, item: list.unpack(packed, onDrift) }));
    // What this version reads from the record counts: an earlier version may have written the facts in another form.
    const known = items.flatMap(({ facts, item }) =>
      item === null ? [] : [{ ...item, facts: { ...facts, ...item.facts } }],
    );
    return { observedAt: Number(time), items: new Map(known.map((item) => [item.key, item])) };
  }

  async record<R>(
    list: WatchedList<R>,
    now: Observation<R>,
    messages: readonly Omit<Pending, 'id'>[],
  ): Promise<void> {
    // Another list may be recorded while this write is in progress, so everything is noted before it.
    const added = messages.map((message) => ({ ...message, id: this.#nextId() }));
    const changes = this.#changesTo(list, now);
    for (const { id, text } of changes) {
      if (text === null) this.#texts.delete(id);
      else this.#texts.set(id, text);
    }
    const texts = added.map(({ id, ...message }) => ({ id, text: JSON.stringify(message) }));
    await this.#write([...changes, ...texts].map((change) => this.#sealed(change)));
    for (const message of added) this.#pending.set(message.id, message);
  }

  async done(id: string): Promise<void> {
    await this.#write([{ id, text: null }]);
    this.#pending.delete(id);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  /** @throws ConfigError if the disk can't be written to; the outbox must then be reopened */
  async #write(changes: readonly StoredChange[]): Promise<void> {
    try {
      await this.#store.run(async (records) => {
        for (const { id, text } of changes) records.set(id, text);
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ConfigError([`DATA_DIR: cannot be written: ${reason}`]);
    }
  }

  #nextId(): string {
    this.#last += 1;
    return `${MESSAGE}${String(this.#last).padStart(DIGITS, '0')}`;
  }

  #changesTo<R>(list: WatchedList<R>, now: Observation<R>): StoredChange[] {
    const texts = new Map([[timeId(list.name), String(now.observedAt)]]);
    for (const [place, item] of [...now.items.values()].entries())
      texts.set(itemId(list.name, item.key), this.#textOf(list, item, place));
    const gone = [...this.#texts.keys()].filter(
      (id) => id.startsWith(itemId(list.name, '')) && !texts.has(id),
    );
    const changed = [...texts].filter(([id, text]) => this.#texts.get(id) !== text);
    return [...gone.map((id) => ({ id, text: null })), ...changed.map(([id, text]) => ({ id, text }))];
  }

  #textOf<R>(list: WatchedList<R>, item: Item<R>, place: number): string {
    return JSON.stringify({ place, facts: item.facts, packed: list.pack(item) } satisfies StoredItem);
  }

  #sealed({ id, text }: StoredChange): StoredChange {
    return { id, text: text === null ? null : seal(text, this.#key, id) };
  }
}
