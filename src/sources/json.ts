import { parse as parseLossless } from 'lossless-json';

/** Deepest nesting that an answer of the service may have. */
export const MAX_JSON_DEPTH = 64;

// Sixteen digits or more may not fit a double. Digits inside strings match too: that costs time, never truth.
const LONG_NUMBER = /\d{16}/;

/**
 * Parses JSON without rounding: an integer beyond 2^53 becomes its digits, as text.
 *
 * Throws a SyntaxError whose message repeats nothing of the text, also for nesting beyond MAX_JSON_DEPTH.
 */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The native message quotes the text, which may hold secrets.
    throw new SyntaxError('not JSON');
  }
  if (exceedsDepth(value, MAX_JSON_DEPTH)) throw new SyntaxError('JSON nested too deep');
  if (!LONG_NUMBER.test(text)) return value;
  return parseLossless(text, null, {
    parseNumber: exactNumber,
    onDuplicateKey: (duplicate) => duplicate.newValue,
  });
}

function exactNumber(digits: string): number | string {
  const value = Number(digits);
  return /^-?\d+$/.test(digits) && !Number.isSafeInteger(value) ? digits : value;
}

function exceedsDepth(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  return Object.values(value).some((child) => exceedsDepth(child, depth - 1));
}
