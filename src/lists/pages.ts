import type { PageRequest } from '../sources/current/client.ts';

/** A range of a list: from one index up to, but not including, another. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * The known page sizes of a list: sizes from `min` to `max` may be requested, and those up to `confirmed` are known to
 * be used as requested. A list without a size parameter has `fixed`.
 */
export interface PageSizes {
  readonly min: number;
  readonly max: number;
  readonly confirmed: number;
  readonly fixed: boolean;
}

/** Creates the sizes of a list whose page size can be chosen, up to `max`, before any response. */
export function choosableSizes(max: number): PageSizes {
  return { min: 1, max, confirmed: 0, fixed: false };
}

/** Creates the sizes of a list without a size parameter; `guess` is used until the first response. */
export function fixedSize(guess: number): PageSizes {
  return { min: 1, max: guess, confirmed: 0, fixed: true };
}

/** Returns what is known after a response had pages of `got` when `asked` was requested. */
export function learn(sizes: PageSizes, asked: number, got: number): PageSizes {
  // Written out because it runs for every page: a spread takes ten times as long.
  const { min, max, confirmed, fixed } = sizes;
  if (fixed || got < asked)
    return max === got && confirmed === got ? sizes : { min, max: got, confirmed: got, fixed };
  // Some services raise a small size. A size above the maximum teaches nothing, and is handled where it occurs.
  if (got > asked) return got <= max ? { min: got, max, confirmed, fixed } : sizes;
  return confirmed >= asked ? sizes : { min, max, confirmed: asked, fixed };
}

/** Returns the index range of a page; pages are numbered from 1. */
export function rangeOfPage({ page, size }: PageRequest): Range {
  return { from: (page - 1) * size, to: page * size };
}

/**
 * Returns the pages to read for a range, in order: as few as there can be if each shares a record with the one before,
 * and none larger than that takes. Pages of one size share none, so they come in different sizes. Where no size that may
 * be requested makes such a page, the next one only adjoins.
 */
export function pagesCovering({ from, to }: Range, sizes: PageSizes): PageRequest[] {
  if (to <= from) return [];
  let page = pageWith(from, to, sizes);
  const pages = [page];
  for (let end = endOf(page); end < to; end = endOf(page)) {
    const joined = pageWith(end - 1, to, sizes);
    page = endOf(joined) > end ? joined : pageWith(end, to, sizes);
    pages.push(page);
  }
  return pages;
}

/** Returns the page with this index that reaches the furthest, up to `to`, and of those the smallest. */
function pageWith(index: number, to: number, sizes: PageSizes): PageRequest {
  let page = pageOfSize(index, askableSize(1, sizes));
  for (let size = page.size + 1; size <= sizes.max && endOf(page) < to; size += 1) {
    const other = pageOfSize(index, size);
    if (endOf(other) > endOf(page)) page = other;
  }
  return page;
}

function endOf({ page, size }: PageRequest): number {
  return page * size;
}

/** Returns the page of one size that contains an index. */
export function pageOfSize(index: number, size: number): PageRequest {
  return { page: Math.floor(index / size) + 1, size };
}

/** Returns the nearest page size that may be requested. */
export function askableSize(size: number, sizes: PageSizes): number {
  return sizes.fixed ? sizes.max : Math.min(Math.max(size, sizes.min), sizes.max);
}

/** Whether one of the keys of rows occurs twice. */
export function hasDuplicates(keys: readonly (string | null)[]): boolean {
  const known = keys.filter((key) => key !== null);
  return new Set(known).size < known.length;
}
