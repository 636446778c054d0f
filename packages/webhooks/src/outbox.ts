import type { Seen } from './lists.ts';

/** One change, as sent to a receiver. Fields have the same names as in the graph. */
export interface Message {
  /** The same in each delivery attempt. */
  readonly id: string;
  readonly type: string;
  /** ISO 8601: when the read that showed the change began. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A message waiting to be delivered. */
export interface Pending {
  readonly id: string;
  /** Messages of one record are delivered in order. */
  readonly record: string;
  readonly message: Message;
}

/** The last known state of a list. */
export interface Known {
  /** ISO 8601: when the read that showed it began. */
  readonly observedAt: string;
  /** By the id in the graph. */
  readonly records: ReadonlyMap<string, Seen>;
}

/** A new state of a list. */
export interface NewState {
  readonly observedAt: string;
  /** The records that are new or different; null for one that is gone. */
  readonly records: ReadonlyMap<string, Seen | null>;
}

/** Where an outbox is stored: texts by id. */
export interface OutboxStore {
  /** What an earlier process has written; messages in order of creation, which is that of their ids. */
  readonly texts: ReadonlyMap<string, string>;
  /** Resolves when all the changes are stored, where they appear all or not at all; a text of null removes one. */
  write(changes: readonly { readonly id: string; readonly text: string | null }[]): Promise<void>;
  close(): Promise<void>;
}

const DIGITS = 15;
const messageId = (count: number): string => `message ${String(count).padStart(DIGITS, '0')}`;
const recordId = (list: string, id: string): string => `record ${list} ${id}`;
const timeId = (list: string): string => `seen ${list}`;

/**
 * The last known state of each list and the messages still to be delivered. A state and its messages are recorded
 * together, so that a process that ends at any moment neither loses nor duplicates the message of a change.
 */
export class Outbox {
  readonly #store: OutboxStore;
  readonly #pending = new Map<string, Pending>();
  readonly #known = new Map<string, { observedAt: string; readonly records: Map<string, Seen> }>();
  #last = 0;

  /** Opens the outbox of a store. */
  constructor(store: OutboxStore) {
    this.#store = store;
    for (const [id, text] of store.texts) this.#restore(id, text);
  }

  #restore(id: string, text: string): void {
    const [kind, list = '', key = ''] = id.split(' ');
    if (kind === 'message') {
      this.#pending.set(id, { ...(JSON.parse(text) as Omit<Pending, 'id'>), id });
      this.#last = Number(list);
    } else if (kind === 'record') this.#listOf(list).records.set(key, JSON.parse(text) as Seen);
    else if (kind === 'seen') this.#listOf(list).observedAt = text;
  }

  #listOf(list: string) {
    const known = this.#known.get(list) ?? { observedAt: '', records: new Map<string, Seen>() };
    this.#known.set(list, known);
    return known;
  }

  /** In order of creation. */
  get pending(): Iterable<Pending> {
    return this.#pending.values();
  }

  get size(): number {
    return this.#pending.size;
  }

  /** Returns the last known state of a list; null if it was never recorded. */
  known(list: string): Known | null {
    return this.#known.get(list) ?? null;
  }

  /** Records the new state of a list together with its messages. */
  async record(
    list: string,
    { observedAt, records }: NewState,
    messages: readonly Omit<Pending, 'id'>[],
  ): Promise<void> {
    // Another list may be recorded while this write is in progress, so everything is noted before it.
    const known = this.#listOf(list);
    known.observedAt = observedAt;
    for (const [id, record] of records) {
      if (record === null) known.records.delete(id);
      else known.records.set(id, record);
    }
    const added = messages.map((message) => ({ ...message, id: messageId((this.#last += 1)) }));
    await this.#store.write([
      { id: timeId(list), text: observedAt },
      ...[...records].map(([id, record]) => ({
        id: recordId(list, id),
        text: record && JSON.stringify(record),
      })),
      ...added.map(({ id, ...message }) => ({ id, text: JSON.stringify(message) })),
    ]);
    for (const message of added) this.#pending.set(message.id, message);
  }

  /** Removes a delivered message. */
  async done(id: string): Promise<void> {
    await this.#store.write([{ id, text: null }]);
    this.#pending.delete(id);
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
