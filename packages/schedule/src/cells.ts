/** What spreadsheet programs and exports write into a cell instead of its value, and what to do about it. */
const DAMAGE: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:#[\p{Lu}¿\d/_]+[!?]|#\p{Lu}\/\p{Lu}|#NV|#GETTING_DATA|Err:\d{3})$/u,
    'The cell contains a spreadsheet error instead of a value. Correct the formula.',
  ],
  [
    /^#{3,}$/,
    'The cell contains only # signs because the column was too narrow. Widen it and save the file again.',
  ],
  [
    /^=(?:"|[\p{L}._]+\(|\$?[A-Z]{1,3}\$?\d)/u,
    'The cell contains a formula. Save the file with values instead of formulas.',
  ],
  [
    /^'[=+\-@]/,
    'The cell begins with the apostrophe that marks text in a spreadsheet. Delete it, or write ’ instead.',
  ],
  [
    /^(?:NULL|null|\(null\)|\\N)$/,
    'The cell contains a database placeholder for an empty value. Leave the cell empty.',
  ],
  [
    /^\d[.,]\d+E\+\d+$/i,
    'The cell contains a number that the spreadsheet program shortened. Format the column as text.',
  ],
  [/\uFFFD/, 'Some characters of the cell were lost (�). Save the file again as CSV in UTF-8.'],
  [/_x000[\dA-F]_/i, 'The cell contains a code such as _x000D_ instead of a line break. Correct the text.'],
];

/** Explains what is wrong with a cell that does not hold what its author wrote; null if it seems to. */
export function damageOf(cell: string): string | null {
  return DAMAGE.find(([pattern]) => pattern.test(cell.trim()))?.[1] ?? null;
}

/** Separates multiple values of a cell. */
export const SEPARATOR = '|';

/** Splits a cell into its values, without empty ones; a damaged cell has none. */
export function valuesIn(cell: string | null): string[] {
  const values = cell === null || damageOf(cell) !== null ? [] : cell.split(SEPARATOR);
  return values.map(visibleIn).filter((value) => value !== '');
}

/** Removes what cannot be seen: surrounding spaces, and marks such as those that programs put into dates. */
export function visibleIn(text: string): string {
  return text.replaceAll(/\p{Cf}/gu, '').trim();
}
