/**
 * V8 searches for longer texts in time that grows with the product of both lengths: 18 ms for 400 characters in 60,000,
 * both of which callers can choose.
 */
const LONGEST_QUICK = 250;

/** Returns where a text first contains a part, from an index on, or -1, in time in proportion to their lengths. */
export function findText(text: string, part: string, from = 0): number {
  if (part.length > text.length - from) return -1;
  const start = text.indexOf(part.slice(0, LONGEST_QUICK), from);
  return start < 0 || part.length <= LONGEST_QUICK ? start : findLong(text, part, start);
}

// As Knuth, Morris and Pratt do: no character of the text is looked at again after a mismatch.
function findLong(text: string, part: string, from: number): number {
  const borders = bordersOf(part);
  let matched = 0;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === code) matched += 1;
    if (matched === part.length) return at + 1 - matched;
  }
  return -1;
}

// Many texts are searched for the same part.
let known = { part: '', borders: new Int32Array(0) };

/** Returns, for each beginning of a part, the length of its longest end that is another beginning. */
function bordersOf(part: string): Int32Array {
  if (known.part === part) return known.borders;
  const borders = new Int32Array(part.length);
  let length = 0;
  for (let at = 1; at < part.length; at += 1) {
    const code = part.charCodeAt(at);
    while (length > 0 && part.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
    if (part.charCodeAt(length) === code) length += 1;
    borders[at] = length;
  }
  known = { part, borders };
  return borders;
}
