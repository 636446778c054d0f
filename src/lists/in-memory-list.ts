import { getOrInsertComputed } from '../remember.ts';
import type { Page } from '../sources/current/client.ts';
import type { Surface } from '../sources/errors.ts';
import { readable } from '../sources/view.ts';
import { fingerprintOf } from './cursor.ts';
import { fixedSize } from './pages.ts';
import type { PagedList, SizeMemory } from './reading.ts';

// Lists that the service returns whole and does not filter or sort: those of the legacy surface, the accounts of a
// group, and lists that are narrowed here.

/** More records than any list in memory has. */
const WHOLE_LIST = 2 ** 31 - 1;

/** The contents of a list in memory. */
export interface InMemoryRows<T> {
  readonly surface: Surface;
  readonly rows: () => readonly T[] | Promise<readonly T[]>;
  readonly keyOf: (row: T) => string | null;
}

/** A list in memory that can be paginated, consisting of one page. */
export class InMemoryList<T> implements PagedList<T> {
  readonly surface: Surface;
  readonly memory: SizeMemory = { sizes: fixedSize(WHOLE_LIST) };
  readonly #name: string;
  readonly #args: object;
  readonly #source: InMemoryRows<T>;
  #fingerprint: string | undefined;

  /** `name` and `args` distinguish this list from others in cursors. */
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

type Direction = 'ASC' | 'DESC';

/** A sort order of rows by one of their texts. */
export interface TextOrder<K extends string> {
  readonly name: K;
  readonly direction: Direction;
  readonly compare: (one: string, other: string) => number;
}

/** Rows with a text of this name. */
type Named<K extends string> = { readonly [P in K]: string | null };

// Made when a list is first sorted: loading the data of a language takes as long as a twentieth of the start.
let textOrder: Intl.Collator | undefined;

/**
 * Returns the rows whose text contains a substring, ignoring case; all rows if no substring is given. A text that cannot
 * be read fails the whole list with its error, so that no row is silently omitted.
 */
export function containsText<K extends string, T extends Named<K>>(
  rows: readonly T[],
  name: K,
  part: string | null | undefined,
): readonly T[] {
  if (part == null || part === '') return rows;
  const wanted = part.toLowerCase();
  return rows.filter((row) => row[name]?.toLowerCase().includes(wanted) === true);
}

/** Sorts by a text, in natural language order. */
export function byText<K extends string>(name: K, direction: Direction): TextOrder<K> {
  textOrder ??= new Intl.Collator('en', { sensitivity: 'base', numeric: true });
  return { name, direction, compare: textOrder.compare };
}

/** Sorts by an id, which is a number of any length. */
export function byNumber<K extends string>(name: K, direction: Direction): TextOrder<K> {
  return { name, direction, compare: compareNumbers };
}

function compareNumbers(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : Number(one > other));
}

const sortings = new WeakMap<readonly object[], Map<string, readonly object[]>>();

/**
 * Sorts a whole list, most significant order first: once, however many pages of it are shown. Without an order, its
 * sequence is kept.
 */
export function ordered<K extends string, T extends Named<K>>(
  rows: readonly T[],
  orders: readonly TextOrder<K>[],
): readonly T[] {
  // Comparing a text a second time decides nothing.
  const steps = orders.filter(
    ({ name }, index) => orders.findIndex((other) => other.name === name) === index,
  );
  const known = getOrInsertComputed(sortings, rows, () => new Map<string, readonly object[]>());
  const key = steps.map(({ name, direction }) => `${name} ${direction}`).join();
  return getOrInsertComputed(known, key, () => sortedBy(rows, steps)) as readonly T[];
}

function sortedBy<K extends string, T extends Named<K>>(
  rows: readonly T[],
  orders: readonly TextOrder<K>[],
): readonly T[] {
  const steps = orders.map(({ name, direction, compare }) => {
    // A row with a damaged text has a place in the order; the field itself reports the damage.
    const texts = new Map(rows.map((row) => [row, readable(() => row[name]) ?? '']));
    const textOf = (row: T): string => texts.get(row) ?? '';
    const sign = direction === 'DESC' ? -1 : 1;
    return (one: T, other: T): number => sign * compare(textOf(one), textOf(other));
  });
  return rows.toSorted((one, other) => {
    for (const step of steps) {
      const difference = step(one, other);
      if (difference !== 0) return difference;
    }
    return 0;
  });
}
