import type { Quirks } from '../quirks.ts';
import { badParameter } from '../refusal.ts';
import { positiveInteger } from './parameters.ts';
import type { Query } from './parameters.ts';

/** One page of records, before serialisation. */
export interface Page<T> {
  readonly currentPage: number;
  readonly pageLimit: number;
  readonly totalRecords: number;
  readonly totalPages: number;
  readonly records: readonly T[];
}

/** Returns the page requested by `page` and `limit`. */
export function takePage<T>(records: readonly T[], query: Query, quirks: Quirks): Page<T> {
  const page = positiveInteger(query, 'page', 1);
  const asked = positiveInteger(query, 'limit', 10);
  if (quirks.maxLimit !== null && asked > quirks.maxLimit && quirks.overLimit === 'error') {
    throw badParameter('limit', `must not exceed ${quirks.maxLimit}.`);
  }
  return cutPage(records, { page, name: 'page', size: Math.min(asked, quirks.maxLimit ?? asked) }, quirks);
}

/** Returns a page of a given size; `name` is the parameter that gave its number. */
export function cutPage<T>(
  records: readonly T[],
  { page, name, size }: { readonly page: number; readonly name: string; readonly size: number },
  quirks: Quirks,
): Page<T> {
  const totalPages = Math.max(
    Math.ceil(records.length / size),
    records.length === 0 ? quirks.totalPagesOfEmptyList : 0,
  );
  const last = Math.max(1, totalPages);
  const beyond = page > last;
  if (beyond && quirks.beyondLastPage === 'error') throw badParameter(name, `must not exceed ${last}.`);
  const shown = beyond && quirks.beyondLastPage !== 'empty' ? last : page;
  return {
    currentPage: quirks.beyondLastPage === 'repeat-last' ? page : shown,
    pageLimit: size,
    totalRecords: records.length,
    totalPages,
    records: records.slice((shown - 1) * size, shown * size),
  };
}

/** Returns the `response` of a list call. */
export function listResponse<T>(page: Page<T>, encode: (record: T) => unknown) {
  const { records, ...totals } = page;
  return { ...totals, list: records.map(encode) };
}
