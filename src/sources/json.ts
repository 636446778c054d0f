import { scanJson } from './json-scan.ts';
import { restoreDigits } from './long-integers.ts';
import { secretsOf, secretsOnce, type Secrets } from './secrets.ts';
import { Survey } from './survey.ts';

/** Deepest nesting that an answer of the service may have. */
export const MAX_JSON_DEPTH = 64;
/** Most values in an answer: eight megabytes of `{},` would otherwise become 350 MB of objects. */
const MAX_VALUES = 1_000_000;

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

// Most numbers of most answers are exact. The digits of the others are put back: to find them before parsing, and to parse
// a text with quotes around them, took half as long again.
function parseOrdinary(text: string): ParsedAnswer {
  const value = parse(text);
  const survey = new Survey(value, MAX_JSON_DEPTH);
  if (survey.isTooDeep) throw new SyntaxError('JSON nested too deep');
  const isExact =
    survey.rounded.length === 0 || (!survey.hasRoundedSecret && restoreDigits(text, survey.rounded));
  return isExact ? answerOf(value, survey) : parseScanned(text);
}

function parseScanned(text: string): ParsedAnswer {
  const value = parse(scanJson(text).text);
  return answerOf(value, new Survey(value));
}

function answerOf(value: unknown, survey: Survey): ParsedAnswer {
  const secrets = secretsOf(survey);
  return { value, secrets: () => secrets };
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
