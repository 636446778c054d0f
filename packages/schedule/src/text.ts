/** Cuts a text to a maximum length, ending it with an ellipsis and without splitting a surrogate pair. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

const MAX_QUOTED = 60;

/** Quotes a value for a message. */
export const quoted = (value: string): string => JSON.stringify(cutText(value, MAX_QUOTED));

// The text of a post must not move the cursor of a terminal or reverse its text direction.
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Replaces line breaks and other control characters of a text with spaces. */
export function inOneLine(text: string): string {
  return text.replaceAll(CONTROLS, ' ').replaceAll(/ {2,}/g, ' ').trim();
}

/** Counts something in words. */
export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** A column of a plain text table. */
export interface TextColumn<T> {
  readonly title: string;
  /** Maximum number of characters shown. */
  readonly most: number;
  readonly cell: (row: T) => string;
}

/** Formats rows as lines of text with aligned columns, separated by two spaces. */
export function textTable<T>(columns: readonly TextColumn<T>[], rows: readonly T[]): string[] {
  const table = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ cell, most }) => cutText(inOneLine(cell(row)), most))),
  ];
  const widths = columns.map((_, index) => Math.max(...table.map((cells) => lengthOf(cells[index] ?? ''))));
  return table.map((cells) =>
    cells
      .map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - lengthOf(cell)))
      .join('  ')
      .trimEnd(),
  );
}

const lengthOf = (text: string): number => text.match(/[^]/gu)?.length ?? 0;
