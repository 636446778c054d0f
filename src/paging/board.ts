import type { Page } from '../sources/current/client.ts';
import { rangeOfPage, type Range } from './pages.ts';

/** A row with its key, which is read once; null where it can't be. */
export interface KeyedRow<T> {
  readonly row: T;
  readonly key: string | null;
}

/** What has been read of one list: rows at their places, and what is known to be covered. */
export interface Board<T> {
  readonly rows: ReadonlyMap<number, KeyedRow<T>>;
  readonly covered: readonly Range[];
  /** Length of the list as the last answer told; null before the first. */
  readonly total: number | null;
  /** True when the answers contradict each other: the list changed while it was read. */
  readonly torn: boolean;
}

/** A board on which nothing has been read. */
export function emptyBoard<T>(): Board<T> {
  return { rows: new Map(), covered: [], total: null, torn: false };
}

/** The board with one more page on it. Rows beyond the list's length are an echo of its last page, and are left out. */
export function withPage<T>(board: Board<T>, page: Page<KeyedRow<T>>): Board<T> {
  const range = rangeOfPage(page.page, page.size);
  const rows = new Map(board.rows);
  for (const [index, row] of page.rows.entries()) {
    if (range.from + index < page.total) rows.set(range.from + index, row);
  }
  return {
    rows,
    covered: [...board.covered, range],
    total: page.total,
    torn: board.torn || (board.total !== null && board.total !== page.total),
  };
}

/** The smallest range that holds all that is not covered yet of the wanted one; empty when nothing is. */
export function uncovered<T>(board: Board<T>, wanted: Range): Range {
  let { from } = wanted;
  let to = board.total === null ? wanted.to : Math.min(wanted.to, board.total);
  const covers = (index: number): Range | undefined =>
    board.covered.find((range) => range.from <= index && index < range.to);
  for (let range = covers(from); range && from < to; range = covers(from)) from = range.to;
  for (let range = covers(to - 1); range && from < to; range = covers(to - 1)) to = range.from;
  return { from, to: Math.max(from, to) };
}

/** Index of the row with this key, or null. */
export function findKey<T>(board: Board<T>, key: string): number | null {
  for (const [index, row] of board.rows) if (row.key === key) return index;
  return null;
}
