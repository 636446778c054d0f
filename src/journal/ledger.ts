import type { JournalLimits, Space, WriteRecord } from './journal.ts';

/** A write that a ledger lists. */
export interface Entry {
  readonly owner: string;
  /** By the clock of the ledger. */
  readonly expiresAt: number;
  readonly size: number;
  /** Whether it is removed if there is no room for another. */
  readonly isExpendable: boolean;
  /** Null if the record is stored elsewhere. */
  readonly record: WriteRecord | null;
}

/** The writes of a caller, or of all. */
interface Share {
  readonly owner: string;
  records: number;
  size: number;
  /** Ids of expendable writes, oldest first. */
  readonly expendable: Set<string>;
}

/** The settings of a ledger. */
interface LedgerOptions {
  readonly limits: JournalLimits;
  /** A clock that never jumps, unlike the time of day: a jump must not make a journal forget writes. */
  readonly now: () => number;
}

/** How many expired writes a new one removes at most, and how many if there is no room for it otherwise. */
const MAX_EXPIRED = 100;
const MAX_EXPIRED_WHEN_FULL = 20_000;

/** Lists which writes a journal holds, when each expires, and how much space each caller uses. */
export class Ledger {
  readonly now: () => number;
  readonly #limits: JournalLimits;
  /** In the order in which they expire. */
  readonly #entries = new Map<string, Entry>();
  readonly #shares = new Map<string, Share>();
  readonly #all = emptyShare('');

  constructor({ limits, now }: LedgerOptions) {
    this.now = now;
    this.#limits = limits;
  }

  /** Returns a write unless it has expired. */
  get(id: string): Entry | undefined {
    const entry = this.#entries.get(id);
    return entry === undefined || this.#isExpired(entry) ? undefined : entry;
  }

  /** Adds a write, or replaces it in its place. */
  set(id: string, { owner, expiresAt, size, isExpendable, record }: Entry): void {
    if (this.get(id) === undefined) this.delete(id);
    else this.#count(id, -1);
    const share = this.#shares.get(owner) ?? emptyShare(owner);
    this.#shares.set(owner, share);
    // All entries of a caller share one string.
    this.#entries.set(id, { owner: share.owner, expiresAt, size, isExpendable, record });
    this.#count(id, 1);
  }

  delete(id: string): void {
    this.#count(id, -1);
    this.#entries.delete(id);
  }

  /**
   * Makes room for another write by removing expired ones and, if that is not enough, the oldest expendable ones.
   *
   * @param onRemoved Called with the id of each removed write.
   * @returns False if there is no room.
   */
  makeRoom(owner: string, onRemoved: (id: string) => void): boolean {
    const remove = (id: string): void => {
      this.delete(id);
      onRemoved(id);
    };
    const { share, whole } = this.#limits;
    const own = this.#shares.get(owner) ?? emptyShare(owner);
    let removed = 0;
    for (const [id, entry] of this.#entries) {
      const isFull = !hasRoom(own, share) || !hasRoom(this.#all, whole);
      if (!this.#isExpired(entry) || removed >= (isFull ? MAX_EXPIRED_WHEN_FULL : MAX_EXPIRED)) break;
      removed += 1;
      remove(id);
    }
    for (const [used, limit] of [
      [own, share],
      [this.#all, whole],
    ] as const) {
      for (const id of used.expendable) {
        if (hasRoom(used, limit)) break;
        remove(id);
      }
      if (!hasRoom(used, limit)) return false;
    }
    return true;
  }

  #isExpired({ expiresAt }: Entry): boolean {
    return this.now() > expiresAt;
  }

  #count(id: string, by: 1 | -1): void {
    const entry = this.#entries.get(id);
    const own = entry && this.#shares.get(entry.owner);
    if (entry === undefined || own === undefined) return;
    for (const share of [own, this.#all]) {
      share.records += by;
      share.size += by * entry.size;
      if (!entry.isExpendable) continue;
      if (by === 1) share.expendable.add(id);
      else share.expendable.delete(id);
    }
    if (own.records === 0) this.#shares.delete(own.owner);
  }
}

/** Whether another write can be stored; the last one may exceed the size. */
function hasRoom(used: Space, limit: Space): boolean {
  return used.records < limit.records && used.size < limit.size;
}

function emptyShare(owner: string): Share {
  return { owner, records: 0, size: 0, expendable: new Set() };
}
