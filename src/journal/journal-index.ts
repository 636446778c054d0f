/** The index information about a write in a journal. */
export interface IndexEntry {
  /** A name for the caller. */
  readonly owner: string;
  /** By the clock of the index. */
  readonly startedAt: number;
  /** Length of its record. */
  readonly size: number;
  /** True if the service rejected it, so that forgetting it does no harm. */
  readonly isRefused: boolean;
}

/** The capacity of a journal. */
export interface JournalBounds {
  readonly records: number;
  readonly size: number;
}

/** Thrown if another write could only be stored by forgetting one that may have happened. */
export class JournalFull extends Error {
  override readonly name = 'JournalFull';
}

interface Share {
  readonly ids: Set<string>;
  /** The rejected ones among them, oldest first. */
  readonly refused: Set<string>;
  size: number;
}

/** Maximum number of expired writes removed at once. */
const MAX_EXPIRED = 1_000;

/** Milliseconds by a clock that never jumps, unlike the time of day: a jump must not make a journal forget writes. */
export const steadyNow = (): number => performance.now();

/**
 * The writes in a journal, each kept for a time, within limits for the whole journal and for each caller. At a limit,
 * rejected writes are forgotten first; writes that may have happened are never forgotten early.
 */
export class JournalIndex<E extends IndexEntry> {
  readonly #entries = new Map<string, E>();
  readonly #owners = new Map<string, Share>();
  /** Rejected writes of all callers, so that a full journal need not be searched for each write it turns away. */
  readonly #refused = new Set<string>();
  readonly #whole: JournalBounds;
  readonly #share: JournalBounds;
  readonly #keptMs: number;
  readonly #now: () => number;
  #size = 0;

  constructor(
    bounds: { readonly whole: JournalBounds; readonly share: JournalBounds },
    { keptMs, now = steadyNow }: { readonly keptMs: number; readonly now?: () => number },
  ) {
    this.#whole = bounds.whole;
    this.#share = bounds.share;
    this.#keptMs = keptMs;
    this.#now = now;
  }

  /** Returns the entry with an id, unless it has expired. */
  get(id: string): E | undefined {
    const entry = this.#entries.get(id);
    return entry === undefined || this.#isOver(entry) ? undefined : entry;
  }

  /** Returns all entries, including expired ones. */
  entries(): IterableIterator<[id: string, entry: E]> {
    return this.#entries.entries();
  }

  /** Adds an entry, replacing the one with its id. */
  set(id: string, entry: E): void {
    const before = this.#entries.get(id);
    // The map is in order of start times, so that expired entries come first.
    if (before?.startedAt !== entry.startedAt) this.delete(id);
    this.#size += entry.size - (this.#entries.get(id)?.size ?? 0);
    const share = this.#owners.get(entry.owner) ?? { ids: new Set(), refused: new Set(), size: 0 };
    share.size += entry.size - (this.#entries.get(id)?.size ?? 0);
    share.ids.add(id);
    for (const refused of [share.refused, this.#refused]) {
      if (entry.isRefused) refused.add(id);
      else refused.delete(id);
    }
    this.#owners.set(entry.owner, share);
    this.#entries.set(id, entry);
  }

  delete(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#refused.delete(id);
    this.#size -= entry.size;
    const share = this.#owners.get(entry.owner);
    if (share === undefined) return;
    share.ids.delete(id);
    share.refused.delete(id);
    share.size -= entry.size;
    if (share.ids.size === 0) this.#owners.delete(entry.owner);
  }

  /** Removes expired entries, oldest first and up to a maximum number, and returns their ids. */
  takeExpired(): string[] {
    const expired: string[] = [];
    for (const [id, entry] of this.#entries) {
      if (!this.#isOver(entry) || expired.length >= MAX_EXPIRED) break;
      expired.push(id);
    }
    for (const id of expired) this.delete(id);
    return expired;
  }

  /**
   * Removes the entries that must be forgotten to make room for another write of a caller, and returns their ids.
   *
   * @throws JournalFull, without removing any, if none may be forgotten
   */
  makeRoom(owner: string): string[] {
    const share = this.#owners.get(owner);
    const isShareFull = share !== undefined && !isWithin(share.ids.size, share.size, this.#share);
    const ofOwner = isShareFull ? firstOf(share.refused) : null;
    const isFull = !isWithin(this.#entries.size, this.#size, this.#whole);
    const ofAll = isFull && ofOwner === null ? firstOf(this.#refused) : null;
    const forgotten = [ofOwner, ofAll].filter((id) => id !== null);
    for (const id of forgotten) this.delete(id);
    return forgotten;
  }

  #isOver({ startedAt }: E): boolean {
    return this.#now() - startedAt > this.#keptMs;
  }
}

function firstOf(refused: ReadonlySet<string>): string {
  const [first] = refused;
  if (first === undefined) throw new JournalFull();
  return first;
}

function isWithin(records: number, size: number, bounds: JournalBounds): boolean {
  return records < bounds.records && size < bounds.size;
}
