import { weightedLengthOf } from './weighted-length.ts';

// What networks count in a text.

interface Unit {
  /** For a message, after a number. */
  readonly name: string;
  readonly count: (text: string) => number;
}

/** The units in which texts are measured. */
export const TEXT_UNITS = {
  /** As X counts: most characters outside Latin, and each emoji, as two, a link as 23. */
  WEIGHTED_CHARACTERS: { name: 'weighted characters', count: weightedLengthOf },
  /** Code points of Unicode. */
  CHARACTERS: { name: 'characters', count: codePointsOf },
  /** Code units of UTF-16: most emoji have two or more. */
  UTF16_UNITS: { name: 'UTF-16 code units', count: (text) => text.length },
} as const satisfies Readonly<Record<string, Unit>>;

export type TextUnit = keyof typeof TEXT_UNITS;

/** Returns the length of a text in a unit. */
export function measure(text: string, unit: TextUnit): number {
  return TEXT_UNITS[unit].count(text);
}

function codePointsOf(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}
