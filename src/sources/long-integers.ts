import type { RoundedNumber } from './survey.ts';

/** Integers with fewer digits are exact. */
const FEWEST_DIGITS = 16;

/**
 * Replaces rounded integers with strings of their digits. Returns false and changes nothing if the text alone does not
 * determine which digits each of them had.
 */
export function restoreDigits(text: string, rounded: readonly RoundedNumber[]): boolean {
  const digitsOf = longIntegersIn(text, rounded.length);
  if (digitsOf === null) return false;
  for (const { within, key } of rounded) {
    const holder = within as Record<string | number, unknown>;
    // A number that is not an integer keeps its value.
    holder[key] = digitsOf.get(holder[key] as number) ?? holder[key];
  }
  return true;
}

/**
 * Returns the digits of the integers in a JSON text that exceed a double's precision, by their rounded values. Returns
 * null if two share a rounded value or their number is not `expected`: an apparent number may be within a string, under
 * a repeated name, or not an integer.
 */
function longIntegersIn(text: string, expected: number): ReadonlyMap<number, string> | null {
  const digitsOf = new Map<number, string>();
  let found = 0;
  // A long run of digits covers one of every sixteenth positions, so the others can be skipped.
  for (let at = FEWEST_DIGITS - 1; at < text.length; at += FEWEST_DIGITS) {
    if (!isDigit(text.charCodeAt(at)) || !isAmongMany(text, at)) continue;
    const end = endOfDigits(text, at);
    const digits = longIntegerAt(text, startOfDigits(text, at), end);
    at = end;
    if (digits === null) continue;
    const rounded = Number(digits);
    if (Number.isSafeInteger(rounded)) continue;
    const known = digitsOf.get(rounded);
    if (known !== undefined && known !== digits) return null;
    digitsOf.set(rounded, digits);
    found += 1;
    if (found > expected) return null;
  }
  return found === expected ? digitsOf : null;
}

/** Returns the integer at this position with its sign; null if it is short, or not a complete number. */
function longIntegerAt(text: string, start: number, end: number): string | null {
  if (end - start < FEWEST_DIGITS || text.charCodeAt(start) === ZERO || !isEndOfNumber(text, end))
    return null;
  const before = text.charCodeAt(start - 1);
  if (before === MINUS) return text.slice(start - 1, end);
  const isStart = before === COLON || before === COMMA || before === OPEN_LIST || before <= SPACE;
  return isStart ? text.slice(start, end) : null;
}

/** Whether a digit may belong to a long run, checked half a run to each side. Most runs of digits are short ids. */
function isAmongMany(text: string, at: number): boolean {
  return isDigit(text.charCodeAt(at - FEWEST_DIGITS / 2)) || isDigit(text.charCodeAt(at + FEWEST_DIGITS / 2));
}

function startOfDigits(text: string, within: number): number {
  let start = within;
  while (isDigit(text.charCodeAt(start - 1))) start -= 1;
  return start;
}

function endOfDigits(text: string, within: number): number {
  let end = within + 1;
  while (isDigit(text.charCodeAt(end))) end += 1;
  return end;
}

const SPACE = 32;
const COMMA = 44;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const CLOSE_OBJECT = 125;

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function isEndOfNumber(text: string, end: number): boolean {
  let at = end;
  while (text.charCodeAt(at) <= SPACE) at += 1;
  const code = text.charCodeAt(at);
  return code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT;
}
