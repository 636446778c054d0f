import type { SearchBudget } from './blank-runs.ts';

/** The number of characters compared at once. */
const GRAM = 4;
/** Shorter values cannot be found with a table. */
export const SHORTEST_IN_TABLE = GRAM;
const LONGEST_HEAD = 32;
/** The number of bits in a byte. */
const LONGEST_STRIDE = 8;
/** Table slots per entry, up to the largest table size. */
const SPARSENESS = 8;
const LARGEST_TABLE_BITS = 20;
/** How many values with the same hash are checked for duplicates; a frequent value is mostly among the latest. */
const COMPARED = 8;

/**
 * Finds any of many values in texts, in time proportional to the text however many values there are. Each value has at
 * least four characters.
 *
 * The head of a value is its beginning, as long as the shortest value. Only every `stride`th position of a text is
 * examined: if a value started shortly before, one of the first `stride` grams of its head is there. One table says
 * which of them it may be, and another which values have such grams at both ends of their heads.
 */
export class ValueTable {
  readonly #values: readonly string[];
  readonly #budget: SearchBudget;
  readonly #shortest: number;
  readonly #stride: number;
  /** The distance from the first gram of a head to its last. */
  readonly #span: number;
  /** For each gram hash, a bit mask of its possible positions in a head. */
  readonly #places: Uint8Array;
  /** For each head hash, the number of a value that has it, counting from 1. */
  readonly #latest: Int32Array;
  /** For each value, the number of another value with the same head hash. */
  readonly #others: Int32Array;

  constructor(values: readonly string[], shortest: number, budget: SearchBudget) {
    this.#values = values;
    this.#budget = budget;
    this.#shortest = shortest;
    this.#span = Math.min(shortest, LONGEST_HEAD) - GRAM;
    this.#stride = Math.min(this.#span + 1, LONGEST_STRIDE);
    this.#places = new Uint8Array(tableSize(values.length * this.#stride));
    this.#latest = new Int32Array(tableSize(values.length));
    this.#others = new Int32Array(values.length + 1);
    for (let index = 0; index < values.length; index += 1) this.#add(values[index] ?? '', index + 1);
  }

  #add(value: string, number: number): void {
    const slot = hashAt(value, 0, this.#span) & (this.#latest.length - 1);
    let other = this.#latest[slot] ?? 0;
    for (let left = COMPARED; other !== 0 && left > 0; left -= 1) {
      if (this.#values[other - 1] === value) return;
      other = this.#others[other] ?? 0;
    }
    this.#others[number] = this.#latest[slot] ?? 0;
    this.#latest[slot] = number;
    const places = this.#places;
    const last = places.length - 1;
    for (let place = 0; place < this.#stride; place += 1) {
      const gram = gramAt(value, place) & last;
      places[gram] = (places[gram] ?? 0) | (1 << place);
    }
  }

  /** Returns alternating starts and ends of the values in a text, without overlaps; null if there are none. */
  find(text: string): number[] | null {
    const places = this.#places;
    const stride = this.#stride;
    const last = places.length - 1;
    const end = text.length - GRAM;
    let found: number[] | null = null;
    for (let at = 0; at <= end; at += stride) {
      if (places[gramAt(text, at) & last] === 0) continue;
      if (this.#budget.steps > 0) found = this.#findAround(text, at, found);
      // A text that takes too long to search is blanked entirely: safe, and only once the budget is used up.
      if (this.#budget.steps <= 0) return [0, text.length];
    }
    return found;
  }

  #findAround(text: string, at: number, found: number[] | null): number[] | null {
    const bits = this.#places[gramAt(text, at) & (this.#places.length - 1)] ?? 0;
    // Reading beyond the end of a text would make V8 deoptimise this code for all texts.
    const last = text.length - this.#shortest;
    let ranges = found;
    for (let place = this.#stride - 1; place >= 0; place -= 1) {
      const start = at - place;
      if (((bits >> place) & 1) === 0 || start < 0 || start > last) continue;
      const length = this.#lengthAt(text, start);
      if (length > 0) ranges = withRange(ranges ?? [], start, start + length);
    }
    return ranges;
  }

  /** Returns the length of the longest value that starts here, or 0. */
  #lengthAt(text: string, start: number): number {
    this.#budget.steps -= 1;
    const slot = hashAt(text, start, this.#span) & (this.#latest.length - 1);
    let longest = 0;
    for (let number = this.#latest[slot] ?? 0; number !== 0; number = this.#others[number] ?? 0) {
      const value = this.#values[number - 1] ?? '';
      this.#budget.steps -= 1 + (value.length >> 7);
      if (this.#budget.steps <= 0) break;
      // Three times as fast as `startsWith` when most of the text is equal.
      const isHere = value.length > longest && text.slice(start, start + value.length) === value;
      if (isHere) longest = value.length;
    }
    return longest;
  }
}

function tableSize(entries: number): number {
  return 2 ** Math.min(Math.ceil(Math.log2(entries * SPARSENESS)), LARGEST_TABLE_BITS);
}

function gramAt(text: string, at: number): number {
  const low = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 8);
  const high = text.charCodeAt(at + 2) | (text.charCodeAt(at + 3) << 8);
  return Math.imul(low | (high << 16), 0x9e37_79b1) >>> 8;
}

/** Hashes a head by the grams at both of its ends. */
function hashAt(text: string, at: number, span: number): number {
  return Math.imul(gramAt(text, at) ^ Math.imul(gramAt(text, at + span), 31), 0x9e37_79b1) >>> 8;
}

/** Adds a range that starts after the starts of all others. */
export function withRange(ranges: number[], start: number, end: number): number[] {
  const last = ranges.at(-1) ?? 0;
  if (end <= last) return ranges;
  if (start < last) ranges.pop();
  else ranges.push(start);
  ranges.push(end);
  return ranges;
}
