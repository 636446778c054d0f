import { decodeUtf8 } from './utf8.ts';

/** Maximum nesting depth of a value that is passed on undecoded. */
export const MAX_JSON_DEPTH = 64;
/** Maximum number of values in a response: 8 MB of `{},` would otherwise become 350 MB of objects. */
const MAX_VALUES = 1_000_000;

/** How the escape of a character by its code begins. */
const ESCAPE_BY_CODE = String.raw`\u`;

/**
 * Parses JSON in UTF-8 without rounding: an integer beyond 2^53 becomes a string of its digits. Half a character becomes U+FFFD.
 *
 * @throws SyntaxError, whose message quotes nothing of the text; also for more values than MAX_VALUES.
 */
export function parseJson(json: Buffer): unknown {
  if (json.length > MAX_VALUES && mayHoldTooMany(json)) throw new SyntaxError('too many JSON values');
  try {
    const exact = textWithQuotedIntegers(json);
    const hasEscapes = exact.includes(ESCAPE_BY_CODE);
    return JSON.parse(hasEscapes ? exact.replaceAll(LONE_SURROGATE, String.raw`\ufffd`) : exact) as unknown;
  } catch {
    // The native message quotes the text, which may hold secrets.
    throw new SyntaxError('not JSON');
  }
}

/** Whether a value is nested deeper than allowed. Looks no deeper than that. */
export function isTooDeep(value: unknown, depth = MAX_JSON_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((child) => isTooDeep(child, depth - 1));
}

const COMMA = 44;
const OPEN_LIST = 91;
const OPEN_OBJECT = 123;

// Also counts what is within strings: a text with a million commas is no record of the service.
function mayHoldTooMany(json: Buffer): boolean {
  let values = 0;
  // Takes a third of the time of an iterator.
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) values += 1;
  }
  return values > MAX_VALUES;
}

/** Integers with fewer digits are exact. */
const FEWEST_DIGITS = 16;

/** Decodes JSON, with integers that would be rounded in quotes. */
function textWithQuotedIntegers(json: Buffer): string {
  const text = decodeUtf8(json);
  // Bytes of ASCII are cut where its characters are: decoding the parts and joining them takes twice as long.
  const cut = text.length === json.length ? text : json;
  const parts: string[] = [];
  let done = 0;
  // A long run of digits covers one of every sixteenth positions, so the others can be skipped: a regular expression that
  // looks at each takes ten times as long. So does a text instead of its bytes.
  for (let at = FEWEST_DIGITS - 1; at < json.length; at += FEWEST_DIGITS) {
    if (!isDigit(json[at])) continue;
    if (!isDigit(json[at - FEWEST_DIGITS / 2]) && !isDigit(json[at + FEWEST_DIGITS / 2])) continue;
    let start = at;
    let end = at + 1;
    while (isDigit(json[start - 1])) start -= 1;
    while (isDigit(json[end])) end += 1;
    at = end;
    if (end - start < FEWEST_DIGITS || !MAY_PRECEDE.has(json[start - 1])) continue;
    if (json[start - 1] === MINUS) start -= 1;
    const digits = json.toString('latin1', start, end);
    if (Number.isSafeInteger(Number(digits))) continue;
    if (!isValueOfName(json, start, end)) return withQuotedIntegersAnywhere(text);
    parts.push(partOf(cut, done, start), digits);
    done = end;
  }
  if (parts.length === 0) return text;
  parts.push(partOf(cut, done, json.length));
  return parts.join('"');
}

function partOf(json: string | Buffer, start: number, end: number): string {
  return typeof json === 'string' ? json.slice(start, end) : decodeUtf8(json.subarray(start, end));
}

function isDigit(byte = 0): boolean {
  return byte >= 48 && byte <= 57;
}

function isLetter(byte = 0): boolean {
  const small = byte | 32;
  return small >= 97 && small <= 122;
}

const MINUS = 45;
const QUOTE = 34;
const COLON = 58;
const CLOSE_OBJECT = 125;
/** What may stand before a number, which is only whitespace, a sign, or the end of what precedes a value. */
const MAY_PRECEDE: ReadonlySet<number | undefined> = new Set([...Buffer.from('-:,[ \t\n\r'), undefined]);
const SPACE: ReadonlySet<number | undefined> = new Set(Buffer.from(' \t\n\r'));

/** Whether these bytes are all of the value of a name that ends in a letter or digit. */
function isValueOfName(json: Buffer, start: number, end: number): boolean {
  const next = json[pastSpace(json, end, 1)];
  const colon = pastSpace(json, start - 1, -1);
  const quote = pastSpace(json, colon - 1, -1);
  if (json[colon] !== COLON || json[quote] !== QUOTE || (next !== COMMA && next !== CLOSE_OBJECT))
    return false;
  // Such a quote ends a string: one that begins a string follows punctuation, and one within a string a backslash.
  const last = json[quote - 1];
  return isLetter(last) || isDigit(last);
}

function pastSpace(json: Buffer, from: number, step: 1 | -1): number {
  let at = from;
  while (SPACE.has(json[at])) at += step;
  return at;
}

/** A string, or a long integer that is a value. */
const STRING_OR_INTEGER = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![^\s:,[])-?[1-9]\d{15,}(?=\s*(?:[,\]}]|$))/gs;

/** The same for integers in lists, and where only reading the whole text tells a string from a number. */
function withQuotedIntegersAnywhere(text: string): string {
  return text.replaceAll(STRING_OR_INTEGER, (found) =>
    found.startsWith('"') || Number.isSafeInteger(Number(found)) ? found : `"${found}"`,
  );
}

const HIGH = String.raw`[dD][89abAB][\da-fA-F]{2}`;
const LOW = String.raw`[dD][c-fC-F][\da-fA-F]{2}`;
/** The beginning of an escape, whose backslash is not itself escaped. */
const ESCAPE = String.raw`(?<!\\)(?:\\\\)*\\u`;
/**
 * The escape of half a character: a high surrogate without its low one, or the other way round. Strict parsers refuse a
 * whole JSON text because of one. UTF-8 cannot hold one, so only an escape can.
 */
const LONE_SURROGATE = new RegExp(
  String.raw`\\u(?=[dD][89a-fA-F])(?<=${ESCAPE})(?:${HIGH}(?!\\u${LOW})|(?<!${ESCAPE}${HIGH}\\u)${LOW})`,
  'g',
);
