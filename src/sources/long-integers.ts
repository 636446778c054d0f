import type { RoundedNumber } from './survey.ts';

/** Integers of fewer digits are exact. */
const FEWEST_DIGITS = 16;

/**
 * Puts the digits of rounded integers in their places, as texts. False, with nothing changed, where the text alone does not
 * tell which digits each of them had.
 */
export function restoreDigits(text: string, rounded: readonly RoundedNumber[]): boolean {
  const digitsOf = longIntegersIn(text, rounded.length);
  if (digitsOf === null) return false;
  for (const { within, key } of rounded) {
    const holder = within as Record<string | number, unknown>;
    // What is no integer keeps its value.
    holder[key] = digitsOf.get(holder[key] as number) ?? holder[key];
  }
  return true;
}

/**
 * The digits of the integers in a text of JSON that a double can't hold, by the doubles that they are rounded to. Null where
 * two of them are rounded to the same one, or where there are not as many as `expected`: what looks like a number may be
 * within a string, under a name that is given twice, or no integer.
 */
function longIntegersIn(text: string, expected: number): ReadonlyMap<number, string> | null {
  const digitsOf = new Map<number, string>();
  let found = 0;
  // A long run of digits has one at each sixteenth place: the others need not be looked at.
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

/** An integer whose digits stand there, with its sign; null where they are few, or not all of a number. */
function longIntegerAt(text: string, start: number, end: number): string | null {
  if (end - start < FEWEST_DIGITS || text.charCodeAt(start) === ZERO || !isEndOfNumber(text, end))
    return null;
  const before = text.charCodeAt(start - 1);
  if (before === MINUS) return text.slice(start - 1, end);
  const isStart = before === COLON || before === COMMA || before === OPEN_LIST || before <= SPACE;
  return isStart ? text.slice(start, end) : null;
}

/** Whether a digit may be one of so many: to one side of it, half as many follow. Most runs of digits are ids of a few. */
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
