import type { Page } from '../sources/current/client.ts';
import { SourceError, type Surface } from '../sources/errors.ts';
import { emptyBoard, findKey, uncovered, withPage, type Board, type KeyedRow } from './board.ts';
import { encodeCursor } from './cursor.ts';
import {
  askableSize,
  bestPageSize,
  learn,
  pagesCovering,
  rangeOfPage,
  type PageSizes,
  type Range,
} from './pages.ts';

/** What is known of a list's page sizes, shared by all who read it. */
export interface SizeMemory {
  sizes: PageSizes;
}

/** A list that is read page by page. */
export interface PagedList<T> {
  /** Binds cursors to the list and its arguments. */
  readonly fingerprint: string;
  readonly surface: Surface;
  readonly memory: SizeMemory;
  /** The record's own key, or null where it can't be read. */
  readonly keyOf: (row: T) => string | null;
  /** Reads a page, `fresh` when what this operation has read before must not be used. */
  readonly fetch: (page: number, size: number, fresh: boolean) => Promise<Page<T>>;
}

/** How often what is missing of a range is asked for, each time with what the last answer taught. */
const MAX_ROUNDS = 6;

/** How a list is read. */
export interface ReadingOptions {
  /** True when what this operation has read before must not be used. */
  readonly fresh: boolean;
  /** How long the list is thought to be until an answer tells, more than 0; null where nothing is known. */
  readonly expectedTotal: number | null;
}

/** One go at reading a list: what has been read so far, and how more is read. */
export class Reading<T> {
  private board: Board<T> = emptyBoard();
  private isChanged = false;
  /** The size of pages that the service uses whatever it is asked for, where that is larger than may be asked for. */
  private heedlessSize: number | null = null;
  private readonly list: PagedList<T>;
  private readonly options: ReadingOptions;

  constructor(list: PagedList<T>, options: ReadingOptions) {
    this.list = list;
    this.options = options;
  }

  get total(): number {
    return this.board.total ?? 0;
  }

  get sizes(): PageSizes {
    return this.list.memory.sizes;
  }

  clip({ from, to }: Range): Range {
    const start = Math.min(Math.max(from, 0), this.total);
    return { from: start, to: Math.max(start, Math.min(to, this.total)) };
  }

  rowAt(index: number): KeyedRow<T> | undefined {
    return this.board.rows.get(index);
  }

  indexOf(key: string): number | null {
    return findKey(this.board, key);
  }

  cursorAt(index: number): string {
    const key = this.rowAt(index)?.key ?? null;
    return encodeCursor({ position: index, key, total: this.total }, this.list.fingerprint);
  }

  /** True when the list changed while it was read: its length, or the record at a place that was read twice. */
  get isTorn(): boolean {
    return this.board.torn || this.isChanged;
  }

  /** All that was read, as text, when a record stands in it twice; else null. */
  doubledTrace(): string | null {
    const keys = [...this.board.rows].map(([index, { key }]) => [index, key] as const);
    const readable = keys.flatMap(([, key]) => key ?? []);
    return new Set(readable).size === readable.length ? null : JSON.stringify([this.total, keys]);
  }

  /** What is missing of a range. */
  gapIn({ from, to }: Range): Range {
    const gap = uncovered(this.board, { from: Math.max(from, 0), to: Math.max(to, 0) });
    const { expectedTotal } = this.options;
    if (this.board.total !== null || expectedTotal === null) return gap;
    return { from: gap.from, to: Math.min(gap.to, expectedTotal) };
  }

  /** Reads what is missing of a range, by pages of `size` or of the best size. */
  async cover(range: Range, size?: number): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const gap = this.gapIn(range);
      if (gap.to <= gap.from) return;
      const asked = this.heedlessSize ?? askableSize(size ?? bestPageSize(gap, this.sizes), this.sizes);
      const pages = pagesCovering(gap, asked);
      // Until a size has come back as asked and the end is known, one page is a probe: the service may use another size,
      // and the list may end before the next page.
      const isSizeKnown = this.heedlessSize !== null || asked <= this.sizes.confirmed;
      const isProbe = !isSizeKnown || (this.board.total ?? this.options.expectedTotal) === null;
      const batch = isProbe ? pages.slice(0, 1) : pages;
      const answers = await Promise.all(batch.map((page) => this.fetch(page, asked)));
      for (const answer of answers) this.take(answer, asked);
    }
    // A list that grows from call to call is never covered either; it is read anew.
    if (this.isTorn) return;
    throw new SourceError(
      'malformed',
      this.list.surface,
      'the pages of a list never cover what was asked for',
    );
  }

  private take(answer: Page<T>, asked: number): void {
    const isHeedless = !this.sizes.fixed && answer.size > this.sizes.max;
    // It may have been that one answer: the next in a size that may be asked for ends it.
    this.heedlessSize = isHeedless ? answer.size : null;
    if (!isHeedless) this.list.memory.sizes = learn(this.sizes, asked, answer.size);
    const { from } = rangeOfPage(answer.page, answer.size);
    const rows = answer.rows.map((row) => ({ row, key: this.list.keyOf(row) }));
    for (const [offset, { key }] of rows.entries()) {
      const known = this.rowAt(from + offset);
      if (known !== undefined && known.key !== key) this.isChanged = true;
    }
    this.board = withPage(this.board, { ...answer, rows });
  }

  private async fetch(page: number, size: number): Promise<Page<T>> {
    try {
      return await this.list.fetch(page, Math.min(size, this.sizes.max), this.options.fresh);
    } catch (error) {
      if (!(error instanceof SourceError) || page === 1 || !isAnswered(error)) throw error;
      return await this.firstIfBeyondTheEnd(page, size, error);
    }
  }

  private async firstIfBeyondTheEnd(page: number, size: number, refusal: SourceError): Promise<Page<T>> {
    const first = await this.list.fetch(1, size, this.options.fresh);
    if ((page - 1) * first.size >= first.total) return first;
    if (this.options.fresh) throw refusal;
    // What this operation read before may be from a time when the list was longer.
    const now = await this.list.fetch(1, size, true);
    if ((page - 1) * now.size >= now.total) return now;
    throw refusal;
  }
}

// The service documents no answer to a page beyond the end, so any failure that it answers may be one.
function isAnswered({ kind, details }: SourceError): boolean {
  return kind === 'rejected' || (kind === 'unavailable' && details.status !== undefined);
}
