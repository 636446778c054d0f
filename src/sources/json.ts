import { scanJson } from './json-scan.ts';
import { secretsOf, secretsOnce, type Secrets } from './secrets.ts';
import { Survey } from './survey.ts';

/** Deepest nesting that an answer of the service may have. */
export const MAX_JSON_DEPTH = 64;
/** Most values in an answer: eight megabytes of `{},` would otherwise become 350 MB of objects. */
const MAX_VALUES = 1_000_000;

/** In texts up to here, long integers are looked for before parsing; in longer ones after it, which takes less time there. */
const SHORT_CHARS = 16_384;
/** The records of a page are alike: a page with long integers mostly has one here. */
const LOOK_AHEAD = 4_096;
const LONG_INTEGER = /([:,[]\s*-?)((?:9\d{15}|[1-9]\d{16,}))(?=\s*[,\]}])/;
const LONG_INTEGERS = new RegExp(LONG_INTEGER, 'g');

/** An answer of the service. */
export interface ParsedAnswer {
  readonly value: unknown;
  /** The values of the secrets in it. */
  readonly secrets: () => Secrets;
}

/**
 * Parses JSON without rounding: an integer beyond 2^53 becomes its digits, as text.
 *
 * @throws SyntaxError, whose message repeats nothing of the text, also for nesting beyond MAX_JSON_DEPTH and for more
 *   values than MAX_VALUES.
 */
export function parseJson(text: string): unknown {
  return parseAnswer(text).value;
}

/** Parses an answer as `parseJson` does, and finds its secrets on the way. */
export function parseAnswer(text: string): ParsedAnswer {
  return text.length > MAX_VALUES ? parseLarge(text) : parseOrdinary(text);
}

function parseOrdinary(text: string): ParsedAnswer {
  const { value, isExact } = parseExactly(text);
  const survey = new Survey(value, MAX_JSON_DEPTH);
  if (survey.isTooDeep) throw new SyntaxError('JSON nested too deep');
  if (!survey.isRounded || isExact) return answerOf(value, survey);
  const exact = parse(scanJson(text).text);
  return answerOf(exact, new Survey(exact));
}

function answerOf(value: unknown, survey: Survey): ParsedAnswer {
  const secrets = secretsOf(survey);
  return { value, secrets: () => secrets };
}

/** Parses a text so that no integer is rounded, as far as that can be had at once. */
function parseExactly(text: string): { readonly value: unknown; readonly isExact: boolean } {
  if (text.length <= SHORT_CHARS) return { value: parseShort(text), isExact: false };
  const isLikely = LONG_INTEGER.test(text.slice(0, LOOK_AHEAD));
  return { value: parse(isLikely ? scanJson(text).text : text), isExact: isLikely };
}

// Digits within a string may look alike. With quotes around them the text is no JSON any more, whatever the string holds:
// the first quote ends the string, and no digit may follow.
function parseShort(text: string): unknown {
  const quoted = text.replace(LONG_INTEGERS, quoteLong);
  if (quoted === text) return parse(text);
  try {
    return JSON.parse(quoted) as unknown;
  } catch {
    return parse(scanJson(text).text);
  }
}

function quoteLong(whole: string, before: string, digits: string): string {
  if (Number(digits) <= Number.MAX_SAFE_INTEGER) return whole;
  return before.endsWith('-') ? `${before.slice(0, -1)}"-${digits}"` : `${before}"${digits}"`;
}

// A walk through an object with 400,000 names takes as long as parsing it, and one long number at the end of the text
// would have everything parsed twice.
function parseLarge(text: string): ParsedAnswer {
  const scan = scanJson(text);
  if (scan.values > MAX_VALUES) throw new SyntaxError('too many JSON values');
  if (scan.depth > MAX_JSON_DEPTH) throw new SyntaxError('JSON nested too deep');
  const value = parse(scan.text);
  return { value, secrets: secretsOnce(value) };
}

/** True for a value that is nested deeper than MAX_JSON_DEPTH; looks no deeper than that. */
export function isTooDeep(value: unknown): boolean {
  return new Survey(value, MAX_JSON_DEPTH).isTooDeep;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The native message quotes the text, which may hold secrets.
    throw new SyntaxError('not JSON');
  }
}
