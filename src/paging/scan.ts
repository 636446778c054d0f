import { PagingError } from './errors.ts';
import type { PagedList } from './read.ts';

/** Most pages that a look-up by key reads. */
export const MAX_SCAN_PAGES = 20;
const SCAN_PAGE_SIZE = 100;
const MAX_ATTEMPTS = 2;

/**
 * Looks records up by key in a list that has no look-up of its own, page by page until all are found.
 *
 * Gives for each key, in order, its row; null, when the whole list was read and does not hold it; or a PagingError
 * `SCAN_LIMIT_REACHED`, when neither is certain: the list is longer than 20 pages, or would not hold still.
 */
export async function scanFor<T>(
  list: PagedList<T>,
  keys: readonly string[],
): Promise<(T | null | PagingError)[]> {
  for (let attempt = 1; ; attempt += 1) {
    const { found, isWhole } = await readUntilFound(list, keys, attempt > 1);
    if (isWhole || attempt === MAX_ATTEMPTS || keys.every((key) => found.has(key))) {
      return keys.map((key) => found.get(key) ?? (isWhole ? null : undecided()));
    }
  }
}

interface Scan<T> {
  readonly found: ReadonlyMap<string, T>;
  /** True when every record of the list was seen, and the list did not change meanwhile. */
  readonly isWhole: boolean;
}

async function readUntilFound<T>(
  list: PagedList<T>,
  keys: readonly string[],
  fresh: boolean,
): Promise<Scan<T>> {
  const found = new Map<string, T>();
  const size = Math.min(SCAN_PAGE_SIZE, list.memory.sizes.max);
  let rowCount = 0;
  let firstTotal: number | undefined;
  for (let page = 1; page <= MAX_SCAN_PAGES; page += 1) {
    const answer = await list.fetch(page, size, fresh);
    firstTotal ??= answer.total;
    for (const row of answer.rows) {
      const key = list.keyOf(row);
      if (key !== null && !found.has(key)) found.set(key, row);
    }
    rowCount += answer.rows.length;
    if (keys.every((key) => found.has(key))) return { found, isWhole: false };
    if (page * answer.size >= answer.total) {
      const isWhole = firstTotal === answer.total && rowCount === answer.total && found.size === answer.total;
      return { found, isWhole };
    }
  }
  return { found, isWhole: false };
}

function undecided(): PagingError {
  return new PagingError(
    'SCAN_LIMIT_REACHED',
    `The service has no look-up by id here, and ${MAX_SCAN_PAGES} pages of its list did not settle whether the record exists.`,
  );
}
