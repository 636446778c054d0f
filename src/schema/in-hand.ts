// The legacy surface filters and orders nothing by itself; its lists come whole, and are narrowed here.

/** A comparison of two rows. */
type Compare<T> = (one: T, other: T) => number;
type Direction = 'ASC' | 'DESC';

const TEXT_ORDER = new Intl.Collator('en', { sensitivity: 'base', numeric: true });

/** The rows whose text holds a part, whatever its case; all of them when no part is given. */
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

/** Orders by an id that is a number of any length. */
export function byNumber<K extends string>(name: K, direction: Direction) {
  return inDirection<{ readonly [P in K]: string | null }>(direction, (one, other) => {
    const [a, b] = [textOf(one, name), textOf(other, name)];
    return a.length - b.length || (a < b ? -1 : Number(a > b));
  });
}

/** The rows in order, most significant comparison first; unchanged when there is none. */
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

// A row whose text can't be read keeps its place in the list; the field itself says what is wrong with it.
function textOf<K extends string>(row: { readonly [P in K]: string | null }, name: K): string {
  try {
    return row[name] ?? '';
  } catch {
    return '';
  }
}
