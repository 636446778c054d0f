import type { RoundedNumber } from './survey.ts';

/** One of what may stand right before an integer, and its digits. */
const LONG_INTEGER = /[:,[\s-][1-9]\d{15,}/g;

const MINUS = 45;

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
  LONG_INTEGER.lastIndex = 0;
  for (let match = LONG_INTEGER.exec(text); match !== null; match = LONG_INTEGER.exec(text)) {
    const { index } = match;
    const end = LONG_INTEGER.lastIndex;
    if (!isEndOfNumber(text, end)) continue;
    const digits = text.slice(text.charCodeAt(index) === MINUS ? index : index + 1, end);
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

const COMMA = 44;
const CLOSE_LIST = 93;
const CLOSE_OBJECT = 125;
const SPACE = 32;

function isEndOfNumber(text: string, end: number): boolean {
  let at = end;
  while (text.charCodeAt(at) <= SPACE) at += 1;
  const code = text.charCodeAt(at);
  return code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT;
}
