import type { SocialNetworkName } from '../records/network.ts';
import { weightedLengthOf } from './weighted-length.ts';

// What networks count in a text, and how much of it they allow.

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

/** The length that a network allows for one text of a post. */
export interface TextLimit {
  readonly network: Exclude<SocialNetworkName, 'UNKNOWN'>;
  readonly field: 'text' | 'title';
  readonly unit: TextUnit;
  readonly max: number;
}

/**
 * The limits that networks document for everybody. A network without an entry documents none that a post could reach
 * here, or different ones per account. Networks change their limits without notice, so exceeding one is a warning,
 * never an error. Where a network does not document what a character is, code points are counted.
 */
export const TEXT_LIMITS: readonly TextLimit[] = [
  // Without a subscription ("Counting characters", docs.x.com).
  { network: 'X', field: 'text', unit: 'WEIGHTED_CHARACTERS', max: 280 },
  // "Share on LinkedIn" and LinkedIn's editor: 3,000 characters of commentary.
  { network: 'LINKEDIN', field: 'text', unit: 'CHARACTERS', max: 3_000 },
  // `caption` of a container (Instagram Platform, Content Publishing).
  { network: 'INSTAGRAM', field: 'text', unit: 'CHARACTERS', max: 2_200 },
  // `description` of a pin: a `maxLength` of JSON Schema, which counts code points (Pinterest API v5).
  { network: 'PINTEREST', field: 'text', unit: 'CHARACTERS', max: 800 },
  // `summary` of a local post (Business Profile APIs).
  { network: 'GOOGLE_BUSINESS', field: 'text', unit: 'CHARACTERS', max: 1_500 },
  // `snippet.title` of a video (YouTube Data API v3). Which of the service's texts is the description is undocumented.
  { network: 'YOUTUBE', field: 'title', unit: 'CHARACTERS', max: 100 },
  // `title` of a video: "2200 in UTF-16 runes" (Content Posting API).
  { network: 'TIKTOK', field: 'text', unit: 'UTF16_UNITS', max: 2_200 },
];
