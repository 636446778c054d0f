import { cutText } from '../cut-text.ts';

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

// The text of a post must not move the cursor of a terminal or reverse its text direction.
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Replaces line breaks and other control characters of a text with spaces. */
export function inOneLine(text: string): string {
  return text.replaceAll(CONTROLS, ' ').replaceAll(/ {2,}/g, ' ').trim();
}

const lengthOf = (text: string): number => text.match(/[^]/gu)?.length ?? 0;
