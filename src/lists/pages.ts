/** A stretch of a list: from one index up to, not including, another. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * What is known of the page sizes of a list: sizes from `min` to `max` may be asked for, and those up to `confirmed` are
 * known to come back as asked. A list that takes no size has `fixed`.
 */
export interface PageSizes {
  readonly min: number;
  readonly max: number;
  readonly confirmed: number;
  readonly fixed: boolean;
}

/** A list whose page size can be chosen, up to `max`; nothing learned yet. */
export function choosableSizes(max: number): PageSizes {
  return { min: 1, max, confirmed: 0, fixed: false };
}

/** A list that takes no page size; `guess` serves until an answer tells. */
export function fixedSize(guess: number): PageSizes {
  return { min: 1, max: guess, confirmed: 0, fixed: true };
}

/** What is known after an answer had pages of `got` when `asked` was asked for. */
export function learn(sizes: PageSizes, asked: number, got: number): PageSizes {
  if (sizes.fixed) return { ...sizes, max: got, confirmed: got };
  if (got < asked) return { ...sizes, max: got, confirmed: got };
  // Some services raise a small size. One beyond what may be asked for teaches nothing: a reading that meets it makes
  // do with it.
  if (got > asked && got <= sizes.max) return { ...sizes, min: got };
  if (got > asked) return sizes;
  return sizes.confirmed >= asked ? sizes : { ...sizes, confirmed: asked };
}

/** Index range of a page, whose number counts from 1. */
export function rangeOfPage(page: number, size: number): Range {
  return { from: (page - 1) * size, to: page * size };
}

/** Numbers of the pages of one size that together cover a range; none for an empty one. */
export function pagesCovering(range: Range, size: number): number[] {
  const first = Math.floor(range.from / size) + 1;
  const pages: number[] = [];
  for (let left = countPages(range, size); left > 0; left -= 1) pages.push(first + pages.length);
  return pages;
}

function countPages({ from, to }: Range, size: number): number {
  return to <= from ? 0 : Math.floor((to - 1) / size) - Math.floor(from / size) + 1;
}

/**
 * The page size with which the fewest pages cover a range, and of those the smallest, so that no more is read than the
 * fewest calls need.
 */
export function bestPageSize(range: Range, sizes: PageSizes): number {
  const length = Math.max(range.to - range.from, 1);
  const fewest = Math.ceil(length / sizes.max);
  // Pages of the largest size never need more than one page beyond that; smaller sizes than these always would.
  const smallest = askableSize(Math.ceil(length / (fewest + 1)), sizes);
  let best = smallest;
  for (let size = smallest; size <= sizes.max; size += 1) {
    const pages = countPages(range, size);
    if (pages < countPages(range, best)) best = size;
    if (pages <= fewest) break;
  }
  return best;
}

/** The size nearest to this one that may be asked for. */
export function askableSize(size: number, sizes: PageSizes): number {
  return sizes.fixed ? sizes.max : Math.min(Math.max(size, sizes.min), sizes.max);
}
