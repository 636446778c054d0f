import { scanJson } from './json-scan.ts';
import { restoreDigits } from './long-integers.ts';
import { secretsOf, secretsOnce, type Secrets } from './secrets.ts';
import { Survey } from './survey.ts';

/** Maximum nesting depth of a response of the service. */
export const MAX_JSON_DEPTH = 64;
/** Maximum number of values in a response: 8 MB of `{},` would otherwise become 350 MB of objects. */
const MAX_VALUES = 1_000_000;

/** A parsed response of the service. */
export interface ParsedAnswer {
  readonly value: unknown;
  /** The values of its secrets. */
  readonly secrets: () => Secrets;
}

/**
 * Parses JSON without rounding: an integer beyond 2^53 becomes a string of its digits. Half a character becomes U+FFFD.
 *
 * @throws SyntaxError, whose message quotes nothing of the text; also for nesting beyond MAX_JSON_DEPTH and for more
 * values than MAX_VALUES.
 */
export function parseJson(text: string): unknown {
  return parseAnswer(text).value;
}

/** Parses a response as `parseJson` does, and finds its secrets in the same pass. */
export function parseAnswer(text: string): ParsedAnswer {
  return text.length > MAX_VALUES ? parseLarge(text) : parseOrdinary(text);
}

// Most responses contain only exact numbers. Digits of the others are restored afterwards: finding and quoting them
// before parsing took half as long again.
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

// Walking an object with 400,000 names takes as long as parsing it, and one long number at the end of the text would
// cause everything to be parsed twice.
function parseLarge(text: string): ParsedAnswer {
  const scan = scanJson(text);
  if (scan.values > MAX_VALUES) throw new SyntaxError('too many JSON values');
  if (scan.depth > MAX_JSON_DEPTH) throw new SyntaxError('JSON nested too deep');
  const value = parse(scan.text);
  return { value, secrets: secretsOnce(value) };
}

/** Whether a value is nested deeper than MAX_JSON_DEPTH. Looks no deeper than that. */
export function isTooDeep(value: unknown): boolean {
  return new Survey(value, MAX_JSON_DEPTH).isTooDeep;
}

const HIGH = String.raw`[dD][89abAB][\da-fA-F]{2}`;
const LOW = String.raw`[dD][c-fC-F][\da-fA-F]{2}`;
/** The beginning of an escape, whose backslash is not itself escaped. */
const ESCAPE = String.raw`(?<!\\)(?:\\\\)*\\u`;
/** The escape of half a character: a high surrogate without its low one, or the other way round. */
const LONE_SURROGATE = new RegExp(
  String.raw`\\u(?=[dD][89a-fA-F])(?<=${ESCAPE})(?:${HIGH}(?!\\u${LOW})|(?<!${ESCAPE}${HIGH}\\u)${LOW})`,
  'g',
);

// Strict parsers refuse a whole JSON text because of half a character in it. UTF-8 cannot hold one, so only an escape can.
function parse(text: string): unknown {
  try {
    return JSON.parse(text.replaceAll(LONE_SURROGATE, String.raw`\ufffd`)) as unknown;
  } catch {
    // The native message quotes the text, which may hold secrets.
    throw new SyntaxError('not JSON');
  }
}
