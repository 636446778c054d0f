import type { Cursor } from './cursor.ts';
import { pagesCovering, rangeOfPage, type PageSizes, type Range } from './pages.ts';

/** How many more pages are read to find a record that moved. */
export const MAX_SEARCH_PAGES = 3;

/**
 * Returns where to look for a record that is no longer at its position: the page where it should be if the list grew or
 * shrank at its front, then the neighbours of that page, nearest first.
 */
export function searchRanges(anchor: Cursor, total: number, sizes: PageSizes): Range[] {
  const expected = Math.min(Math.max(anchor.position + total - anchor.total, 0), Math.max(total - 1, 0));
  const size = sizes.max;
  const [page = 1] = pagesCovering({ from: expected, to: expected + 1 }, size);
  const isInFirstHalf = expected % size < size / 2;
  const pages = isInFirstHalf ? [page, page - 1, page + 1, page + 2] : [page, page + 1, page - 1, page - 2];
  return pages
    .map((number) => rangeOfPage(number, size))
    .filter(({ from }) => from >= 0 && from < total)
    .slice(0, MAX_SEARCH_PAGES);
}

/**
 * Returns the index at which to resume after a record that is gone. If the list shrank, it is assumed to have shrunk
 * before the position: records may then be repeated, but none is skipped.
 */
export function resumeAfterGone(anchor: Cursor, total: number): number {
  const grown = total - anchor.total;
  const index = grown < 0 ? anchor.position + 1 + grown : anchor.position;
  return Math.min(Math.max(index, 0), total);
}

/**
 * Returns the index before which to resume backwards from a record that is gone. If all records up to and including it
 * may be gone, the list is assumed to have drained from its front, with nothing left before it. If the list grew, or
 * kept its length, it is assumed to have grown at its front: records may be repeated, but none is skipped.
 */
export function resumeBeforeGone(anchor: Cursor, total: number): number {
  const grown = total - anchor.total;
  if (-grown > anchor.position) return 0;
  return Math.min(anchor.position + Math.max(grown + 1, 0), total);
}
