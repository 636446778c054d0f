import { rm, writeFile } from 'node:fs/promises';
import type { Log } from '../observability/log.ts';
import {
  asWriteRecord,
  finished,
  isForgettable,
  isRefusal,
  isTakenOver,
  JournalFull,
  type JournalKey,
  type JournalLimits,
  type WriteJournal,
  type WriteRecord,
} from './journal.ts';
import { Ledger, type Entry } from './ledger.ts';
import { seal, unseal } from './sealing.ts';
import { DiskUnavailable, StoreDamaged, type Store } from './store.ts';

const MIB = 1024 * 1024;
const LIMITS: JournalLimits = {
  whole: { records: 100_000, size: 128 * MIB },
  share: { records: 20_000, size: 32 * MIB },
};
/** How many records are rewritten at once when the journal is opened. */
const AT_ONCE = 500;
/** How often a failed disk is retried, in milliseconds. */
const RETRY_MS = 1_000;
/** What reopening the database may write, in bytes: its log of up to 4 MiB becomes a table. */
const PROBE_BYTES = 5 * MIB;

/** A record as stored: its contents are sealed, so that only the same caller with the same key can read them. */
interface StoredRecord {
  readonly owner: string;
  /** Epoch milliseconds by the time of day. */
  readonly startedAt: number;
  readonly isRefused: boolean;
  readonly sealed: string;
  /** When it was first found to have expired, in the same time. */
  readonly expiredAt?: number;
}

/** What a journal on disk needs. */
interface DiskJournalOptions {
  /** The data directory. */
  readonly folder: string;
  readonly openStore: (visit: (id: string, text: string) => void) => Promise<Store>;
  /** How long a write is remembered, in milliseconds. */
  readonly keptMs: number;
  readonly log: Log;
  readonly limits?: JournalLimits;
}

/**
 * Stores writes in a folder: at most 100,000 or 128 MiB in all, and 20,000 or 32 MiB per caller. Beyond that, rejected
 * writes are forgotten, and further writes fail; writes that may have happened are never forgotten early. Memory holds
 * which writes there are, and those that are running, so that the disk is only read for the result of a known one.
 *
 * A failed disk is retried every second, and brought up to date before anything new is started. Until then, `begin`
 * fails with DiskUnavailable.
 */
export class DiskJournal implements WriteJournal {
  readonly #options: DiskJournalOptions;
  readonly #ledger: Ledger;
  #opening: Promise<Store> | null = null;
  #store: Store | null = null;
  #retry: NodeJS.Timeout | undefined;
  #recovering: Promise<void> = Promise.resolve();
  #isClosed = false;
  #lastReason = '';

  constructor(options: DiskJournalOptions) {
    this.#options = options;
    this.#ledger = new Ledger({ limits: options.limits ?? LIMITS, now: () => performance.now() });
  }

  /** False while the disk cannot be written. */
  get isWritable(): boolean {
    return this.#store?.isBroken === false;
  }

  /** Opens the journal, which happens by itself when it is used; after a failure, each use tries again. */
  async open(): Promise<void> {
    await this.#opened();
  }

  async find(key: JournalKey): Promise<WriteRecord | null> {
    return await this.#decide(key, (known) => known);
  }

  async begin(key: JournalKey, record: WriteRecord): Promise<WriteRecord | null> {
    return await this.#decide(key, async (known, store) => {
      if (known !== null) return known;
      if (store.isBroken) throw new DiskUnavailable();
      if (!this.#ledger.makeRoom(key.owner, (id) => store.set(id, null))) throw new JournalFull();
      this.#put(store, key, record);
      const entry = this.#ledger.get(key.id);
      try {
        await this.#flush(store);
      } catch (error) {
        // The failed batch may have reached the disk nevertheless, although nothing will be sent.
        if (this.#ledger.get(key.id) === entry) this.#remove(store, key.id);
        throw error;
      }
      return null;
    });
  }

  async finish(key: JournalKey, record: WriteRecord): Promise<WriteRecord> {
    return await this.#decide(key, async (known, store) => {
      const kept = finished(known, record);
      if (kept !== record) return kept;
      if (isTakenOver(known, record)) this.#ledger.delete(key.id);
      this.#put(store, key, record);
      await this.#flush(store);
      return record;
    });
  }

  async forget(key: JournalKey, fingerprint?: string): Promise<void> {
    await this.#decide(key, async (known, store) => {
      if (!isForgettable(known, fingerprint)) return;
      this.#remove(store, key.id);
      await this.#flush(store);
    });
  }

  /** Closes the journal, after writing its changes to disk as far as possible. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#recovering;
    if (this.#store?.isBroken === true) await this.#recover(this.#store);
    const store = await this.#opening?.catch(() => null);
    await store?.close();
  }

  #opened(): Promise<Store> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open(): Promise<Store> {
    const entries: [id: string, entry: Entry][] = [];
    const expired: string[] = [];
    const visit = (id: string, text: string): void => {
      const { entry, isNewlyExpired } = this.#entryOf(text);
      entries.push([id, entry]);
      if (isNewlyExpired) expired.push(id);
    };
    let store: Store;
    try {
      store = await this.#options.openStore(visit);
    } catch (error) {
      this.#opening = null;
      throw error;
    }
    this.#store = store;
    entries.sort(([, one], [, other]) => one.expiresAt - other.expiresAt);
    for (const [id, entry] of entries) this.#ledger.set(id, entry);
    // While the disk cannot be written, they are found to have expired at the next start.
    await this.#noteExpired(store, expired).catch(() => undefined);
    return store;
  }

  /**
   * Returns the entry of a stored record. The time of day may be ahead at the moment, or may have been behind when the
   * record was stored, so one that seems to have expired is kept for as long again, unless there is no room for others.
   */
  #entryOf(text: string): { readonly entry: Entry; readonly isNewlyExpired: boolean } {
    const { keptMs } = this.#options;
    const { owner, startedAt, isRefused, expiredAt = Infinity } = parsed(text);
    const now = Date.now();
    const isExpired = now - startedAt > keptMs;
    const isNewlyExpired = isExpired && expiredAt > now;
    const keptSince = isNewlyExpired ? now : isExpired ? expiredAt : startedAt;
    const expiresAt = this.#ledger.now() + keptMs - Math.max(0, now - keptSince);
    const isExpendable = isRefused || isExpired;
    return { entry: { owner, expiresAt, size: text.length, isExpendable, record: null }, isNewlyExpired };
  }

  async #noteExpired(store: Store, ids: readonly string[]): Promise<void> {
    const expiredAt = Date.now();
    for (let first = 0; first < ids.length; first += AT_ONCE) {
      for (const id of ids.slice(first, first + AT_ONCE)) {
        const text = await store.get(id);
        if (text !== undefined) store.set(id, JSON.stringify({ ...parsed(text), expiredAt }));
      }
      await this.#flush(store);
    }
  }

  /** Decides what to do about the record of a write, which does not change between its reading and the decision. */
  async #decide<T>(
    key: JournalKey,
    decide: (known: WriteRecord | null, store: Store) => T | Promise<T>,
  ): Promise<T> {
    const store = await this.#opened();
    for (;;) {
      const entry = this.#ledger.get(key.id);
      const known = entry === undefined ? null : (entry.record ?? (await this.#read(store, key)));
      if (this.#ledger.get(key.id) === entry) return await decide(known, store);
    }
  }

  async #read(store: Store, { id, secret }: JournalKey): Promise<WriteRecord> {
    const text = await store.get(id);
    if (text === undefined) throw new StoreDamaged('a record is missing');
    const record = asWriteRecord(JSON.parse(unseal(parsed(text).sealed, secret, id)));
    // What this process is running is in memory.
    return record.result === null ? { ...record, isAbandoned: true } : record;
  }

  #put(store: Store, { id, owner, secret }: JournalKey, record: WriteRecord): void {
    const { startedAt, result } = record;
    const isRefused = isRefusal(result);
    const stored: StoredRecord = {
      owner,
      startedAt,
      isRefused,
      sealed: seal(JSON.stringify(record), secret, id),
    };
    const text = JSON.stringify(stored);
    const leftMs = this.#options.keptMs - Math.max(0, Date.now() - startedAt);
    const expiresAt = this.#ledger.get(id)?.expiresAt ?? this.#ledger.now() + leftMs;
    const running = result === null ? record : null;
    this.#ledger.set(id, { owner, expiresAt, size: text.length, isExpendable: isRefused, record: running });
    store.set(id, text);
  }

  #remove(store: Store, id: string): void {
    this.#ledger.delete(id);
    store.set(id, null);
  }

  async #flush(store: Store): Promise<void> {
    try {
      await store.flush();
    } catch (error) {
      if (!(error instanceof DiskUnavailable)) {
        this.#report(error);
        this.#recoverLater(store);
      }
      throw error;
    }
  }

  #recoverLater(store: Store): void {
    if (this.#isClosed) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      this.#recovering = this.#recover(store);
    }, RETRY_MS).unref();
  }

  /** Repairs the store if the disk can be written. Known records can be read until then. */
  async #recover(store: Store): Promise<void> {
    try {
      await probe(`${this.#options.folder}/probe`);
      await store.repair();
      this.#lastReason = '';
      this.#options.log.info('the journal of writes is writable again');
    } catch (error) {
      this.#report(error);
      this.#recoverLater(store);
    }
  }

  // Logs each reason once, not every second.
  #report(error: unknown): void {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (reason === this.#lastReason) return;
    this.#lastReason = reason;
    this.#options.log.error(
      { reason },
      'the journal of writes is not writable; writes with a new idempotency key are refused',
    );
  }
}

async function probe(path: string): Promise<void> {
  try {
    await writeFile(path, Buffer.alloc(PROBE_BYTES), { mode: 0o600, flush: true });
  } finally {
    await rm(path, { force: true });
  }
}

function parsed(text: string): StoredRecord {
  return JSON.parse(text) as StoredRecord;
}
