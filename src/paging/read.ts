import { MAX_SEARCH_PAGES, resumeAfterGone, resumeBeforeGone, searchRanges } from './anchor.ts';
import type { KeyedRow } from './board.ts';
import type { Cursor } from './cursor.ts';
import type { Range } from './pages.ts';
import { Reading, type PagedList } from './reading.ts';
import type { Window } from './window.ts';

export type { PagedList, SizeMemory } from './reading.ts';

/** A row with its opaque cursor, which is made when it is asked for. */
export interface PlacedRow<T> {
  readonly row: T;
  readonly cursor: () => string;
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

/**
 * Reads a window of a list with the fewest calls that its pages allow. Fails as `PagedList.fetch` does, and with a
 * SourceError of kind `malformed` when the answers never cover the window.
 */
export async function readWindow<T>(list: PagedList<T>, window: Window): Promise<WindowRows<T>> {
  let before: string | null = null;
  for (let attempt = 1; ; attempt += 1) {
    const reading = new Reading(list, { fresh: attempt > 1, expectedTotal: window.anchor?.total ?? null });
    const { range, gone } = await (window.direction === 'forward' ? forward : backward)(reading, window);
    const trace = reading.doubledTrace();
    // A record that stands twice in two readings alike is the list's own doing.
    const isStill = !reading.isTorn && (trace === null || trace === before);
    const rows = rowsOf(reading, range);
    const isFull = rows.length === range.to - range.from;
    if (isStill && isFull) return { ...factsOf(reading, range), rows, drifted: gone };
    if (attempt === MAX_ATTEMPTS) {
      return { ...factsOf(reading, range), rows: withoutRepeats(rows), drifted: true };
    }
    before = trace;
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
    await reading.cover({ from: 0, to: 1 }, count);
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
  if (anchor.key === null) return reading.total === anchor.total ? anchor.position : null;
  if (reading.rowAt(anchor.position)?.key === anchor.key) return anchor.position;
  const seen = reading.indexOf(anchor.key);
  if (seen !== null) return seen;
  for (let page = 1; page <= MAX_SEARCH_PAGES; page += 1) {
    const gaps = searchRanges(anchor, reading.total, reading.sizes).map((range) => reading.gapIn(range));
    const gap = gaps.find(({ from, to }) => from < to);
    if (!gap) return null;
    // One place stands for its page: should the pages turn out to be smaller, other places are to be looked at.
    await reading.cover({ from: gap.from, to: gap.from + 1 }, reading.sizes.max);
    const index = reading.indexOf(anchor.key);
    if (index !== null) return index;
  }
  return null;
}

function factsOf<T>(reading: Reading<T>, { from, to }: Range) {
  return { total: reading.total, hasPrevious: from > 0, hasNext: to < reading.total };
}

type FoundRow<T> = PlacedRow<T> & KeyedRow<T>;

function rowsOf<T>(reading: Reading<T>, range: Range): FoundRow<T>[] {
  const rows: FoundRow<T>[] = [];
  for (let index = range.from; index < range.to; index += 1) {
    const found = reading.rowAt(index);
    // A page may hold fewer rows than its size; the rest of its places stay empty.
    if (found) rows.push({ row: found.row, key: found.key, cursor: () => reading.cursorAt(index) });
  }
  return rows;
}

function withoutRepeats<T>(rows: readonly FoundRow<T>[]): FoundRow<T>[] {
  const seen = new Set<string>();
  return rows.filter(({ key }) => {
    const isNew = key === null || !seen.has(key);
    if (key !== null) seen.add(key);
    return isNew;
  });
}
