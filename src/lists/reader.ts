import type { Page } from '../sources/current/client.ts';
import { encodeCursor, type Cursor } from './cursor.ts';
import type { BufferEntry } from './page-buffer.ts';
import {
  askableSize,
  hasDuplicates,
  learn,
  pageOfSize,
  pagesCovering,
  rangeOfPage,
  type PageSizes,
  type Range,
} from './pages.ts';
import { Reading, type PagedList } from './reading.ts';
import type { Window } from './window.ts';

/** The requested part of a list. */
export interface WindowRows<T> {
  readonly rows: readonly T[];
  /** Length of the whole list. */
  readonly total: number;
  /** True if the list has records before the window. */
  readonly hasPrevious: boolean;
  /** True if the list has records after the window. */
  readonly hasNext: boolean;
  /** True if the exact position could not be found again, or the list kept changing. */
  readonly drifted: boolean;
  /** Returns the opaque cursor of one of the rows. */
  readonly cursorOf: (row: number) => string;
}

/** How often a list that changes while it is read is read again. */
const MAX_ATTEMPTS = 3;

/**
 * Reads a page of a connection with as few calls as the service's pages allow.
 *
 * @throws what `PagedList.readPage` throws, and a SourceError of kind `malformed` if the pages never cover the window.
 */
export async function readWindow<T>(list: PagedList<T>, window: Window): Promise<WindowRows<T>> {
  const probe = probeFor(window, list.memory.sizes);
  if (probe === null) return await readInPages(list, window);
  let page;
  try {
    page = await list.readPage(probe.page, probe.size, false);
  } catch {
    // It may be beyond the end of a list that has become shorter; reading in pages will tell.
    return await readInPages(list, window);
  }
  const whole = windowWithin(page, list, window);
  if (whole === null) return await readInPages(list, window, { page, size: probe.size });
  list.memory.sizes = learn(list.memory.sizes, probe.size, page.size);
  return whole;
}

/** Returns the single page that may suffice for a window at the start or after a cursor; null if more are needed. */
function probeFor({ direction, count, anchor }: Window, sizes: PageSizes) {
  if (direction === 'backward') return null;
  const from = anchor?.position ?? 0;
  const to = anchor ? Math.min(from + 1 + count, anchor.total) : count;
  const [page = pageOfSize(0, askableSize(1, sizes)), ...others] = pagesCovering({ from, to }, sizes);
  // Without a cursor the length is unknown, so one page is requested first in any case.
  return anchor === null || others.length === 0 ? page : null;
}

/** Returns the window if one page contains all of it and shows no inconsistency. */
function windowWithin<T>(page: Page<T>, list: PagedList<T>, { anchor, count }: Window): WindowRows<T> | null {
  const { rows, total } = page;
  const { from } = rangeOfPage(page);
  const start = anchor === null ? 0 : anchor.position + 1;
  const end = Math.min(start + count, total);
  if (start > end || (anchor?.position ?? 0) < from || end > from + rows.length) return null;
  const keys = rows.map((row) => list.keyOf(row));
  if (anchor !== null && (anchor.key === null || keys[anchor.position - from] !== anchor.key)) return null;
  if (hasDuplicates(keys)) return null;
  // Written out because it runs for every request: spreading an object into it takes ten times as long.
  return {
    total,
    hasPrevious: start > 0,
    hasNext: end < total,
    rows: rows.slice(start - from, end - from),
    drifted: false,
    cursorOf: (row) => {
      const key = keys[start - from + row] ?? null;
      return encodeCursor({ position: start + row, key, total }, list.fingerprint);
    },
  };
}

/** A page that was already read, and the size that was requested. */
interface ReadPage<T> {
  readonly page: Page<T>;
  readonly size: number;
}

/** Reads a window in as many pages as needed, and again if the list changes meanwhile. */
async function readInPages<T>(
  list: PagedList<T>,
  window: Window,
  first?: ReadPage<T>,
): Promise<WindowRows<T>> {
  let before: string | null = null;
  for (let attempt = 1; ; attempt += 1) {
    const reading = new Reading(list, { fresh: attempt > 1, expectedTotal: window.anchor?.total ?? null });
    if (attempt === 1 && first) reading.take(first.page, first.size);
    const { range, isGone } = await (window.direction === 'forward' ? forward : backward)(reading, window);
    const snapshot = reading.buffer.duplicateSnapshot();
    // A duplicate that appears in two identical reads is in the list itself, not a race.
    const isStill = !reading.buffer.isInconsistent && (snapshot === null || snapshot === before);
    const entries = reading.buffer.entries(range);
    const isFull = entries.length === range.to - range.from;
    if (isStill && isFull) return windowFrom(list, reading, range, entries, isGone);
    if (attempt === MAX_ATTEMPTS) return windowFrom(list, reading, range, withoutRepeats(entries), true);
    before = snapshot;
  }
}

function windowFrom<T>(
  { fingerprint }: PagedList<T>,
  { total }: Reading<T>,
  range: Range,
  entries: readonly BufferEntry<T>[],
  drifted: boolean,
): WindowRows<T> {
  return {
    total,
    hasPrevious: range.from > 0,
    hasNext: range.to < total,
    rows: entries.map(({ row }) => row),
    drifted,
    cursorOf: (row) => {
      const { index: position = 0, key = null } = entries[row] ?? {};
      return encodeCursor({ position, key, total }, fingerprint);
    },
  };
}

function withoutRepeats<T>(entries: readonly BufferEntry<T>[]): BufferEntry<T>[] {
  const seen = new Set<string>();
  return entries.filter(({ key }) => {
    const isNew = key === null || !seen.has(key);
    if (key !== null) seen.add(key);
    return isNew;
  });
}

interface Place {
  readonly range: Range;
  /** True if the record at the edge of the window is gone. */
  readonly isGone: boolean;
}

async function forward<T>(reading: Reading<T>, { anchor, count }: Window): Promise<Place> {
  const from = anchor?.position ?? 0;
  await reading.cover({ from, to: from + count + (anchor ? 1 : 0) });
  const found = anchor ? await locate(reading, anchor) : -1;
  const start = found === null && anchor ? resumeAfterGone(anchor, reading.total) : (found ?? -1) + 1;
  await reading.cover({ from: found ?? start, to: start + count });
  return { range: reading.clip({ from: start, to: start + count }), isGone: found === null };
}

async function backward<T>(reading: Reading<T>, { anchor, count }: Window): Promise<Place> {
  if (!anchor) {
    // The end of a list is only known once any page has stated its length.
    await reading.cover({ from: 0, to: 1 }, count);
    await reading.cover({ from: reading.total - count, to: reading.total });
    return { range: reading.clip({ from: reading.total - count, to: reading.total }), isGone: false };
  }
  await reading.cover({ from: anchor.position - count, to: anchor.position + 1 });
  const found = await locate(reading, anchor);
  const end = found ?? resumeBeforeGone(anchor, reading.total);
  await reading.cover({ from: end - count, to: found === null ? end : end + 1 });
  return { range: reading.clip({ from: end - count, to: end }), isGone: found === null };
}

/** Returns the current index of the anchor's record, or null if it was not found. */
async function locate<T>(reading: Reading<T>, anchor: Cursor): Promise<number | null> {
  if (anchor.key === null) return reading.total === anchor.total ? anchor.position : null;
  if (reading.buffer.keyAt(anchor.position) === anchor.key) return anchor.position;
  const seen = reading.buffer.indexOf(anchor.key);
  if (seen !== null) return seen;
  for (let page = 1; page <= MAX_SEARCH_PAGES; page += 1) {
    const gaps = searchRanges(anchor, reading.total, reading.sizes).map((range) => reading.gapIn(range));
    const gap = gaps.find(({ from, to }) => from < to);
    if (!gap) return null;
    // One index stands for its page: if the pages turn out to be smaller, other indexes must be searched.
    await reading.cover({ from: gap.from, to: gap.from + 1 }, reading.sizes.max);
    const index = reading.buffer.indexOf(anchor.key);
    if (index !== null) return index;
  }
  return null;
}

/** How many more pages are read to find a record that moved. */
const MAX_SEARCH_PAGES = 3;

/**
 * Returns where to look for a record that is no longer at its position: the page where it should be if the list grew or
 * shrank at its front, then the neighbours of that page, nearest first.
 */
function searchRanges(anchor: Cursor, total: number, sizes: PageSizes): Range[] {
  const expected = Math.min(Math.max(anchor.position + total - anchor.total, 0), Math.max(total - 1, 0));
  const size = sizes.max;
  const { page } = pageOfSize(expected, size);
  const isInFirstHalf = expected % size < size / 2;
  const pages = isInFirstHalf ? [page, page - 1, page + 1, page + 2] : [page, page + 1, page - 1, page - 2];
  return pages
    .map((number) => rangeOfPage({ page: number, size }))
    .filter(({ from }) => from >= 0 && from < total)
    .slice(0, MAX_SEARCH_PAGES);
}

/**
 * Returns the index at which to resume after a record that is gone. If the list shrank, it is assumed to have shrunk
 * before the position: records may then be repeated, but none is skipped.
 */
function resumeAfterGone(anchor: Cursor, total: number): number {
  const grown = total - anchor.total;
  const index = grown < 0 ? anchor.position + 1 + grown : anchor.position;
  return Math.min(Math.max(index, 0), total);
}

/**
 * Returns the index before which to resume backwards from a record that is gone. If all records up to and including it
 * may be gone, the list is assumed to have drained from its front, with nothing left before it. If the list grew, or
 * kept its length, it is assumed to have grown at its front: records may be repeated, but none is skipped.
 */
function resumeBeforeGone(anchor: Cursor, total: number): number {
  const grown = total - anchor.total;
  if (-grown > anchor.position) return 0;
  return Math.min(anchor.position + Math.max(grown + 1, 0), total);
}
