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
export function rangeOfPage(page: number, size: number): Range {
  return { from: (page - 1) * size, to: page * size };
}

/** Returns the numbers of the pages of one size that together cover a range; none for an empty one. */
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
 * Returns the page size with which the fewest pages cover a range, and of those the smallest, so that no more is read
 * than the fewest calls need.
 */
export function bestPageSize(range: Range, sizes: PageSizes): number {
  const length = Math.max(range.to - range.from, 1);
  const fewest = Math.ceil(length / sizes.max);
  // Pages of the largest size need at most one page more than that; smaller sizes than these always need more.
  const smallest = askableSize(Math.ceil(length / (fewest + 1)), sizes);
  let best = smallest;
  for (let size = smallest; size <= sizes.max; size += 1) {
    const pages = countPages(range, size);
    if (pages < countPages(range, best)) best = size;
    if (pages <= fewest) break;
  }
  return best;
}

/** Returns the nearest page size that may be requested. */
export function askableSize(size: number, sizes: PageSizes): number {
  return sizes.fixed ? sizes.max : Math.min(Math.max(size, sizes.min), sizes.max);
}
