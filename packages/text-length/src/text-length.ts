import tlds from 'tlds' with { type: 'json' };

// What networks count in a text, and how much of it they allow.

interface Unit {
  /** For a message, after a number. */
  readonly name: string;
  readonly count: (text: string) => number;
}

/** The units in which texts are measured. */
export const TEXT_UNITS = {
  /** As X counts: emoji, CJK and many symbols as two each, a link as 23. */
  WEIGHTED_CHARACTERS: { name: 'characters as X counts them', count: weightedLengthOf },
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
  readonly network: 'X' | 'LINKEDIN' | 'INSTAGRAM' | 'PINTEREST' | 'GOOGLE_BUSINESS' | 'YOUTUBE' | 'TIKTOK';
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

/** Characters that normalisation may change, that may count twice, or that may be a part of an emoji. */
const BEYOND_LATIN = /[^\0-\u02FF]/;
const LONG_RUN = /\p{M}{30}/gu;

/**
 * Returns a text in Unicode's normalisation form C, in linear time. The normalisation of JavaScript sorts each run of
 * combining marks in quadratic time, so a combining grapheme joiner is inserted after every 30 of them, as in the
 * Stream-Safe Text Process of Unicode (UAX #15).
 */
export function normalized(text: string): string {
  return BEYOND_LATIN.test(text) ? text.replaceAll(LONG_RUN, '$&\u034F').normalize('NFC') : text;
}

// How X counts a text: "Counting characters" (docs.x.com) and version 3 of the configuration of `twitter-text`, which
// does so too, but has not been maintained since 2020. A link is found as `twitter-text` finds it, in linear time.

/** What X counts for a link, whatever its length. */
const LINK_WEIGHT = 23;
/** Code points that count once, by the first and the last of each range; all others count twice. */
const LIGHT_RANGES = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
] as const;

/** Returns the weighted length of a text: emoji, and most characters outside Latin, count twice, and a link 23. */
export function weightedLengthOf(text: string): number {
  const whole = normalized(text);
  let weight = 0;
  let from = 0;
  for (const link of linksIn(whole)) {
    weight += weightOf(whole.slice(from, link.start)) + LINK_WEIGHT;
    from = link.end;
  }
  return weight + weightOf(whole.slice(from));
}

/** A character that counts as much as an emoji. */
const HEAVY = '\u3042';
const ELEMENT =
  '(?:\\p{Emoji_Presentation}|\\p{Extended_Pictographic}\\uFE0F|(?![©®])\\p{Extended_Pictographic})(?:\\uFE0F?\\p{Emoji_Modifier}|\\uFE0F)?';
/** An emoji: a flag, a keycap, or up to four pictographs that are joined. */
const EMOJI = new RegExp(
  `\\p{RI}{2}|[#*\\d]\\uFE0F?\\u20E3|\\u{1F3F4}[\\u{E0020}-\\u{E007E}]+\\u{E007F}|${ELEMENT}(?:\\u200D${ELEMENT}){0,3}`,
  'gu',
);

function weightOf(text: string): number {
  if (!BEYOND_LATIN.test(text)) return text.length;
  let weight = 0;
  for (const character of text.replaceAll(EMOJI, HEAVY)) {
    const codePoint = character.codePointAt(0) ?? 0;
    weight += LIGHT_RANGES.some(([first, last]) => codePoint >= first && codePoint <= last) ? 1 : 2;
  }
  return weight;
}

interface Link {
  readonly start: number;
  readonly end: number;
}

const LATIN = '\\u00C0-\\u024F\\u0300-\\u036F\\u1E00-\\u1EFF';
const LABEL = '[\\p{L}\\p{M}\\p{N}_-]+';
const LATIN_LABEL = `[a-z\\d${LATIN}-]+`;
/** A host: of any letters after a protocol, and of Latin ones without. */
const HOST = new RegExp(
  `(?<![a-z\\d@＠$#＃])(?:https?://${LABEL}(?:\\.${LABEL})+|(?<![${LATIN}_./-])(?!-)${LATIN_LABEL}(?:\\.${LATIN_LABEL})+)`,
  'giu',
);
const LATIN_AND_CYRILLIC = `${LATIN}\\u0400-\\u04FF`;
const PATH_CHARACTERS = `[a-z\\d!*';:=+,.$/%#[\\]\\-\\u2013_~@|&${LATIN_AND_CYRILLIC}]`;
/** Parentheses belong to a path where they are balanced, one within another at most. */
const PATH = new RegExp(
  `(?::\\d+)?(?:/(?:${PATH_CHARACTERS}|\\(${PATH_CHARACTERS}*(?:\\(${PATH_CHARACTERS}+\\)${PATH_CHARACTERS}*)?\\))*)?`,
  'iy',
);
const PATH_END = new RegExp(`[a-z\\d+\\-=_#/)${LATIN_AND_CYRILLIC}]`, 'i');
const QUERY = /\?[a-z\d!?*'@();:&=+$/%#[\]\-_.,~|]*[a-z\d\-_&=#/]/iy;
/** The longest link, with its protocol. */
const MAX_LINK = 4_088;

function* linksIn(text: string): Generator<Link> {
  let from = 0;
  for (const { 0: host, index: start } of text.matchAll(HOST)) {
    if (start < from) continue;
    const hostEnd = start + hostLengthOf(host, text[start + host.length]);
    const end = hostEnd === start + host.length ? endOfLink(text, { start, end: hostEnd }) : hostEnd;
    from = end;
    if (end > start && end - start <= MAX_LINK) yield { start, end };
  }
}

const MAX_LABEL = 63;
let topLevelDomains: ReadonlySet<string> | undefined;

/**
 * Returns the length of a host up to its last top-level domain; 0 if it has none. Letters outside ASCII may follow a
 * domain immediately.
 */
function hostLengthOf(host: string, next: string | undefined): number {
  topLevelDomains ??= new Set(tlds);
  const labels = host
    .slice(host.lastIndexOf('/') + 1)
    .toLowerCase()
    .split('.');
  if (labels.some((label) => label.length > MAX_LABEL)) return 0;
  let length = host.length;
  let isFollowedByName = next === '@' || next === '+';
  for (let last = labels.length - 1; last > 0; last -= 1) {
    const label = labels[last] ?? '';
    if (!isFollowedByName && isTopLevel(label, topLevelDomains)) return length;
    const [start = ''] = /^[a-z\d-]*/.exec(label) ?? [];
    if (start.length < label.length && isTopLevel(start, topLevelDomains))
      return length - label.length + start.length;
    length -= label.length + 1;
    isFollowedByName = false;
  }
  return 0;
}

function isTopLevel(label: string, known: ReadonlySet<string>): boolean {
  return known.has(label) || label.startsWith('xn--');
}

function endOfLink(text: string, { start, end: hostEnd }: Link): number {
  PATH.lastIndex = hostEnd;
  const [path = ''] = PATH.exec(text) ?? [];
  // Without a protocol and a path, the host alone is a link.
  if (!path.includes('/') && !text.slice(start, hostEnd).includes('/')) return hostEnd;
  let end = hostEnd + path.length;
  while (end > hostEnd && !PATH_END.test(text.charAt(end - 1))) end -= 1;
  QUERY.lastIndex = end;
  return end + (QUERY.exec(text)?.[0].length ?? 0);
}
