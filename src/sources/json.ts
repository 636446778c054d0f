import { scanJson } from './json-scan.ts';

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
  return text.length > MAX_VALUES ? parseLarge(text) : parseOrdinary(text);
}

// Records that are alike are walked through in a tenth of the time that parsing them took.
function parseOrdinary(text: string): unknown {
  const isQuoted = LONG_NUMBER.test(text.slice(0, LOOK_AHEAD));
  const value = parse(isQuoted ? scanJson(text).text : text);
  const found = inspect(value, MAX_JSON_DEPTH);
  if (found === 'too deep') throw new SyntaxError('JSON nested too deep');
  return found === 'rounded' && !isQuoted ? parse(scanJson(text).text) : value;
}

// A walk through an object with 400,000 names takes as long as parsing it, and one long number at the end of the text
// would have everything parsed twice.
function parseLarge(text: string): unknown {
  const scan = scanJson(text);
  if (scan.values > MAX_VALUES) throw new SyntaxError('too many JSON values');
  if (scan.depth > MAX_JSON_DEPTH) throw new SyntaxError('JSON nested too deep');
  return parse(scan.text);
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
