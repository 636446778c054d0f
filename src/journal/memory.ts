import {
  finished,
  hasRoom,
  isRefusal,
  isForgettable,
  JournalFull,
  KEPT_MS,
  type JournalKey,
  type JournalLimits,
  type WriteJournal,
  type WriteRecord,
} from './journal.ts';

const MIB = 1024 * 1024;
const LIMITS: JournalLimits = {
  whole: { records: 50_000, size: 64 * MIB },
  share: { records: 10_000, size: 16 * MIB },
};

interface Entry {
  readonly owner: string;
  readonly record: WriteRecord;
  /** By the clock of the journal. */
  readonly startedAt: number;
  readonly size: number;
}

/** The entries of a caller, or of all. */
interface Used {
  records: number;
  size: number;
  /** Ids of rejected writes, oldest first. */
  readonly refused: Set<string>;
}

/** The settings of a journal in memory. */
interface MemoryJournalOptions {
  /** How long a write is remembered, in milliseconds. */
  readonly keptMs?: number | undefined;
  /** A clock that never jumps, unlike the time of day: a jump must not make the journal forget writes. */
  readonly now?: () => number;
  readonly limits?: JournalLimits;
}

/**
 * Stores writes in this process: at most 50,000 or 64 MiB in all, and 10,000 or 16 MiB per caller. Beyond that, rejected
 * writes are forgotten, and further writes fail; writes that may have happened are never forgotten early.
 */
export class MemoryJournal implements WriteJournal {
  /** In the order of their start. */
  readonly #entries = new Map<string, Entry>();
  readonly #owners = new Map<string, Used>();
  readonly #all = unused();
  readonly #keptMs: number;
  readonly #now: () => number;
  readonly #limits: JournalLimits;

  constructor({
    keptMs = KEPT_MS,
    now = () => performance.now(),
    limits = LIMITS,
  }: MemoryJournalOptions = {}) {
    this.#keptMs = keptMs;
    this.#now = now;
    this.#limits = limits;
  }

  async find({ id }: JournalKey): Promise<WriteRecord | null> {
    return this.#find(id);
  }

  async begin({ id, owner }: JournalKey, record: WriteRecord): Promise<WriteRecord | null> {
    const known = this.#find(id);
    if (known !== null) return known;
    this.#removeExpired();
    this.#makeRoom(owner);
    this.#put(id, owner, record);
    return null;
  }

  async finish({ id, owner }: JournalKey, record: WriteRecord): Promise<WriteRecord> {
    const kept = finished(this.#find(id), record);
    if (kept === record) this.#put(id, owner, record);
    return kept;
  }

  async forget({ id }: JournalKey, fingerprint?: string): Promise<void> {
    if (isForgettable(this.#find(id), fingerprint)) this.#remove(id);
  }

  #find(id: string): WriteRecord | null {
    const entry = this.#entries.get(id);
    return entry === undefined || this.#isExpired(entry) ? null : entry.record;
  }

  #isExpired({ startedAt }: Entry): boolean {
    return this.#now() - startedAt > this.#keptMs;
  }

  #put(id: string, owner: string, record: WriteRecord): void {
    const { startedAt = this.#now() } = this.#entries.get(id) ?? {};
    this.#count(id, -1);
    this.#entries.set(id, { owner, record, startedAt, size: JSON.stringify(record).length });
    this.#count(id, 1);
  }

  #remove(id: string): void {
    this.#count(id, -1);
    this.#entries.delete(id);
  }

  #count(id: string, by: 1 | -1): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    const own = this.#owners.get(entry.owner) ?? unused();
    for (const used of [own, this.#all]) {
      used.records += by;
      used.size += by * entry.size;
      if (by === 1 && isRefusal(entry.record.result)) used.refused.add(id);
      else used.refused.delete(id);
    }
    if (own.records > 0) this.#owners.set(entry.owner, own);
    else this.#owners.delete(entry.owner);
  }

  #removeExpired(): void {
    for (const [id, entry] of this.#entries) {
      if (!this.#isExpired(entry)) break;
      this.#remove(id);
    }
  }

  #makeRoom(owner: string): void {
    const used = (): Used => this.#owners.get(owner) ?? unused();
    if (!hasRoom(used(), this.#limits.share)) this.#removeRefused(used());
    if (!hasRoom(this.#all, this.#limits.whole)) this.#removeRefused(this.#all);
  }

  #removeRefused({ refused: [oldest] }: Used): void {
    if (oldest === undefined) throw new JournalFull(this.#keptMs);
    this.#remove(oldest);
  }
}

function unused(): Used {
  return { records: 0, size: 0, refused: new Set() };
}
