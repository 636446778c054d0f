import type { Log } from '../observability/log.ts';
import {
  isRefusal,
  isWriteRecord,
  KEPT_MS,
  type JournalKey,
  type WriteJournal,
  type WriteRecord,
} from './journal.ts';
import { JournalIndex, steadyNow, type IndexEntry } from './journal-index.ts';
import { seal, unseal } from './sealing.ts';
import { openStore, type Change, type Store, type StorePlace } from './store.ts';

const MIB = 1024 * 1024;
const BOUNDS = {
  whole: { records: 100_000, size: 128 * MIB },
  share: { records: 20_000, size: 32 * MIB },
} as const;
/** How often a failed disk is retried, in milliseconds. */
const RETRY_MS = 1_000;

/** A record as stored: its contents are sealed, so that only the same caller with the same key can read them. */
interface StoredRecord {
  readonly owner: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly isRefused: boolean;
  readonly sealed: string;
}

interface Entry extends IndexEntry {
  readonly text: string;
  /** True if an earlier process started it. */
  readonly isOfEarlier: boolean;
}

/** Thrown if a write cannot be recorded because the disk cannot be written. */
export class DiskUnavailable extends Error {
  override readonly name = 'DiskUnavailable';
}

/**
 * Opens the journal in a folder; fails as `openStore` does.
 *
 * @param isNew Whether a missing store is created.
 */
export async function openDiskJournal(place: StorePlace, log: Log, isNew = true): Promise<DiskJournal> {
  const { store, records } = await openStore(place, isNew);
  const entries = [...records].map(([id, text]) => [id, entryOf(text)] as const);
  const index = new JournalIndex<Entry>(BOUNDS, { keptMs: KEPT_MS });
  for (const [id, entry] of entries.toSorted(([, one], [, other]) => one.startedAt - other.startedAt))
    index.set(id, entry);
  return new DiskJournal(place, log, { store, index });
}

function entryOf(text: string): Entry {
  const { owner, startedAt: startedAtMs, isRefused } = JSON.parse(text) as StoredRecord;
  const ageMs = Date.now() - startedAtMs;
  // The clock may be up to a day ahead at the moment, so a record that seems to have expired is kept for another day.
  const startedAt = steadyNow() - (ageMs > KEPT_MS && ageMs <= 2 * KEPT_MS ? 0 : Math.max(0, ageMs));
  return { owner, startedAt, isRefused, size: text.length, text, isOfEarlier: true };
}

function entryFor({ id, owner, secret }: JournalKey, record: WriteRecord, known?: Entry): Entry {
  const { startedAt, result } = record;
  const isRefused = isRefusal(result);
  const sealed = seal(JSON.stringify(record), secret, id);
  const text = JSON.stringify({ owner, startedAt, isRefused, sealed } satisfies StoredRecord);
  const since = known?.startedAt ?? steadyNow() - Math.max(0, Date.now() - startedAt);
  return { owner, startedAt: since, isRefused, size: text.length, text, isOfEarlier: false };
}

/**
 * Stores writes in a folder, each for 24 hours: at most 100,000 or 128 MiB in all, and 20,000 or 32 MiB per caller. All
 * of them are also in memory, which takes precedence: a failed disk is retried every second, and brought up to date
 * before anything new is started. Until then, `begin` fails with DiskUnavailable.
 */
export class DiskJournal implements WriteJournal {
  readonly #place: StorePlace;
  readonly #log: Log;
  readonly #index: JournalIndex<Entry>;
  /** Null while the disk cannot be written. */
  #store: Store | null;
  #retry: NodeJS.Timeout | null = null;
  /** Settles when the failed store is closed, or another one was tried. */
  #recovering: Promise<void> = Promise.resolve();
  #lastReason = '';
  #isClosed = false;
  /** Records that are being written for the first time. */
  readonly #beginning = new Map<string, Promise<void>>();

  constructor(place: StorePlace, log: Log, { store, index }: { store: Store; index: JournalIndex<Entry> }) {
    this.#place = place;
    this.#log = log;
    this.#store = store;
    this.#index = index;
  }

  /** False while the disk cannot be written. */
  get isWritable(): boolean {
    return this.#store !== null;
  }

  async find({ id, secret }: JournalKey): Promise<WriteRecord | null> {
    const entry = this.#index.get(id);
    return entry === undefined ? null : recordIn(entry, secret, id);
  }

  async begin(key: JournalKey, record: WriteRecord): Promise<WriteRecord | null> {
    // A record being started counts once it is on disk, or not at all.
    while (this.#beginning.has(key.id)) await this.#beginning.get(key.id)?.catch(() => undefined);
    const known = this.#index.get(key.id);
    if (known !== undefined) return recordIn(known, key.secret, key.id);
    if (this.#store === null) throw new DiskUnavailable();
    const expired = this.#index.takeExpired();
    const forgotten = [...expired, ...this.#makeRoom(key.owner, expired)];
    const entry = entryFor(key, record);
    const beginning = this.#write([
      ...forgotten.map((id) => ({ id, text: null })),
      { id: key.id, text: entry.text },
    ]).then(() => this.#index.set(key.id, entry));
    this.#beginning.set(key.id, beginning);
    try {
      await beginning;
    } finally {
      this.#beginning.delete(key.id);
    }
    return null;
  }

  async finish(key: JournalKey, record: WriteRecord): Promise<void> {
    const entry = entryFor(key, record, this.#index.get(key.id));
    this.#index.set(key.id, entry);
    await this.#write([{ id: key.id, text: entry.text }]);
  }

  async forget({ id }: JournalKey): Promise<void> {
    this.#index.delete(id);
    await this.#write([{ id, text: null }]);
  }

  /** Closes the journal, after writing its contents to disk as far as possible. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.#recovering;
    if (this.#store === null) await this.#reopen();
    await this.#store?.close();
  }

  #makeRoom(owner: string, expired: readonly string[]): string[] {
    try {
      return this.#index.makeRoom(owner);
    } catch (error) {
      // They have already been removed from the index.
      void this.#write(expired.map((id) => ({ id, text: null }))).catch(() => undefined);
      throw error;
    }
  }

  async #write(changes: readonly Change[]): Promise<void> {
    const store = this.#store;
    if (store === null) throw new DiskUnavailable();
    try {
      await store.write(changes);
    } catch (error) {
      if (this.#store === store) this.#fail(store, error);
      throw error;
    }
  }

  #fail(store: Store, error: unknown): void {
    this.#store = null;
    this.#report(error);
    this.#recovering = store.close().catch(() => undefined);
    this.#retryLater();
  }

  #retryLater(): void {
    if (this.#isClosed) return;
    this.#retry = setTimeout(() => {
      this.#recovering = this.#recover(this.#recovering);
    }, RETRY_MS).unref();
  }

  async #recover(before: Promise<void>): Promise<void> {
    await before;
    await this.#reopen();
    if (this.#store === null) this.#retryLater();
  }

  /** Reopens the store with the records of this process. */
  async #reopen(): Promise<void> {
    let opened: Store | null = null;
    try {
      const { store, records } = await openStore(this.#place);
      opened = store;
      await this.#bringUpToDate(store, new Map(records));
      this.#lastReason = '';
      this.#log.info('the journal of writes is writable again');
    } catch (error) {
      this.#report(error);
      await opened?.close().catch(() => undefined);
    }
  }

  // Writes once even without changes: a readable disk need not be writable.
  async #bringUpToDate(store: Store, stored: Map<string, string>): Promise<void> {
    let changes = this.#changesSince(stored);
    do {
      await store.write(changes);
      for (const { id, text } of changes) {
        if (text === null) stored.delete(id);
        else stored.set(id, text);
      }
      // Writes may have finished in the meantime.
      changes = this.#changesSince(stored);
    } while (changes.length > 0);
    // Set in the same turn: a write that finishes before it would not be on disk.
    this.#store = store;
  }

  #changesSince(stored: ReadonlyMap<string, string>): Change[] {
    const changes: Change[] = [];
    const remembered = new Set<string>();
    for (const [id, { text }] of this.#index.entries()) {
      remembered.add(id);
      if (stored.get(id) !== text) changes.push({ id, text });
    }
    for (const id of stored.keys()) if (!remembered.has(id)) changes.push({ id, text: null });
    return changes;
  }

  // Logs each reason once, not every second.
  #report(error: unknown): void {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (reason === this.#lastReason) return;
    this.#lastReason = reason;
    this.#log.error(
      { reason },
      'the journal of writes is not writable; writes with a new idempotency key are refused',
    );
  }
}

function recordIn({ text, isOfEarlier }: Entry, secret: Uint8Array, id: string): WriteRecord {
  const { sealed } = JSON.parse(text) as StoredRecord;
  const record: unknown = JSON.parse(unseal(sealed, secret, id));
  if (!isWriteRecord(record)) throw new Error('a stored record is corrupt');
  return record.result === null && isOfEarlier ? { ...record, isAbandoned: true } : record;
}
