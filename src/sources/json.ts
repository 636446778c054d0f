/** Deepest nesting that an answer of the service may have. */
export const MAX_JSON_DEPTH = 64;
/** Most values in an answer: eight megabytes of `{},` would otherwise become 350 MB of objects. */
const MAX_VALUES = 1_000_000;

// Sixteen digits or more may not fit a double. Some digits inside strings match too: that costs time, never truth.
const LONG_NUMBER = /(?:^|[\s,:[])-?\d{16}/;

/**
 * Parses JSON without rounding: an integer beyond 2^53 becomes its digits, as text.
 *
 * Throws a SyntaxError whose message repeats nothing of the text, also for nesting beyond MAX_JSON_DEPTH, and for more
 * values than MAX_VALUES.
 */
export function parseJson(text: string): unknown {
  if (text.length > MAX_VALUES && countValues(text) > MAX_VALUES)
    throw new SyntaxError('too many JSON values');
  const value = parse(text);
  if (isTooDeep(value)) throw new SyntaxError('JSON nested too deep');
  return LONG_NUMBER.test(text) ? parse(quoteLongIntegers(text)) : value;
}

/** True for a value that is nested deeper than MAX_JSON_DEPTH; looks no deeper than that. */
export function isTooDeep(value: unknown): boolean {
  return exceedsDepth(value, MAX_JSON_DEPTH);
}

function exceedsDepth(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  // What was parsed has no enumerable properties but its own; `Object.values` would copy each record once more.
  for (const key in value) {
    if (exceedsDepth((value as Record<string, unknown>)[key], depth - 1)) return true;
  }
  return false;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The native message quotes the text, which may hold secrets.
    throw new SyntaxError('not JSON');
  }
}

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPENING: ReadonlySet<number> = new Set([91, 123]);

// Commas inside strings count too: an answer that is so large holds few of those beside a million others.
function countValues(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COMMA || OPENING.has(code)) count += 1;
  }
  return count;
}

const NUMBER = /-?\d[\d.eE+-]*/y;

// lossless-json reads strings character by character: one of eight megabytes cost it 256 MB.
/** Puts the integers that a double can't hold in quotes, in a text that is JSON. */
function quoteLongIntegers(text: string): string {
  const parts: string[] = [];
  let written = 0;
  let at = 0;
  while (at < text.length) {
    NUMBER.lastIndex = at;
    const number = text.charCodeAt(at) === QUOTE ? undefined : NUMBER.exec(text)?.[0];
    if (number !== undefined && /^-?\d{16,}$/.test(number) && !Number.isSafeInteger(Number(number))) {
      parts.push(text.slice(written, at), `"${number}"`);
      written = at + number.length;
    }
    at = number === undefined ? afterToken(text, at) : at + number.length;
  }
  return parts.join('') + text.slice(written);
}

/** Where a string ends that begins here; the next character, where none does. */
function afterToken(text: string, start: number): number {
  if (text.charCodeAt(start) !== QUOTE) return start + 1;
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}
