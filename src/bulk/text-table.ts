import { cutText } from '../cut-text.ts';

/** A column of a table for people. */
export interface TextColumn<T> {
  readonly title: string;
  /** The most characters of it that are shown. */
  readonly most: number;
  readonly cell: (row: T) => string;
}

/** Rows as lines of text, their columns one below the other, with two spaces between. */
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

// What a post says must not move the cursor of somebody's terminal, or turn the direction of its text around.
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** A text without line breaks and other controls. */
export function inOneLine(text: string): string {
  return text.replaceAll(CONTROLS, ' ').replaceAll(/ {2,}/g, ' ').trim();
}

const lengthOf = (text: string): number => text.match(/[^]/gu)?.length ?? 0;
