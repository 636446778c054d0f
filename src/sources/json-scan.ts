/** The result of one pass over a text that may be JSON. */
export interface JsonScan {
  /** The text, with integers that exceed a double's precision in quotes. */
  readonly text: string;
  /** An upper bound on the number of values, not counting the outermost one. */
  readonly values: number;
  /** The nesting depth of lists and objects. */
  readonly depth: number;
}

const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const COLON = 58;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/**
 * Scans a text once without parsing it, skipping the characters of strings. A text that is not JSON is still not JSON
 * afterwards.
 */
export function scanJson(text: string): JsonScan {
  const between: string[] = [];
  let [at, written, values, open, depth] = [0, 0, 0, 0, 0];
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (isDigit(code)) {
      const endOfDigits = endOfInteger(text, at);
      const end = endOfNumber(text, endOfDigits);
      if (end === endOfDigits && isLongInteger(text, at, end)) {
        const start = text.charCodeAt(at - 1) === MINUS ? at - 1 : at;
        between.push(text.slice(written, start), text.slice(start, end));
        written = end;
      }
      at = end;
    } else {
      if (code === COMMA) values += 1;
      else if (code === OPEN_LIST || code === OPEN_OBJECT) {
        values += 1;
        open += 1;
        depth = Math.max(depth, open);
      } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) open -= 1;
      at += 1;
    }
  }
  if (written > 0) between.push(text.slice(written));
  return { text: written > 0 ? between.join('"') : text, values, depth };
}

/** Returns the end of the string that begins here; the end of the text if it is unterminated. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function endOfInteger(text: string, start: number): number {
  let at = start + 1;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
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

const LARGEST_SAFE = String(Number.MAX_SAFE_INTEGER);
const ZERO = 48;

/** Whether digits form an integer that exceeds a double's precision. */
function isLongInteger(text: string, start: number, end: number): boolean {
  const digits = end - start;
  if (digits < LARGEST_SAFE.length || text.charCodeAt(start) === ZERO) return false;
  const isLong = digits > LARGEST_SAFE.length || text.slice(start, end) > LARGEST_SAFE;
  return isLong && !isName(text, end);
}

// A number cannot be a property name, but in quotes it could.
function isName(text: string, end: number): boolean {
  let next = end;
  while (isBlank(text.charCodeAt(next))) next += 1;
  return text.charCodeAt(next) === COLON;
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 13;
}
