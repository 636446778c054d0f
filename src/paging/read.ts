import type { Page } from '../sources/current/client.ts';
import { SourceError, type Surface } from '../sources/errors.ts';
import { resumeAfterGone, resumeBeforeGone, searchRanges } from './anchor.ts';
import { emptyBoard, findKey, uncovered, withPage, type Board } from './board.ts';
import { encodeCursor, type Cursor } from './cursor.ts';
import { bestPageSize, learn, pagesCovering, type PageSizes, type Range } from './pages.ts';
import type { Window } from './window.ts';

/** What is known of a list's page sizes, shared by all who read it. */
export interface SizeMemory {
  sizes: PageSizes;
}

/** A list that is read page by page. */
export interface PagedList<T> {
  /** Binds cursors to the list and its arguments. */
  readonly fingerprint: string;
  readonly surface: Surface;
  readonly memory: SizeMemory;
  /** The record's own key, or null where it can't be read. */
  readonly keyOf: (row: T) => string | null;
  /** Reads a page, `fresh` when what this operation has read before must not be used. */
  readonly fetch: (page: number, size: number, fresh: boolean) => Promise<Page<T>>;
}

/** A row with its opaque cursor. */
export interface PlacedRow<T> {
  readonly row: T;
  readonly cursor: string;
}

/** The part of a list that was asked for. */
export interface WindowRows<T> {
  readonly rows: readonly PlacedRow<T>[];
  readonly total: number;
  /** True when records of the list stand before the window. */
  readonly hasPrevious: boolean;
  /** True when records of the list stand after the window. */
  readonly hasNext: boolean;
  /** True when the exact place could not be found again, or the list would not hold still. */
  readonly drifted: boolean;
}

/** How often a list that changes while it is read is read anew. */
const MAX_ATTEMPTS = 3;
/** How often what is missing of a range is asked for, each time with what the last answer taught. */
const MAX_ROUNDS = 6;

/**
 * Reads a window of a list with the fewest calls that its pages allow. Fails as `PagedList.fetch` does, and with a
 * SourceError of kind `malformed` when the answers never cover the window.
 */
export async function readWindow<T>(list: PagedList<T>, window: Window): Promise<WindowRows<T>> {
  for (let attempt = 1; ; attempt += 1) {
    const reading = new Reading(list, attempt > 1);
    const { range, gone } = await (window.direction === 'forward' ? forward : backward)(reading, window);
    const torn = reading.isTorn(range);
    if (!torn || attempt === MAX_ATTEMPTS) return rowsOf(reading, range, gone || torn);
  }
}

interface Place {
  readonly range: Range;
  /** True when the record that the window was to lie beside is gone. */
  readonly gone: boolean;
}

async function forward<T>(reading: Reading<T>, { anchor, count }: Window): Promise<Place> {
  const from = anchor?.position ?? 0;
  await reading.cover({ from, to: from + count + (anchor ? 1 : 0) });
  const found = anchor ? await locate(reading, anchor) : -1;
  const start = found === null && anchor ? resumeAfterGone(anchor, reading.total) : (found ?? -1) + 1;
  await reading.cover({ from: start, to: start + count });
  return { range: reading.clip({ from: start, to: start + count }), gone: found === null };
}

async function backward<T>(reading: Reading<T>, { anchor, count }: Window): Promise<Place> {
  if (!anchor) {
    // The end of a list is known only once any page has told its length.
    await reading.cover({ from: 0, to: Math.min(count, reading.sizes.max) });
    await reading.cover({ from: reading.total - count, to: reading.total });
    return { range: reading.clip({ from: reading.total - count, to: reading.total }), gone: false };
  }
  await reading.cover({ from: anchor.position - count, to: anchor.position + 1 });
  const found = await locate(reading, anchor);
  const end = found ?? resumeBeforeGone(anchor, reading.total);
  await reading.cover({ from: end - count, to: end });
  return { range: reading.clip({ from: end - count, to: end }), gone: found === null };
}

/** Index at which the anchor's record stands now, or null when it could not be found. */
async function locate<T>(reading: Reading<T>, anchor: Cursor): Promise<number | null> {
  if (anchor.key === null || reading.keyAt(anchor.position) === anchor.key) return anchor.position;
  const seen = reading.indexOf(anchor.key);
  if (seen !== null) return seen;
  for (const range of searchRanges(anchor, reading.total, reading.sizes)) {
    await reading.cover(range, reading.sizes.max);
    const index = reading.indexOf(anchor.key);
    if (index !== null) return index;
  }
  return null;
}

/** One go at reading a list: what has been read so far, and how more is read. */
class Reading<T> {
  private board: Board<T> = emptyBoard();
  private readonly list: PagedList<T>;
  private readonly fresh: boolean;

  constructor(list: PagedList<T>, fresh: boolean) {
    this.list = list;
    this.fresh = fresh;
  }

  get total(): number {
    return this.board.total ?? 0;
  }

  get sizes(): PageSizes {
    return this.list.memory.sizes;
  }

  clip({ from, to }: Range): Range {
    const start = Math.min(Math.max(from, 0), this.total);
    return { from: start, to: Math.max(start, Math.min(to, this.total)) };
  }

  rowAt(index: number): T | undefined {
    return this.board.rows.get(index);
  }

  keyAt(index: number): string | null {
    const row = this.board.rows.get(index);
    return row === undefined ? null : this.list.keyOf(row);
  }

  indexOf(key: string): number | null {
    return findKey(this.board, key, this.list.keyOf);
  }

  cursorAt(index: number): string {
    return encodeCursor(
      { position: index, key: this.keyAt(index), total: this.total },
      this.list.fingerprint,
    );
  }

  /** True when the list changed while it was read: its length, or a record that stands in the range twice. */
  isTorn({ from, to }: Range): boolean {
    if (this.board.torn) return true;
    const keys = new Set<string>();
    for (let index = from; index < to; index += 1) {
      const key = this.keyAt(index);
      if (key !== null && keys.has(key)) return true;
      if (key !== null) keys.add(key);
    }
    return false;
  }

  /** Reads what is missing of a range, by pages of `size` or of the best size. */
  async cover(wanted: Range, size?: number): Promise<void> {
    const range = { from: Math.max(wanted.from, 0), to: Math.max(wanted.to, 0) };
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const gap = uncovered(this.board, range);
      if (gap.to <= gap.from) return;
      const asked = Math.min(size ?? bestPageSize(gap, this.sizes), this.sizes.max);
      const pages = pagesCovering(gap, asked);
      // Until a size has come back as asked, one page is a probe: the service may use another size.
      const batch = asked <= this.sizes.confirmed ? pages : pages.slice(0, 1);
      const answers = await Promise.all(batch.map((page) => this.fetch(page, asked)));
      for (const answer of answers) this.take(answer, asked);
    }
    throw new SourceError(
      'malformed',
      this.list.surface,
      'the pages of a list never cover what was asked for',
    );
  }

  private take(answer: Page<T>, asked: number): void {
    this.list.memory.sizes = learn(this.sizes, asked, answer.size);
    this.board = withPage(this.board, answer);
  }

  private async fetch(page: number, size: number): Promise<Page<T>> {
    try {
      return await this.list.fetch(page, size, this.fresh);
    } catch (error) {
      const mayLieBeyondTheEnd = error instanceof SourceError && error.kind === 'rejected' && page > 1;
      if (!mayLieBeyondTheEnd) throw error;
      const first = await this.list.fetch(1, size, this.fresh);
      if ((page - 1) * first.size < first.total) throw error;
      return first;
    }
  }
}

function rowsOf<T>(reading: Reading<T>, range: Range, drifted: boolean): WindowRows<T> {
  const rows: PlacedRow<T>[] = [];
  for (let index = range.from; index < range.to; index += 1) {
    const row = reading.rowAt(index);
    // A page may hold fewer rows than its size; the rest of its places stay empty.
    if (row !== undefined) rows.push({ row, cursor: reading.cursorAt(index) });
  }
  return {
    rows,
    total: reading.total,
    hasPrevious: range.from > 0,
    hasNext: range.to < reading.total,
    drifted,
  };
}
