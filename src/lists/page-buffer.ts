import type { Page } from '../sources/current/client.ts';
import { rangeOfPage, type Range } from './pages.ts';

/** A record in the buffer. */
export interface BufferEntry<T> {
  readonly index: number;
  readonly row: T;
  readonly key: string | null;
}

/** A page in the buffer, with its position in the list and the keys of its records. */
interface BufferedPage<T> extends Range {
  readonly rows: readonly T[];
  readonly keys: readonly (string | null)[];
}

/** The records of one list that have been read, from pages of any size. */
export class PageBuffer<T> {
  /** Length of the list according to the last page; null before the first. */
  total: number | null = null;
  /** True if pages disagree about the length or about the record at an index: the list changed between them. */
  isInconsistent = false;
  readonly #keyOf: (row: T) => string | null;
  readonly #pages: BufferedPage<T>[] = [];
  readonly #places = new Map<string, number>();
  #hasDuplicates = false;

  constructor(keyOf: (row: T) => string | null) {
    this.#keyOf = keyOf;
  }

  /** Adds a page. Rows beyond the list's length repeat its last page, and are omitted. */
  add(page: Page<T>): void {
    const { total, rows: received } = page;
    const { from, to } = rangeOfPage(page);
    const rows = from + received.length > total ? received.slice(0, Math.max(total - from, 0)) : received;
    const keys = rows.map((row) => this.#keyOf(row));
    if (this.total !== null && this.total !== total) this.isInconsistent = true;
    for (let offset = 0; offset < rows.length; offset += 1) this.#note(from + offset, keys[offset] ?? null);
    this.total = total;
    this.#pages.unshift({ from, to, rows, keys });
  }

  #note(index: number, key: string | null): void {
    const earlier = this.#pageWith(index);
    if (earlier !== undefined) this.#compare(earlier.keys[index - earlier.from] ?? null, key);
    if (key === null) return;
    const place = this.#places.get(key);
    if (place === undefined) this.#places.set(key, index);
    else if (place !== index) this.#hasDuplicates = true;
  }

  #compare(earlier: string | null, key: string | null): void {
    if (earlier === key) return;
    this.isInconsistent = true;
    if (earlier !== null) this.#places.delete(earlier);
  }

  /** Returns the records read within a range, with their indexes; pages may leave gaps. */
  entries({ from, to }: Range): BufferEntry<T>[] {
    const entries: BufferEntry<T>[] = [];
    for (let index = from; index < to; index += 1) {
      const page = this.#pageWith(index);
      const row = page?.rows[index - page.from];
      if (page && row !== undefined) entries.push({ index, row, key: page.keys[index - page.from] ?? null });
    }
    return entries;
  }

  /** Returns the key of the record at an index; null if it was not read or has no readable key. */
  keyAt(index: number): string | null {
    const page = this.#pageWith(index);
    return page?.keys[index - page.from] ?? null;
  }

  /** Returns the index of the record with this key, or null. */
  indexOf(key: string): number | null {
    return this.#places.get(key) ?? null;
  }

  /** Returns the smallest range that contains all uncovered indexes of the wanted range; may be empty. */
  uncovered(wanted: Range): Range {
    let from = Math.max(wanted.from, 0);
    let to = Math.max(Math.min(wanted.to, this.total ?? Infinity), 0);
    for (let page = this.#covering(from); page && from < to; page = this.#covering(from)) from = page.to;
    for (let page = this.#covering(to - 1); page && from < to; page = this.#covering(to - 1)) to = page.from;
    return { from, to: Math.max(from, to) };
  }

  /** Returns the indexes within a covered range at which a page begins that shares no record with the one before. */
  bordersIn({ from, to }: Range): number[] {
    const borders: number[] = [];
    for (let page = this.#covering(from); page && page.to < to;) {
      const end = page.to;
      page = this.#pages.find((other) => other.from < end && end < other.to) ?? this.#covering(end);
      if (page?.from === end) borders.push(end);
    }
    return borders;
  }

  /** Returns all keys by index, as text, if a record occurs twice; null otherwise. */
  duplicateSnapshot(): string | null {
    if (!this.#hasDuplicates) return null;
    const places = new Map<number, string | null>();
    for (const { from, keys } of this.#pages) {
      for (const [offset, key] of keys.entries())
        if (!places.has(from + offset)) places.set(from + offset, key);
    }
    return JSON.stringify([this.total, [...places].toSorted(([one], [other]) => one - other)]);
  }

  #covering(index: number): BufferedPage<T> | undefined {
    return this.#pages.find(({ from, to }) => from <= index && index < to);
  }

  // The latest page is first.
  #pageWith(index: number): BufferedPage<T> | undefined {
    return this.#pages.find(({ from, rows }) => from <= index && index < from + rows.length);
  }
}
