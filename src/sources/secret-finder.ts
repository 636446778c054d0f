import { REDACTED, searchText, type SearchBudget } from './blank-runs.ts';
import { escapedSpellingsOf, holdsEscapes, plainSpellingsOf } from './secret-spellings.ts';
import { SHORTEST_IN_TABLE, ValueTable, withRange } from './value-table.ts';

/** So few values are looked for one by one: that needs no table. */
const FEW = 6;
/** So many comparisons of a text with a value cost less than a table does. */
const CHEAP_COMPARISONS = 256;
/** Shorter values are not looked for in Base64: half of all words would be tried. */
const SHORTEST_ENCODED = 6;
const STEPS_OF_A_DECODING = 48;
const ASCII = 128;

/** Finds values in texts. */
class ValueSearch {
  /** The length of the shortest value. */
  readonly shortest: number;
  readonly #values: readonly string[];
  readonly #budget: SearchBudget;
  /** Whether there are so many that a table pays. */
  readonly #isMany: boolean;
  /** Made for the first text in which a value may begin at many places. */
  #table: ValueTable | undefined;
  /** For each character of ASCII, whether a value begins with it; made for the first short text. */
  #beginnings: Uint8Array | undefined;

  constructor(values: readonly string[], budget: SearchBudget) {
    let shortest = Number.POSITIVE_INFINITY;
    for (const { length } of values) if (length < shortest) shortest = length;
    this.shortest = shortest;
    this.#values = values;
    this.#budget = budget;
    this.#isMany = values.length > FEW && shortest >= SHORTEST_IN_TABLE;
  }

  /** A text without the values. */
  blank(text: string): string {
    const found = this.find(text);
    return found === null ? text : blanked(text, found);
  }

  /** Where the values stand in a text: beginnings and ends in turn; null if none does. */
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

  /** Looks for all values at each of the places at which one can begin. */
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

/** Finds secrets in texts, as they are, escaped, and in Base64. */
export class SecretFinder {
  readonly #values: readonly string[];
  readonly #budget: SearchBudget;
  readonly #plain: ValueSearch;
  /** For what is escaped; made for the first text that holds escapes. */
  #escaped: ValueSearch | undefined;
  readonly #shortestRun: number;
  /** Whether a run of Base64 holds a secret, for those that were decoded: many texts have the same ones. */
  readonly #decoded = new Map<string, boolean>();

  constructor(values: readonly string[], budget: SearchBudget) {
    this.#values = values;
    this.#budget = budget;
    this.#plain = new ValueSearch(plainSpellingsOf(values), budget);
    const { shortest } = this.#plain;
    this.#shortestRun =
      shortest < SHORTEST_ENCODED ? Number.POSITIVE_INFINITY : Math.ceil((shortest * 4) / 3);
  }

  /** A text without the secrets. */
  blank(text: string): string {
    if (text.length < this.#plain.shortest) return text;
    const clean = this.#plain.blank(holdsEscapes(text) ? this.#blankEscaped(text) : text);
    return clean.length < this.#shortestRun ? clean : this.#blankEncoded(clean);
  }

  #blankEscaped(text: string): string {
    this.#escaped ??= new ValueSearch(escapedSpellingsOf(this.#values), this.#budget);
    return this.#escaped.blank(text);
  }

  /** Blanks each run of Base64 that is long enough and holds a secret. */
  #blankEncoded(text: string): string {
    const found: number[] = [];
    let end = 0;
    for (let at = this.#shortestRun - 1; at < text.length; at = end + this.#shortestRun - 1) {
      // Most runs are short, and end right before the place where a long one would have to be.
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

  // Other text may stand right before it, so four beginnings are tried.
  #decodesToOne(run: string): boolean {
    const bytes = [0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), 'base64'));
    return bytes.some((decoded) => this.#plain.find(decoded.toString('latin1')) !== null);
  }
}

/** A text with ranges of it blanked: beginnings and ends in turn. */
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
/** What Base64 and its form for addresses are made of. */
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
