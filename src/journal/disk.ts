import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import type { Log } from '../observability/log.ts';
import {
  asWriteRecord,
  finished,
  hasRoom,
  isRefusal,
  isForgettable,
  JournalFull,
  type JournalKey,
  type JournalLimits,
  type Space,
  type WriteJournal,
  type WriteRecord,
} from './journal.ts';
import { seal, unseal } from './sealing.ts';
import type { Store, Transaction } from './store.ts';

const MIB = 1024 * 1024;
const LIMITS: JournalLimits = {
  whole: { records: 100_000, size: 128 * MIB },
  share: { records: 20_000, size: 32 * MIB },
};
/** How often a failed disk is retried, in milliseconds. */
const RETRY_MS = 1_000;
/** What reopening the database may write, in bytes: its log of up to 4 MiB becomes a table. */
const PROBE_BYTES = 5 * MIB;
/** How many expired records a new one removes, and how often they are searched for when there are no more. */
const MAX_EXPIRED = 100;
const EXPIRED_EVERY_MS = 60_000;
/** How many records a transaction changes when the journal is opened. */
const AT_ONCE = 1_000;
/** Differences between a clock and an adjusted one, in milliseconds. */
const CLOCK_ERROR_MS = 60_000;

/** A record as stored: its contents are sealed, so that only the same caller with the same key can read them. */
interface StoredRecord {
  readonly owner: string;
  /** Epoch milliseconds by the time of day. */
  readonly startedAt: number;
  /** Epoch milliseconds by the clock of the run. Absent in records of the first version. */
  readonly expiresAt?: number;
  /** A name for the process that wrote it. */
  readonly run?: string;
  readonly isRefused: boolean;
  readonly sealed: string;
}

/** A change that the disk has not taken yet. */
interface Owed {
  readonly apply: (records: Transaction) => Promise<unknown>;
  /** The record in the meantime, or null if there is none; undefined if the one on disk is right. */
  readonly record: WriteRecord | null | undefined;
}

/** What a journal on disk needs. */
interface DiskJournalOptions {
  /** The data directory. */
  readonly folder: string;
  readonly openStore: (visit?: (id: string, text: string) => void) => Promise<Store>;
  /** How long a write is remembered, in milliseconds. */
  readonly keptMs: number;
  readonly log: Log;
  readonly limits?: JournalLimits;
}

/** Thrown if a write cannot be recorded because the disk cannot be written. */
export class DiskUnavailable extends Error {
  override readonly name = 'DiskUnavailable';
}

/**
 * Stores writes in a folder: at most 100,000 or 128 MiB in all, and 20,000 or 32 MiB per caller. Beyond that, rejected
 * writes are forgotten, and further writes fail; writes that may have happened are never forgotten early. A failed disk
 * is retried every second, and brought up to date before anything new is started. Until then, `begin` fails with
 * DiskUnavailable.
 */
export class DiskJournal implements WriteJournal {
  readonly #options: DiskJournalOptions;
  readonly #run = randomUUID();
  /** Adjusts a clock that never jumps to the time of day at the start. */
  readonly #epoch = Date.now() - performance.now();
  #store: Promise<Store> | null = null;
  #isOpen = false;
  /** True from a failed write until the disk is up to date again. */
  #isBroken = false;
  readonly #owed = new Map<string, Owed>();
  #retry: NodeJS.Timeout | undefined;
  #recovering: Promise<void> = Promise.resolve();
  #isClosed = false;
  #searchExpiredAt = 0;
  #lastReason = '';

  constructor(options: DiskJournalOptions) {
    this.#options = options;
  }

  /** False while the disk cannot be written. */
  get isWritable(): boolean {
    return this.#isOpen && !this.#isBroken;
  }

  /** Opens the journal, which happens by itself when it is used; after a failure, each use tries again. */
  async open(): Promise<void> {
    await this.#opened();
  }

  async find(key: JournalKey): Promise<WriteRecord | null> {
    const owed = this.#owed.get(key.id)?.record;
    if (owed !== undefined) return owed;
    const store = await this.#opened();
    return this.#recordIn(await store.get(key.id), key);
  }

  async begin(key: JournalKey, record: WriteRecord): Promise<WriteRecord | null> {
    // While nothing can be written, known writes are still found.
    const known = this.#isBroken ? await this.find(key) : null;
    if (known !== null) return known;
    const stored = this.#stored(key, record);
    // The failed write of a batch may have reached the disk nevertheless, although nothing will be sent.
    const undo = async (records: Transaction) => {
      const text = await records.get(key.id);
      if (text === JSON.stringify(stored)) await replace(records, key.id, null);
    };
    return await this.#change(key.id, { apply: undo, record: undefined }, async (records) => {
      await records.load([key.id, shareOf(key.owner), ALL]);
      const other = this.#recordIn(await records.get(key.id), key);
      if (other !== null) return other;
      await this.#removeExpired(records);
      await this.#makeRoom(records, key.owner);
      await replace(records, key.id, stored);
      return null;
    });
  }

  async finish(key: JournalKey, record: WriteRecord): Promise<WriteRecord> {
    const owed = this.#owed.get(key.id)?.record ?? null;
    if (owed !== null && finished(owed, record) === owed) return owed;
    const apply = async (records: Transaction): Promise<WriteRecord> => {
      await records.load([key.id, shareOf(key.owner), ALL]);
      const text = await records.get(key.id);
      const kept = finished(this.#recordIn(text, key), record);
      const { expiresAt } = text === undefined ? {} : parsed(text);
      if (kept === record) await replace(records, key.id, this.#stored(key, record, expiresAt));
      return kept;
    };
    return await this.#change(key.id, { apply, record }, apply);
  }

  async forget(key: JournalKey, fingerprint?: string): Promise<void> {
    const apply = async (records: Transaction): Promise<void> => {
      const known = this.#recordIn(await records.get(key.id), key);
      if (isForgettable(known, fingerprint)) await replace(records, key.id, null);
    };
    await this.#change(key.id, { apply, record: null }, apply);
  }

  /** Closes the journal, after writing its changes to disk as far as possible. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#recovering;
    if (this.#isBroken) await this.#recover();
    const store = await this.#store?.catch(() => null);
    await store?.close();
  }

  #now(): number {
    return this.#epoch + performance.now();
  }

  #opened(): Promise<Store> {
    return (this.#store ??= this.#open());
  }

  async #open(before: Promise<Store | null> | null = null): Promise<Store> {
    try {
      await (await before)?.close();
      const store = await (this.#isOpen ? this.#options.openStore() : this.#openDated());
      this.#isOpen = true;
      return store;
    } catch (error) {
      this.#store = null;
      throw error;
    }
  }

  /**
   * Opens the store and corrects the expiry of its records. The clock may be ahead at the moment, or have been when they
   * were written, so one that seems to have expired is kept for as long again.
   */
  async #openDated(): Promise<Store> {
    const { openStore, keptMs } = this.#options;
    const corrected = new Map<string, number>();
    const store = await openStore((id, text) => {
      if (id.startsWith(INDEX)) return;
      const { startedAt, expiresAt = Number.NaN } = parsed(text);
      const ageMs = Math.max(0, Date.now() - startedAt);
      const leftMs = ageMs > keptMs && ageMs <= 2 * keptMs ? keptMs : keptMs - ageMs;
      const expected = this.#now() + leftMs;
      if (!(Math.abs(expiresAt - expected) <= CLOCK_ERROR_MS)) corrected.set(id, expected);
    });
    while (corrected.size > 0) {
      const part = [...corrected].slice(0, AT_ONCE);
      await store.run(async (records) => {
        for (const [id, expiresAt] of part) {
          const stored = parsed((await records.get(id)) ?? '');
          await replace(records, id, { ...stored, expiresAt });
        }
      });
      for (const [id] of part) corrected.delete(id);
    }
    return store;
  }

  #stored({ id, owner, secret }: JournalKey, record: WriteRecord, expiresAt?: number): StoredRecord {
    const { startedAt, result } = record;
    const leftMs = this.#options.keptMs - Math.max(0, Date.now() - startedAt);
    return {
      owner,
      startedAt,
      expiresAt: expiresAt ?? this.#now() + leftMs,
      run: this.#run,
      isRefused: isRefusal(result),
      sealed: seal(JSON.stringify(record), secret, id),
    };
  }

  #recordIn(text: string | undefined, { id, secret }: JournalKey): WriteRecord | null {
    if (text === undefined) return null;
    const { expiresAt = 0, run, sealed } = parsed(text);
    if (this.#now() > expiresAt) return null;
    const record = asWriteRecord(JSON.parse(unseal(sealed, secret, id)));
    return record.result === null && run !== this.#run ? { ...record, isAbandoned: true } : record;
  }

  // The database is slow to step over what was removed, so it is not searched for every write.
  async #removeExpired(records: Transaction): Promise<void> {
    const now = this.#now();
    if (now < this.#searchExpiredAt) return;
    const expired = await records.first(MAX_EXPIRED, EXPIRY, EXPIRY + digits(now));
    for (const id of expired) await replace(records, id, null);
    if (expired.length < MAX_EXPIRED)
      this.#searchExpiredAt = now + Math.min(EXPIRED_EVERY_MS, this.#options.keptMs / 10);
  }

  async #makeRoom(records: Transaction, owner: string): Promise<void> {
    const { whole, share: own } = this.#options.limits ?? LIMITS;
    for (const [share, limit, refused] of [
      [shareOf(owner), own, refusedOf(owner)],
      [ALL, whole, REFUSED],
    ] as const) {
      if (hasRoom(await usedIn(records, share), limit)) continue;
      const [oldest] = await records.first(1, refused);
      if (oldest === undefined) throw new JournalFull(this.#options.keptMs);
      await replace(records, oldest, null);
    }
  }

  async #change<T>(id: string, owed: Owed, change: (records: Transaction) => Promise<T>): Promise<T> {
    let store: Store | null = null;
    try {
      store = await this.#opened();
      if (this.#isBroken) throw new DiskUnavailable();
      return await store.run(change);
    } catch (error) {
      if (store?.isBroken === true) this.#fail(error);
      // A result takes precedence over a start that did not succeed.
      if (this.#isBroken && (owed.record !== undefined || !this.#owed.has(id))) this.#owed.set(id, owed);
      throw error;
    }
  }

  #fail(error: unknown): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#report(error);
    this.#recoverLater();
  }

  #recoverLater(): void {
    if (this.#isClosed) return;
    this.#retry = setTimeout(() => {
      this.#recovering = this.#recover();
    }, RETRY_MS).unref();
  }

  /** Reopens the store if the disk can be written, and writes what is owed to it. Known records can be read until then. */
  async #recover(): Promise<void> {
    try {
      await probe(`${this.#options.folder}/probe`);
      this.#store = this.#open(this.#store?.catch(() => null) ?? null);
      const store = await this.#store;
      // Writes may finish in the meantime. Once is written even if nothing is owed: that shows that the disk can be written.
      do await this.#settle(store, [...this.#owed]);
      while (this.#owed.size > 0);
      this.#isBroken = false;
      this.#lastReason = '';
      this.#options.log.info('the journal of writes is writable again');
    } catch (error) {
      this.#report(error);
      this.#recoverLater();
    }
  }

  async #settle(store: Store, owed: readonly (readonly [id: string, owed: Owed])[]): Promise<void> {
    await store.run(
      async (records) => {
        // One that cannot be applied, because its record is corrupt, must not keep the others away.
        for (const [, { apply }] of owed) await apply(records).catch(() => undefined);
      },
      { isProof: true },
    );
    for (const [id, one] of owed) if (this.#owed.get(id) === one) this.#owed.delete(id);
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
    const file = await open(path, 'w', 0o600);
    try {
      await file.write(Buffer.alloc(PROBE_BYTES));
      await file.sync();
    } finally {
      await file.close();
    }
  } finally {
    await rm(path, { force: true });
  }
}

// Beside the records lie indexes: ids by expiry, ids of rejected writes by caller, and the space that each caller uses.
// No hash begins with an exclamation mark.
const INDEX = '!';
const EXPIRY = '!expiry ';
const REFUSED = '!refused ';
const ALL = '!used';

const shareOf = (owner: string): string => `${ALL} ${owner}`;
const refusedOf = (owner: string): string => `${REFUSED}${owner} `;
const digits = (time: number): string => Math.floor(Math.max(0, time)).toString().padStart(16, '0');

function parsed(text: string): StoredRecord {
  return JSON.parse(text) as StoredRecord;
}

/** Replaces or removes a record together with its index entries. */
async function replace(records: Transaction, id: string, next: StoredRecord | null): Promise<void> {
  const [before, after] = [await records.get(id), next && JSON.stringify(next)];
  const known = before === undefined ? null : parsed(before);
  for (const index of indexesOf(id, known)) records.set(index, null);
  for (const index of indexesOf(id, next)) records.set(index, id);
  records.set(id, after);
  await count(records, known, -1, before);
  await count(records, next, 1, after ?? undefined);
}

function indexesOf(id: string, stored: StoredRecord | null): string[] {
  if (stored?.expiresAt === undefined) return [];
  const place = `${digits(stored.expiresAt)} ${id}`;
  return [EXPIRY + place, ...(stored.isRefused ? [refusedOf(stored.owner) + place] : [])];
}

async function count(
  records: Transaction,
  stored: StoredRecord | null,
  by: 1 | -1,
  text = '',
): Promise<void> {
  if (stored?.expiresAt === undefined) return;
  for (const share of [ALL, shareOf(stored.owner)]) {
    const used = await usedIn(records, share);
    const next = { records: used.records + by, size: used.size + by * text.length };
    records.set(share, next.records === 0 ? null : JSON.stringify(next));
  }
}

async function usedIn(records: Transaction, share: string): Promise<Space> {
  const text = await records.get(share);
  return text === undefined ? { records: 0, size: 0 } : (JSON.parse(text) as Space);
}
