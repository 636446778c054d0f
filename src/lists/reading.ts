import type { Page, PageRequest } from '../sources/current/client.ts';
import { SourceError, type Surface } from '../sources/errors.ts';
import { PageBuffer } from './page-buffer.ts';
import {
  askableSize,
  learn,
  pageOfSize,
  pagesCovering,
  rangeOfPage,
  type PageSizes,
  type Range,
} from './pages.ts';

/** The known page sizes of a list, shared by all operations of one caller. */
export interface SizeMemory {
  sizes: PageSizes;
}

/** A list that is read page by page. */
export interface PagedList<T> {
  /** Binds cursors to the list and its arguments. */
  readonly fingerprint: string;
  readonly surface: Surface;
  readonly memory: SizeMemory;
  /** The record's own key, or null if it cannot be read. */
  readonly keyOf: (row: T) => string | null;
  /** Reads a page; with `fresh`, pages that this operation read earlier are not used. */
  readonly readPage: (page: number, size: number, fresh: boolean) => Promise<Page<T>>;
}

/** How often the rest of a range is requested, each time with what the last page revealed. */
const MAX_ROUNDS = 6;

/** How a list is read. */
export interface ReadingOptions {
  /** True if pages that this operation read earlier must not be used. */
  readonly fresh: boolean;
  /** The likely length of the list before the first page, more than 0; null if unknown. */
  readonly expectedTotal: number | null;
}

/** One attempt at reading part of a list: what has been read so far, and how the rest is read. */
export class Reading<T> {
  readonly buffer: PageBuffer<T>;
  /** The page size that the service always uses, if it is larger than may be requested. */
  #serverPageSize: number | null = null;
  readonly #list: PagedList<T>;
  readonly #options: ReadingOptions;

  constructor(list: PagedList<T>, options: ReadingOptions) {
    this.buffer = new PageBuffer((row) => list.keyOf(row));
    this.#list = list;
    this.#options = options;
  }

  get total(): number {
    return this.buffer.total ?? 0;
  }

  get sizes(): PageSizes {
    return this.#list.memory.sizes;
  }

  clip({ from, to }: Range): Range {
    const start = Math.min(Math.max(from, 0), this.total);
    return { from: start, to: Math.max(start, Math.min(to, this.total)) };
  }

  /** Returns the part of a range that has not been read. */
  gapIn(range: Range): Range {
    const { from, to } = this.buffer.uncovered(range);
    const { expectedTotal } = this.#options;
    return { from, to: this.buffer.total === null ? Math.min(to, expectedTotal ?? Infinity) : to };
  }

  /**
   * Reads the missing part of a range. Without a `size`, its pages then overlap where their sizes allow it: a list that
   * loses as many records in front as it gains at its end keeps its length, so that only a record which two calls return
   * shows whether it shifted between them.
   */
  async cover(range: Range, size?: number): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const gap = this.gapIn(range);
      if (gap.to <= gap.from) return size === undefined ? await this.#join(range) : undefined;
      await this.#read(this.#plan(gap, range, size));
    }
    // A list that grows with every call is never covered either, and is read again.
    if (this.buffer.isInconsistent) return;
    throw new SourceError(
      'malformed',
      this.#list.surface,
      'the pages of the list do not cover the requested range',
    );
  }

  #plan(gap: Range, { from, to }: Range, size?: number): PageRequest[] {
    const sizes = this.#askable;
    if (size !== undefined) return [pageOfSize(gap.from, askableSize(size, sizes))];
    // One more record at each end is in what has been read of the range already.
    const joined = {
      from: Math.max(gap.from - 1, from, 0),
      to: Math.max(gap.to, Math.min(gap.to + 1, to, this.total)),
    };
    const pages = pagesCovering(joined, sizes).filter((page) => overlap(rangeOfPage(page), gap));
    // Until the length is known, one page is a probe: the list may end before the next.
    if ((this.buffer.total ?? this.#options.expectedTotal) === null) return pages.slice(0, 1);
    // So is the largest until its size is confirmed: the service may use another.
    const [probe = { page: 1, size: 0 }] = pages.toSorted((one, other) => other.size - one.size);
    return probe.size > sizes.confirmed ? [probe] : pages;
  }

  /** Reads a page across each border between two pages that share no record, as after a search. */
  async #join(range: Range): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const known = this.sizes;
      const borders = this.buffer
        .bordersIn(this.clip(range))
        .map((index) => ({ from: index - 1, to: index + 1 }));
      const pages = borders.map((border) => pagesCovering(border, this.#askable));
      await this.#read(pages.filter(({ length }) => length === 1).flat());
      // A page of another size than requested does not lie across the border.
      if (this.sizes === known) return;
    }
  }

  async #read(planned: readonly PageRequest[]): Promise<void> {
    const pages = await Promise.all(planned.map((page) => this.#request(page)));
    for (const [index, page] of pages.entries()) this.take(page, planned[index]?.size ?? page.size);
  }

  /** The page sizes that may be requested. */
  get #askable(): PageSizes {
    const size = this.#serverPageSize;
    return size === null ? this.sizes : { min: size, max: size, confirmed: size, fixed: true };
  }

  /** Adds a page that was requested with this size, and learns from it. */
  take(page: Page<T>, asked: number): void {
    const isTooLarge = !this.sizes.fixed && page.size > this.sizes.max;
    // This may have been a single irregular page: the next one of a valid size resets it.
    this.#serverPageSize = isTooLarge ? page.size : null;
    this.#list.memory.sizes = learn(this.sizes, asked, page.size);
    this.buffer.add(page);
  }

  async #request({ page, size }: PageRequest): Promise<Page<T>> {
    const asked = Math.min(size, this.sizes.max);
    try {
      return await this.#list.readPage(page, asked, this.#options.fresh);
    } catch (error) {
      if (!(error instanceof SourceError) || page === 1 || !isAnswered(error)) throw error;
      return await this.#firstIfBeyondTheEnd(page, asked, error);
    }
  }

  async #firstIfBeyondTheEnd(page: number, size: number, refusal: SourceError): Promise<Page<T>> {
    const first = await this.#list.readPage(1, size, this.#options.fresh);
    if ((page - 1) * first.size >= first.total) return first;
    if (this.#options.fresh) throw refusal;
    // Pages that this operation read earlier may be from when the list was longer.
    const now = await this.#list.readPage(1, size, true);
    if ((page - 1) * now.size >= now.total) return now;
    throw refusal;
  }
}

function overlap(one: Range, other: Range): boolean {
  return one.from < other.to && other.from < one.to;
}

// The response to a page beyond the end is undocumented, so any failure that the service sends may mean that.
function isAnswered({ kind, details }: SourceError): boolean {
  return kind === 'rejected' || (kind === 'unavailable' && details.status !== undefined);
}
