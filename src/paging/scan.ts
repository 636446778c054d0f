import type { Page } from '../sources/current/client.ts';
import { PagingError } from './errors.ts';
import { learn } from './pages.ts';
import type { PagedList } from './read.ts';

/** Most pages that one reading of a list takes in a look-up by key. */
export const MAX_SCAN_PAGES = 20;
const SCAN_PAGE_SIZE = 100;
/** How often a list that would not hold still is read. */
const MAX_READINGS = 3;

/**
 * Looks records up by key in a list that has no look-up of its own, page by page until all are found.
 *
 * Gives for each key, in order, its row; null, when the list certainly does not hold it; or a PagingError
 * `SCAN_LIMIT_REACHED`, when neither is certain: the list is longer than 20 pages, would not hold still, or has a row
 * whose key can't be read. A list of several pages is certain when its first page is the same at the end as at the
 * beginning: a record that slips from a page yet to be read to one that has been does so because others before it went.
 */
export async function scanFor<T>(
  list: PagedList<T>,
  keys: readonly string[],
): Promise<(T | null | PagingError)[]> {
  const found = new Map<string, T>();
  for (let reading = 1; reading <= MAX_READINGS; reading += 1) {
    const pages = await readUntilFound(list, { keys, found, fresh: reading > 1 });
    if (pages === null) break;
    if (isWhole(pages) && (await heldStill(list, pages))) return keys.map((key) => found.get(key) ?? null);
  }
  return keys.map((key) => found.get(key) ?? undecided());
}

/** The whole of a list of at most 20 pages, in its order. Throws a PagingError `SCAN_LIMIT_REACHED` for a longer one. */
export async function readWhole<T>(list: PagedList<T>): Promise<T[]> {
  const size = Math.min(SCAN_PAGE_SIZE, list.memory.sizes.max);
  const rows: T[] = [];
  for (let page = 1; page <= MAX_SCAN_PAGES; page += 1) {
    const answer = await list.fetch(page, size, false);
    list.memory.sizes = learn(list.memory.sizes, size, answer.size);
    rows.push(...answer.rows);
    if (page * answer.size >= answer.total) return rows;
  }
  throw undecided();
}

async function heldStill<T>(list: PagedList<T>, pages: readonly Page<T>[]): Promise<boolean> {
  const [first] = pages;
  if (!first || pages.length === 1) return true;
  const again = await list.fetch(1, first.size, true);
  return traceOf(list, [again]) === traceOf(list, [first]);
}

interface Wanted<T> {
  readonly keys: readonly string[];
  /** Takes what is found. */
  readonly found: Map<string, T>;
  /** True when what this operation has read before must not be used. */
  readonly fresh: boolean;
}

/** All pages of a list; null when reading on is useless: all is found, or absence can't be proven. */
async function readUntilFound<T>(
  list: PagedList<T>,
  { keys, found, fresh }: Wanted<T>,
): Promise<Page<T>[] | null> {
  const size = Math.min(SCAN_PAGE_SIZE, list.memory.sizes.max);
  const pages: Page<T>[] = [];
  let hasUnreadable = false;
  while (pages.length < MAX_SCAN_PAGES) {
    const answer = await list.fetch(pages.length + 1, size, fresh);
    list.memory.sizes = learn(list.memory.sizes, size, answer.size);
    pages.push(answer);
    for (const row of answer.rows) {
      const key = list.keyOf(row);
      hasUnreadable ||= key === null;
      if (key !== null && !found.has(key)) found.set(key, row);
    }
    if (keys.every((key) => found.has(key))) return null;
    if (pages.length * answer.size >= answer.total) return hasUnreadable ? null : pages;
  }
  return null;
}

/** True when the pages hold as many records as each of them says that the list has. */
function isWhole<T>(pages: readonly Page<T>[]): boolean {
  const count = pages.reduce((sum, { rows }) => sum + rows.length, 0);
  return pages.every(({ total }) => total === count);
}

function traceOf<T>(list: PagedList<T>, pages: readonly Page<T>[]): string {
  return JSON.stringify(pages.map(({ total, rows }) => [total, ...rows.map((row) => list.keyOf(row))]));
}

function undecided(): PagingError {
  return new PagingError(
    'SCAN_LIMIT_REACHED',
    `The service has no look-up by id here, and ${MAX_SCAN_PAGES} pages of its list did not settle whether the record exists.`,
  );
}
