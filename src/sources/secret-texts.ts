import { findText } from '../find-text.ts';

// Secrets within texts: values that are known, and what has the form of a secret.

/** Replaces a secret found inside a longer text. */
export const REDACTED = '[redacted]';

/** A shorter value is not searched for, because it would blank half of every text. */
const SHORTEST_SECRET = 6;

/** Values that are known to be secret, to be blanked in texts. Those that are too short are left out. */
export class KnownSecrets {
  readonly #values: string[] = [];
  /** The length of the shortest value. */
  #shortest = Number.POSITIVE_INFINITY;
  /** What is searched for in decoded texts. */
  #parts: Parts | undefined;

  constructor(values: Iterable<string> = []) {
    for (const value of values) this.add(value);
  }

  add(value: string): void {
    if (value.length < SHORTEST_SECRET) return;
    this.#values.push(value);
    this.#shortest = Math.min(this.#shortest, value.length);
  }

  get size(): number {
    return this.#values.length;
  }

  has(value: string): boolean {
    return this.#values.includes(value);
  }

  /** Blanks the values in a text, where any of their characters may be percent-encoded. */
  blankIn(text: string): string {
    if (!this.mayBeIn(text)) return text;
    if (text.includes('%')) return blankEncoded(text, this.#known().texts);
    return blankFound(text, this.#values, (start, end) => text.slice(start, end));
  }

  /** Whether a text may hold a value. Most texts are shorter than any value, and most others hold none. */
  mayBeIn(text: string): boolean {
    return text.length >= this.#shortest && this.#isIn(text);
  }

  #isIn(text: string): boolean {
    for (const value of this.#values) if (findText(text, value) >= 0) return true;
    return text.includes('%') && encodesAny(text, this.#known().bytes);
  }

  #known(): Parts {
    return (this.#parts ??= partsOf(this.#values));
  }
}

/** What may be in a text that has been decoded, as characters that stand for bytes of UTF-8. */
interface Parts {
  readonly texts: readonly string[];
  /** For each byte 1 if one of them has it, else 0. */
  readonly bytes: Uint8Array;
}

/** Returns values as their bytes, and decoded: one that is encoded may be in a text as it is, or once more. */
function partsOf(values: readonly string[]): Parts {
  const texts = new Set<string>();
  const bytes = new Uint8Array(256);
  for (const value of values) {
    const encoded = Buffer.from(value);
    for (const byte of encoded) bytes[byte] = 1;
    texts.add(encoded.toString('latin1'));
    if (!value.includes('%')) continue;
    const { decoded } = percentDecoded(encoded);
    for (const byte of Buffer.from(decoded, 'latin1')) bytes[byte] = 1;
    if (decoded.length >= SHORTEST_SECRET) texts.add(decoded);
  }
  return { texts: [...texts], bytes };
}

/** Whether any of these bytes is percent-encoded in a text. Most texts encode only what no value has: `/`, `:` or spaces. */
function encodesAny(text: string, bytes: Uint8Array): boolean {
  for (let at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 1))
    if (bytes[encodedByte(text.charCodeAt(at + 1), text.charCodeAt(at + 2))] === 1) return true;
  return false;
}

/** Returns the byte that two hexadecimal digits stand for, or NaN if they are none. */
function encodedByte(high = 0, low = 0): number {
  return 16 * hexDigit(high) + hexDigit(low);
}

function blankEncoded(text: string, values: readonly string[]): string {
  const bytes = Buffer.from(text);
  const { decoded, places } = percentDecoded(bytes);
  return blankFound(decoded, values, (start, end) => bytes.toString('utf8', places[start], places[end]));
}

/** Blanks values where they are found in a text; `part` returns the parts that are kept. */
function blankFound(
  text: string,
  values: readonly string[],
  part: (start: number, end: number) => string,
): string {
  const found: { start: number; end: number }[] = [];
  for (const value of values)
    for (let start = findText(text, value); start >= 0; start = findText(text, value, start + value.length))
      found.push({ start, end: start + value.length });
  found.sort((one, other) => one.start - other.start);
  let clean = '';
  let done = 0;
  for (const { start, end } of found) {
    if (start >= done) clean += part(done, start) + REDACTED;
    done = Math.max(done, end);
  }
  return clean + part(done, text.length);
}

/** Returns what UTF-8 bytes are without percent-encoding, a character for each byte, and where each begins. */
function percentDecoded(bytes: Buffer) {
  const places = new Uint32Array(bytes.length + 1);
  const decoded = Buffer.allocUnsafe(bytes.length);
  let count = 0;
  for (let at = 0; at < bytes.length; count += 1) {
    const encoded = bytes[at] === PERCENT ? encodedByte(bytes[at + 1], bytes[at + 2]) : Number.NaN;
    const isEncoded = !Number.isNaN(encoded);
    decoded[count] = isEncoded ? encoded : (bytes[at] ?? 0);
    places[count] = at;
    at += isEncoded ? 3 : 1;
  }
  places[count] = bytes.length;
  return { decoded: decoded.toString('latin1', 0, count), places };
}

const PERCENT = 37;

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : Number.NaN;
}

// A secret assigned within a text: `access_token=…`, `"client_secret": "…"`, `authorization: Bearer …`.
const ASSIGNMENT =
  /((?:token|secret|password|passwd|passphrase|pwd|(?:api|private|access)[-_]?key|signature|credential|authorization|\bsid|cookie(?=(?:\\{0,3}["'])?\s{0,16}[=:]\s{0,16}(?:\\{0,3}["'])?(\w{1,32}=)?))(?:\\{0,3}["'])?\s{0,16}[=:]\s{0,16}(?:\\{0,3}["'])?(?:(?:bearer|basic)\s{1,16}|\2)?)(?=[^\s"'&,;}\]]{4})(?:\[redacted\]|[^\s"'&,;}\]])+/gi;
const ASSIGNS = /[=:]/;

/** Blanks what is assigned to the name of a secret: `token=…`. */
export function blankAssignments(text: string): string {
  return ASSIGNS.test(text) ? text.replaceAll(ASSIGNMENT, `$1${REDACTED}`) : text;
}

const CREDENTIAL_PARAMETER =
  /([?&#][\w.-]{0,32}?(?:access[_.-]?(?:token[_.-]?)?secret|access[_.-]?token|client[_.-]?secret|api[_.-]?key)=)[^&#\s]+/gi;

/** Blanks URL parameters that name an access token, a client secret or an API key; others may be a URL's signature. */
export function blankCredentialParameters(text: string): string {
  return text.includes('=') ? text.replaceAll(CREDENTIAL_PARAMETER, `$1${REDACTED}`) : text;
}

/** How the tokens of well-known services begin, followed by enough characters that no ordinary word matches. */
const BEGINNINGS = [
  String.raw`[srp]k_(?:live|test)_\w{8}`,
  String.raw`whsec_\w{8}`,
  String.raw`xox[a-z]-[\w-]{8}|xapp-[\w-]{8}`,
  String.raw`gh[a-z]_\w{16}|github_pat_\w{16}|glpat-[\w-]{16}`,
  String.raw`npm_\w{16}|shp[a-z]{2}_\w{16}|dop_v1_\w{16}`,
  String.raw`(?:AKIA|ASIA)[A-Z\d]{12}|AIza[\w-]{16}|ya29\.[\w-]{8}|1//0[\w-]{16}`,
  String.raw`EAA[A-Za-z\d]{9}|IGQ[A-Za-z\d]{9}`,
  String.raw`sk-[\w-]{16}|SG\.[\w-]{16}|AQ[A-Z][\w-]{29}`,
  String.raw`(?<![\w-])eyJ[\w-]{5,512}\.[\w-]{4}`,
];
const WELL_KNOWN = new RegExp(String.raw`(?<![A-Za-z\d])(?:${BEGINNINGS.join('|')})[\w.~+/=|-]*`, 'g');
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[\w+/=\s-]*/g;
// `Bearer 4f2a…`, followed only by a token, or by parameters such as `error="…"`
const AUTHORIZATION = /(\b(?:bearer|basic)[\s:='"`´‘’“”([<-]{1,8})([\w.~+/=|-]{8,})/gi;
// `Invalid token 4f2a…`, `the key "4f2a…" has expired`, `secret is 4f2a…`
const NAMED =
  /(\b(?:oauth|token|key|secret|password|passwd|pwd|credential|signature|session)s?(?: (?:is|was|of|for|value|id)\b)?[\s:='"`´‘’“”([<-]{1,8})([\w.~+/=|-]{16,})/gi;

/** Blanks whatever looks like a token: by its form, or as letters and digits after a word for one. */
export function blankTokens(words: string): string {
  const unlessWord = (found: string, head: string, run: string): string =>
    looksRandom(run) && (run.length >= 32 || /\d/.test(run)) ? head + REDACTED : found;
  return words
    .replaceAll(WELL_KNOWN, (found) => (/\d/.test(found) || looksRandom(found) ? REDACTED : found))
    .replaceAll(PRIVATE_KEY, REDACTED)
    .replaceAll(AUTHORIZATION, unlessWord)
    .replaceAll(NAMED, unlessWord);
}

const ADDRESS_OR_DATE = /^(?:https?:\/\/|\d{4}-\d\d-\d\d)/i;
const PLAIN_WORDS = /^[A-Z]?[a-z]{0,24}(?:[-_./][A-Z]?[a-z]{1,24}){0,6}[.:!?]?$|^[A-Z]{1,24}$/;
const SHORTEST_RANDOM = 6;

/** Whether a text is a single word that belongs to no language: with digits, or inner capitals. */
export function looksRandom(word: string): boolean {
  if (word.length < SHORTEST_RANDOM || /\s/.test(word)) return false;
  return !PLAIN_WORDS.test(word) && !ADDRESS_OR_DATE.test(word);
}
