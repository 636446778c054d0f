import type { Cursor } from './cursor.ts';
import { pagesCovering, rangeOfPage, type PageSizes, type Range } from './pages.ts';

/** How many further pages are read to find a record that moved. */
export const MAX_SEARCH_PAGES = 3;

/**
 * Where to look for a record that is no longer at its place: the page where it should be if the list grew or shrank at
 * its front, then that page's neighbours, the nearer first.
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
 * Index at which to go on after a record that is gone. When the list shrank, it is taken to have shrunk in front of the
 * place: what comes next may then be repeated, but nothing is skipped.
 */
export function resumeAfterGone(anchor: Cursor, total: number): number {
  const grown = total - anchor.total;
  const index = grown < 0 ? anchor.position + 1 + grown : anchor.position;
  return Math.min(Math.max(index, 0), total);
}

/**
 * Index up to which to go on backwards before a record that is gone. When as many records are gone as stood up to and
 * including it, the list is taken to have drained from its front, with nothing left before it. When it grew, or kept its
 * length without the record, it is taken to have grown in front: what comes next may be repeated, but nothing is skipped.
 */
export function resumeBeforeGone(anchor: Cursor, total: number): number {
  const grown = total - anchor.total;
  if (-grown > anchor.position) return 0;
  return Math.min(anchor.position + Math.max(grown + 1, 0), total);
}
