import type { Page } from '../sources/current/client.ts';
import { PagingError } from './errors.ts';
import { hasDuplicates, learn } from './pages.ts';
import type { PagedList } from './reading.ts';

/** Maximum number of pages per reading in a look-up by key. */
export const MAX_SCAN_PAGES = 20;
const SCAN_PAGE_SIZE = 100;
/** The service may send larger pages, but what is done with a whole list takes more than its length allows for. */
const MAX_WHOLE_ROWS = MAX_SCAN_PAGES * SCAN_PAGE_SIZE;
/** How often a list that keeps changing is read. */
const MAX_READINGS = 3;

/**
 * Looks up records by key in a list without a look-up of its own, page by page until all are found.
 *
 * Returns for each key, in order, its row; null if the list certainly does not contain it; or an error if neither is
 * certain: the SourceError of a page that could not be read, or a PagingError `SCAN_LIMIT_REACHED` for a list that has
 * more than 20 pages, keeps changing, or has a row with an unreadable key. A list of one page is certain at once, unless it
 * shows a record twice. A list of several pages is certain once all of them, read again in parallel, are unchanged: a
 * record can move from an unread page to one already read when an earlier record is removed and another is appended.
 */
export async function scanFor<T>(list: PagedList<T>, keys: readonly string[]): Promise<(T | null | Error)[]> {
  const found = new Map<string, T>();
  const rest = await search(list, keys, found).catch((error: Error) => error);
  return keys.map((key) => found.get(key) ?? rest);
}

/** Adds what it finds to `found`, and returns null if the list contains no other key. Throws the error of the others. */
async function search<T>(list: PagedList<T>, keys: readonly string[], found: Map<string, T>): Promise<null> {
  for (let reading = 1; reading <= MAX_READINGS; reading += 1) {
    const pages = await readUntilFound(list, keys, found, reading > 1);
    if (pages === null) break;
    if (isWhole(pages) && (await heldStill(list, pages))) return null;
  }
  throw new PagingError(
    'SCAN_LIMIT_REACHED',
    `The service cannot look up this record by id, and the first ${MAX_SCAN_PAGES} pages of its list do not show whether it exists.`,
  );
}

/**
 * Returns the rows of a list of at most 20 pages of 100, as they were at one time: a list of several pages, or with a record
 * twice, is read until two consecutive readings agree. `isKnown` recognises rows that agree with an earlier reading and need
 * no second one. Throws a PagingError `SCAN_LIMIT_REACHED` for a list that is longer or keeps changing.
 */
export async function readStill<T>(
  list: PagedList<T>,
  isKnown: (rows: readonly T[]) => boolean = () => false,
): Promise<T[]> {
  for (let reading = 1; reading <= MAX_READINGS; reading += 1) {
    const pages = await readPages(list, reading > 1, () => false);
    if (pages === null) break;
    const rows = pages.flatMap((page) => page.rows);
    if (rows.length > MAX_WHOLE_ROWS) break;
    // A record on two pages may stand in the place of another.
    if (!isWhole(pages) || (pages.length > 1 && hasDuplicates(rows.map((row) => list.keyOf(row))))) continue;
    if (isKnown(rows) || (await heldStill(list, pages))) return rows;
  }
  throw unread();
}

/** Reads a whole list of at most 20 pages, in its order. Throws a PagingError `SCAN_LIMIT_REACHED` for a longer one. */
export async function readWhole<T>(list: PagedList<T>): Promise<T[]> {
  const pages = await readPages(list, false, () => false);
  if (pages === null) throw unread();
  return pages.flatMap(({ rows }) => rows);
}

async function heldStill<T>(list: PagedList<T>, pages: readonly Page<T>[]): Promise<boolean> {
  const [first, another] = pages;
  if (first && another === undefined && !hasDuplicates(first.rows.map((row) => list.keyOf(row)))) return true;
  // Uses the returned size, so that the pages match even if another size was requested.
  const { max } = list.memory.sizes;
  const again = await Promise.all(
    pages.map(({ page, size }) => list.readPage(page, Math.min(size, max), true)),
  );
  return traceOf(list, again) === traceOf(list, pages);
}

/**
 * Returns all pages of a list; null if reading on is useless: all is found, or absence cannot be proven. Adds what it
 * finds to `found`; with `fresh`, what this operation read earlier is not used.
 */
async function readUntilFound<T>(
  list: PagedList<T>,
  keys: readonly string[],
  found: Map<string, T>,
  fresh: boolean,
): Promise<Page<T>[] | null> {
  let hasUnreadable = false;
  const pages = await readPages(list, fresh, ({ rows }) => {
    for (const row of rows) {
      const key = list.keyOf(row);
      hasUnreadable ||= key === null;
      if (key !== null && !found.has(key)) found.set(key, row);
    }
    return keys.every((key) => found.has(key));
  });
  return hasUnreadable ? null : pages;
}

/** Returns all pages of a list, read in order; null for a longer list, or once a page satisfied `isEnough`. */
async function readPages<T>(
  list: PagedList<T>,
  fresh: boolean,
  isEnough: (page: Page<T>) => boolean,
): Promise<Page<T>[] | null> {
  const size = Math.min(SCAN_PAGE_SIZE, list.memory.sizes.max);
  const pages: Page<T>[] = [];
  while (pages.length < MAX_SCAN_PAGES) {
    const answer = await list.readPage(pages.length + 1, size, fresh);
    list.memory.sizes = learn(list.memory.sizes, size, answer.size);
    pages.push(answer);
    if (isEnough(answer)) return null;
    if (pages.length * answer.size >= answer.total) return pages;
  }
  return null;
}

/** Whether the pages contain exactly as many records as each of them says that the list has. */
function isWhole<T>(pages: readonly Page<T>[]): boolean {
  const count = pages.reduce((sum, { rows }) => sum + rows.length, 0);
  return pages.every(({ total }) => total === count);
}

function traceOf<T>(list: PagedList<T>, pages: readonly Page<T>[]): string {
  return JSON.stringify(pages.map(({ total, rows }) => [total, ...rows.map((row) => list.keyOf(row))]));
}

function unread(): PagingError {
  return new PagingError(
    'SCAN_LIMIT_REACHED',
    `The whole list must be read, but it has more than ${MAX_SCAN_PAGES} pages or changed while it was read.`,
  );
}
