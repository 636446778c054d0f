/** What is known of each write in a journal. */
export interface IndexEntry {
  /** A name for the caller. */
  readonly owner: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Length of its record. */
  readonly size: number;
  /** True where the service refused it: then forgetting it does no harm. */
  readonly isRefused: boolean;
}

/** How much a journal holds. */
export interface JournalBounds {
  readonly records: number;
  readonly size: number;
}

/** Thrown where one more write could only be remembered by forgetting another that may have happened. */
export class JournalFull extends Error {
  override readonly name = 'JournalFull';
}

interface Share {
  readonly ids: Set<string>;
  /** Those of them that were refused, the first one first. */
  readonly refused: Set<string>;
  size: number;
}

/** Most writes that are forgotten at once because their time is over. */
const MAX_EXPIRED = 1_000;

/**
 * The writes in a journal, each for a time, within the bounds of the whole and of each caller. Where they are reached,
 * what the service refused is forgotten first; what may have happened is not forgotten before its time.
 */
export class JournalIndex<E extends IndexEntry> {
  readonly #entries = new Map<string, E>();
  readonly #owners = new Map<string, Share>();
  /** What was refused, of all: a full journal must not be searched for it with each write that is turned away. */
  readonly #refused = new Set<string>();
  readonly #whole: JournalBounds;
  readonly #share: JournalBounds;
  readonly #keptMs: number;
  readonly #now: () => number;
  #size = 0;

  constructor(
    bounds: { readonly whole: JournalBounds; readonly share: JournalBounds },
    { keptMs, now }: { readonly keptMs: number; readonly now: () => number },
  ) {
    this.#whole = bounds.whole;
    this.#share = bounds.share;
    this.#keptMs = keptMs;
    this.#now = now;
  }

  /** The entry with an id, unless its time is over. */
  get(id: string): E | undefined {
    const entry = this.#entries.get(id);
    return entry === undefined || this.#isOver(entry) ? undefined : entry;
  }

  /** All entries, also those whose time is over. */
  entries(): IterableIterator<[id: string, entry: E]> {
    return this.#entries.entries();
  }

  /** Puts an entry, in place of the one with its id. */
  set(id: string, entry: E): void {
    const before = this.#entries.get(id);
    // The map is in the order of the beginnings, so that what is over stands first.
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

  /** Takes out those whose time is over, the oldest first, a bounded number; gives their ids. */
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
   * Takes out what must be forgotten so that a caller may have one write more; gives the ids.
   *
   * @throws JournalFull where nothing may be; then nothing is taken out
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

  // A beginning in the future was written under another clock.
  #isOver({ startedAt }: E): boolean {
    return Math.abs(this.#now() - startedAt) > this.#keptMs;
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
