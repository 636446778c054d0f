import {
  finished,
  isForgettable,
  isRefusal,
  isTakenOver,
  JournalFull,
  KEPT_MS,
  type JournalKey,
  type JournalLimits,
  type WriteJournal,
  type WriteRecord,
} from './journal.ts';
import { Ledger } from './ledger.ts';

const MIB = 1024 * 1024;
const LIMITS: JournalLimits = {
  whole: { records: 50_000, size: 64 * MIB },
  share: { records: 10_000, size: 16 * MIB },
};

/** The settings of a journal in memory. */
interface MemoryJournalOptions {
  /** How long a write is remembered, in milliseconds. */
  readonly keptMs?: number | undefined;
  /** A clock that never jumps. */
  readonly now?: () => number;
  readonly limits?: JournalLimits;
}

/**
 * Stores writes in this process: at most 50,000 or 64 MiB in all, and 10,000 or 16 MiB per caller. Beyond that, rejected
 * writes are forgotten, and further writes fail; writes that may have happened are never forgotten early.
 */
export class MemoryJournal implements WriteJournal {
  readonly #ledger: Ledger;
  readonly #keptMs: number;

  constructor({
    keptMs = KEPT_MS,
    now = () => performance.now(),
    limits = LIMITS,
  }: MemoryJournalOptions = {}) {
    this.#ledger = new Ledger({ limits, now });
    this.#keptMs = keptMs;
  }

  async find({ id }: JournalKey): Promise<WriteRecord | null> {
    return this.#find(id);
  }

  async begin(key: JournalKey, record: WriteRecord): Promise<WriteRecord | null> {
    const known = this.#find(key.id);
    if (known !== null) return known;
    if (!this.#ledger.makeRoom(key.owner, () => undefined)) throw new JournalFull();
    this.#put(key, record);
    return null;
  }

  async finish(key: JournalKey, record: WriteRecord): Promise<WriteRecord> {
    const known = this.#find(key.id);
    const kept = finished(known, record);
    if (kept !== record) return kept;
    if (isTakenOver(known, record)) this.#ledger.delete(key.id);
    this.#put(key, record);
    return record;
  }

  async forget({ id }: JournalKey, fingerprint?: string): Promise<void> {
    if (isForgettable(this.#find(id), fingerprint)) this.#ledger.delete(id);
  }

  #find(id: string): WriteRecord | null {
    return this.#ledger.get(id)?.record ?? null;
  }

  #put({ id, owner }: JournalKey, record: WriteRecord): void {
    const expiresAt = this.#ledger.get(id)?.expiresAt ?? this.#ledger.now() + this.#keptMs;
    const size = JSON.stringify(record).length;
    this.#ledger.set(id, { owner, expiresAt, size, isExpendable: isRefusal(record.result), record });
  }
}
