import type { Page } from '../sources/current/client.ts';
import type { Surface } from '../sources/errors.ts';
import { readable } from '../sources/view.ts';
import { fingerprintOf } from './cursor.ts';
import { fixedSize } from './pages.ts';
import type { PagedList, SizeMemory } from './reading.ts';

// Lists that the service sends whole and does not filter or order: those of the legacy surface, and the accounts of a
// group.

/** More records than any list in memory has. */
const WHOLE_LIST = 2 ** 31 - 1;

/** What a list in memory consists of. */
export interface InMemoryRows<T> {
  readonly surface: Surface;
  readonly rows: () => readonly T[] | Promise<readonly T[]>;
  readonly keyOf: (row: T) => string | null;
}

/** A list in memory that can be read by windows, as one page. */
export class InMemoryList<T> implements PagedList<T> {
  readonly surface: Surface;
  readonly memory: SizeMemory = { sizes: fixedSize(WHOLE_LIST) };
  readonly #name: string;
  readonly #args: object;
  readonly #source: InMemoryRows<T>;
  #fingerprint: string | undefined;

  /** `name` and `args` tell this list from others in cursors. */
  constructor(name: string, args: object, source: InMemoryRows<T>) {
    this.surface = source.surface;
    this.#name = name;
    this.#args = args;
    this.#source = source;
  }

  get fingerprint(): string {
    return (this.#fingerprint ??= fingerprintOf(this.#name, this.#args));
  }

  keyOf(row: T): string | null {
    return readable(() => this.#source.keyOf(row));
  }

  async readPage(): Promise<Page<T>> {
    const rows = await this.#source.rows();
    return { page: 1, size: Math.max(rows.length, 1), total: rows.length, rows };
  }
}

/** A comparison of two rows. */
type Compare<T> = (one: T, other: T) => number;
type Direction = 'ASC' | 'DESC';

const TEXT_ORDER = new Intl.Collator('en', { sensitivity: 'base', numeric: true });

/** The rows whose text contains a part, in any case; all of them if no part is given. */
export function containsText<K extends string, T extends { readonly [P in K]: string | null }>(
  rows: readonly T[],
  name: K,
  part: string | null | undefined,
): readonly T[] {
  if (part == null || part === '') return rows;
  const wanted = part.toLowerCase();
  return rows.filter((row) => textOf(row, name).toLowerCase().includes(wanted));
}

/** Orders by a text, the way a person would. */
export function byText<K extends string>(name: K, direction: Direction) {
  return inDirection<{ readonly [P in K]: string | null }>(direction, (one, other) =>
    TEXT_ORDER.compare(textOf(one, name), textOf(other, name)),
  );
}

/** Orders by an id, which is a number of any length. */
export function byNumber<K extends string>(name: K, direction: Direction) {
  return inDirection<{ readonly [P in K]: string | null }>(direction, (one, other) => {
    const [a, b] = [textOf(one, name), textOf(other, name)];
    return a.length - b.length || (a < b ? -1 : Number(a > b));
  });
}

/** The rows in order, most significant comparison first; in their own order if there is none. */
export function ordered<T>(rows: readonly T[], comparisons: readonly Compare<T>[]): readonly T[] {
  return rows.toSorted((one, other) => {
    for (const compare of comparisons) {
      const order = compare(one, other);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function inDirection<T>(direction: Direction, compare: Compare<T>): Compare<T> {
  return direction === 'ASC' ? compare : (one, other) => compare(other, one);
}

// A row whose text is damaged stays in the list; the field itself reports the damage.
function textOf<K extends string>(row: { readonly [P in K]: string | null }, name: K): string {
  try {
    return row[name] ?? '';
  } catch {
    return '';
  }
}
