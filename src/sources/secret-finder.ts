import { REDACTED, searchText, type SearchBudget } from './blank-runs.ts';
import { escapedSpellingsOf, holdsEscapes, plainSpellingsOf } from './secret-spellings.ts';
import { SHORTEST_IN_TABLE, ValueTable, withRange } from './value-table.ts';

/** Up to this many values are searched for one by one, without a table. */
const FEW = 6;
/** Up to this many comparisons of a text with values cost less than a table. */
const CHEAP_COMPARISONS = 256;
/** Shorter values are not searched for in Base64, because half of all words would have to be decoded. */
const SHORTEST_ENCODED = 6;
const STEPS_OF_A_DECODING = 48;
const ASCII = 128;

/** Finds values in texts. */
class ValueSearch {
  /** The length of the shortest value. */
  readonly shortest: number;
  readonly #values: readonly string[];
  readonly #budget: SearchBudget;
  /** Whether there are enough values for a table to pay off. */
  readonly #isMany: boolean;
  /** Created for the first text with many possible positions of a value. */
  #table: ValueTable | undefined;
  /** For each ASCII character, whether a value begins with it; created for the first short text. */
  #beginnings: Uint8Array | undefined;

  constructor(values: readonly string[], budget: SearchBudget) {
    let shortest = Number.POSITIVE_INFINITY;
    for (const { length } of values) if (length < shortest) shortest = length;
    this.shortest = shortest;
    this.#values = values;
    this.#budget = budget;
    this.#isMany = values.length > FEW && shortest >= SHORTEST_IN_TABLE;
  }

  /** Blanks the values in a text. */
  blank(text: string): string {
    const found = this.find(text);
    return found === null ? text : blanked(text, found);
  }

  /** Returns alternating starts and ends of the values in a text; null if there are none. */
  find(text: string): number[] | null {
    const places = text.length - this.shortest + 1;
    if (places <= 0) return null;
    return searchText(text, this.#budget, () => {
      if (!this.#isMany) return this.#findEach(text);
      if (places * this.#values.length <= CHEAP_COMPARISONS) return this.#findAt(text, places);
      this.#table ??= new ValueTable(this.#values, this.shortest, this.#budget);
      return this.#table.find(text);
    });
  }

  /** Compares all values at each position where one can begin. */
  #findAt(text: string, places: number): number[] | null {
    const beginnings = (this.#beginnings ??= beginningsOf(this.#values));
    let found: number[] | null = null;
    for (let at = 0; at < places; at += 1) {
      const first = text.charCodeAt(at);
      if (beginnings[first] === 0) continue;
      let longest = 0;
      for (const value of this.#values) {
        if (value.charCodeAt(0) !== first || value.length <= longest) continue;
        this.#budget.steps -= 1 + (value.length >> 7);
        if (this.#budget.steps <= 0) return [0, text.length];
        if (text.startsWith(value, at)) longest = value.length;
      }
      if (longest > 0) found = withRange(found ?? [], at, at + longest);
    }
    return found;
  }

  #findEach(text: string): number[] | null {
    let found: [start: number, end: number][] | null = null;
    for (const value of this.#values) {
      if (value.length > text.length) continue;
      for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) {
        this.#budget.steps -= 1;
        if (this.#budget.steps <= 0) return [0, text.length];
        (found ??= []).push([at, at + value.length]);
      }
    }
    if (found === null) return null;
    const ordered = found.toSorted(([one], [other]) => one - other);
    return ordered.reduce<number[]>((ranges, [start, end]) => withRange(ranges, start, end), []);
  }
}

function beginningsOf(values: readonly string[]): Uint8Array {
  const beginnings = new Uint8Array(ASCII);
  for (const value of values) {
    const first = value.charCodeAt(0);
    if (first < ASCII) beginnings[first] = 1;
  }
  return beginnings;
}

/** Finds secrets in texts: unchanged, escaped, and in Base64. */
export class SecretFinder {
  readonly #values: readonly string[];
  readonly #budget: SearchBudget;
  readonly #plain: ValueSearch;
  /** Searches for escaped spellings; created for the first text with escapes. */
  #escaped: ValueSearch | undefined;
  readonly #shortestRun: number;
  /** Whether a decoded run of Base64 contains a secret. Cached, because many texts contain the same runs. */
  readonly #decoded = new Map<string, boolean>();

  constructor(values: readonly string[], budget: SearchBudget) {
    this.#values = values;
    this.#budget = budget;
    this.#plain = new ValueSearch(plainSpellingsOf(values), budget);
    const { shortest } = this.#plain;
    this.#shortestRun =
      shortest < SHORTEST_ENCODED ? Number.POSITIVE_INFINITY : Math.ceil((shortest * 4) / 3);
  }

  /** Blanks the secrets in a text. */
  blank(text: string): string {
    if (text.length < this.#plain.shortest) return text;
    const clean = this.#plain.blank(holdsEscapes(text) ? this.#blankEscaped(text) : text);
    return clean.length < this.#shortestRun ? clean : this.#blankEncoded(clean);
  }

  #blankEscaped(text: string): string {
    this.#escaped ??= new ValueSearch(escapedSpellingsOf(this.#values), this.#budget);
    return this.#escaped.blank(text);
  }

  /** Blanks each run of Base64 that is long enough and contains a secret. */
  #blankEncoded(text: string): string {
    const found: number[] = [];
    let end = 0;
    for (let at = this.#shortestRun - 1; at < text.length; at = end + this.#shortestRun - 1) {
      // Most runs are short, and end just before the position that a long one would cover.
      const start = startOfRun(text, at, end);
      end = start;
      if (start + this.#shortestRun - 1 > at) continue;
      end = endOfRun(text, at);
      if (!this.#holdsEncoded(text.slice(start, end))) continue;
      while (text.charCodeAt(end) === PADDING) end += 1;
      found.push(start, end);
    }
    return found.length === 0 ? text : blanked(text, found);
  }

  #holdsEncoded(run: string): boolean {
    const known = this.#decoded.get(run);
    if (known !== undefined) return known;
    this.#budget.steps -= STEPS_OF_A_DECODING + (run.length >> 5);
    if (this.#budget.steps <= 0) return true;
    const holds = this.#decodesToOne(run);
    this.#decoded.set(run, holds);
    return holds;
  }

  // Other characters may precede the encoded secret, so four offsets are tried.
  #decodesToOne(run: string): boolean {
    const bytes = [0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), 'base64'));
    return bytes.some((decoded) => this.#plain.find(decoded.toString('latin1')) !== null);
  }
}

/** Blanks ranges of a text, given as alternating starts and ends. */
function blanked(text: string, ranges: readonly number[]): string {
  let clean = '';
  let written = 0;
  for (let index = 0; index < ranges.length; index += 2) {
    clean += text.slice(written, ranges[index]) + REDACTED;
    written = ranges[index + 1] ?? text.length;
  }
  return clean + text.slice(written);
}

const PADDING = 61;
/** The characters of Base64 and its URL-safe variant. */
const IN_BASE64 = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[\w+/-]/.test(String.fromCodePoint(code))),
);

function startOfRun(text: string, at: number, earliest: number): number {
  let start = at + 1;
  while (start > earliest && IN_BASE64[text.charCodeAt(start - 1)] === 1) start -= 1;
  return start;
}

function endOfRun(text: string, at: number): number {
  let end = at;
  while (end < text.length && IN_BASE64[text.charCodeAt(end)] === 1) end += 1;
  return end;
}
