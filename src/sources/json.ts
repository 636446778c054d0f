/** Deepest nesting that an answer of the service may have. */
export const MAX_JSON_DEPTH = 64;
/** Most values in an answer: eight megabytes of `{},` would otherwise become 350 MB of objects. */
const MAX_VALUES = 1_000_000;

// Numbers from 9,007,199,254,740,992 on may not fit a double. Digits inside strings match too, which only costs time.
const LONG_NUMBER = /(?:^|[\s,:[])-?(?:9\d{15}|\d{17})/;
/** The records of a page are alike: a page with long numbers mostly has one here, and is then parsed only once. */
const LOOK_AHEAD = 4_096;

/**
 * Parses JSON without rounding: an integer beyond 2^53 becomes its digits, as text.
 *
 * @throws SyntaxError, whose message repeats nothing of the text, also for nesting beyond MAX_JSON_DEPTH and for more
 *   values than MAX_VALUES.
 */
export function parseJson(text: string): unknown {
  if (text.length > MAX_VALUES && countValues(text) > MAX_VALUES)
    throw new SyntaxError('too many JSON values');
  const isQuoted = LONG_NUMBER.test(text.slice(0, LOOK_AHEAD));
  const value = parse(isQuoted ? quoteLongIntegers(text) : text);
  const found = inspect(value, MAX_JSON_DEPTH);
  if (found === 'too deep') throw new SyntaxError('JSON nested too deep');
  return found === 'rounded' && !isQuoted ? parse(quoteLongIntegers(text)) : value;
}

/** True for a value that is nested deeper than MAX_JSON_DEPTH; looks no deeper than that. */
export function isTooDeep(value: unknown): boolean {
  return inspect(value, MAX_JSON_DEPTH) === 'too deep';
}

type Finding = 'fine' | 'rounded' | 'too deep';

/**
 * Looks for nesting beyond a depth and for integers that a double may have rounded. One walk over the parsed values is
 * several times as fast as a regular expression that looks for long numbers in the text.
 */
function inspect(value: unknown, depth: number): Finding {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER ? 'rounded' : 'fine';
  if (typeof value !== 'object' || value === null) return 'fine';
  if (depth === 0) return 'too deep';
  let found: Finding = 'fine';
  // Parsed JSON inherits no enumerable property, and this needs no copy of its own.
  if (Array.isArray(value)) return inspectList(value, depth);
  for (const key in value) {
    const child = (value as Readonly<Record<string, unknown>>)[key];
    if (typeof child !== 'number' && (typeof child !== 'object' || child === null)) continue;
    const within = inspect(child, depth - 1);
    if (within === 'too deep') return within;
    if (within === 'rounded') found = within;
  }
  return found;
}

function inspectList(list: readonly unknown[], depth: number): Finding {
  let found: Finding = 'fine';
  for (let index = 0; index < list.length; index += 1) {
    const within = inspect(list[index], depth - 1);
    if (within === 'too deep') return within;
    if (within === 'rounded') found = within;
  }
  return found;
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

const COLON = 58;
const MINUS = 45;
const SHORTEST_LONG = 16;
const INTEGER = /^-?[1-9]\d*$/;

// lossless-json reads strings character by character: one of eight megabytes cost it 256 MB.
/** Puts the integers that a double can't hold in quotes. What is no JSON stays none. */
function quoteLongIntegers(text: string): string {
  const parts: string[] = [];
  let written = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (isDigit(code)) {
      const start = text.charCodeAt(at - 1) === MINUS ? at - 1 : at;
      const end = endOfNumber(text, at);
      if (end - at >= SHORTEST_LONG && isLongInteger(text, start, end)) {
        parts.push(text.slice(written, start), '"', text.slice(start, end), '"');
        written = end;
      }
      at = end;
    } else at += 1;
  }
  parts.push(text.slice(written));
  return parts.join('');
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function endOfNumber(text: string, start: number): number {
  let at = start;
  while (isPartOfNumber(text.charCodeAt(at))) at += 1;
  return at;
}

/** True for a digit, `+`, `-`, `.`, `E` and `e`. */
function isPartOfNumber(code: number): boolean {
  return isDigit(code) || code === 45 || code === 46 || code === 101 || code === 69 || code === 43;
}

function isLongInteger(text: string, start: number, end: number): boolean {
  const digits = text.slice(start, end);
  if (!INTEGER.test(digits) || Number.isSafeInteger(Number(digits))) return false;
  let next = end;
  while (/\s/.test(text.charAt(next))) next += 1;
  // A number is no name; in quotes it would be one.
  return text.charCodeAt(next) !== COLON;
}

/** Where a string ends that begins here; the end of the text where it does not end. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}
