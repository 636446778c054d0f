// The spellings of a value in a URL, in HTML, or in JSON within a string.

const MAY_BE_ESCAPED = /[^\w.-]/;
/** Values of a response's secrets beyond this total length are not spelt in other ways. */
const MOST_ESCAPED_CHARS = 128 * 1024;

/** Characters and their escapes; `&` comes first because the other escapes contain it. */
type Escapes = readonly (readonly [character: string, escape: string])[];
const escapes = (of: Readonly<Record<string, string>>): Escapes => Object.entries(of);

const NAMED = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/** The escapes of common HTML libraries. */
const IN_HTML: readonly Escapes[] = [
  NAMED,
  { ...NAMED, "'": '&#039;' },
  { ...NAMED, "'": '&#x27;' },
  { ...NAMED, '"': '&#34;' },
  { ...NAMED, "'": '&#x27;', '/': '&#x2F;' },
  { ...NAMED, "'": '&#39;', '/': '&#x2F;', '=': '&#x3D;', '`': '&#x60;' },
  { ...NAMED, '"': '&#34;', '+': '&#43;' },
].map(escapes);
/** The escapes of common JSON libraries, besides quotes, backslashes and control characters. */
const IN_JSON: readonly Escapes[] = [
  {},
  { '/': String.raw`\/` },
  { '<': String.raw`\u003c`, '>': String.raw`\u003e`, '&': String.raw`\u0026` },
  {
    '<': String.raw`\u003c`,
    '>': String.raw`\u003e`,
    '&': String.raw`\u0026`,
    '=': String.raw`\u003d`,
    "'": String.raw`\u0027`,
  },
].map(escapes);

/** Whether a text contains escapes; only then may a value be spelt differently in it. */
export function holdsEscapes(text: string): boolean {
  return ESCAPE.test(text);
}

const ESCAPE = /%[\da-f]{2}|&(?:#|amp;|lt;|gt;|quot;)|\\/i;

/** Returns the values, and their spellings in a form where only spaces are escaped. */
export function plainSpellingsOf(values: readonly string[]): readonly string[] {
  const withBlanks = values.filter((value) => value.includes(' '));
  return withBlanks.length === 0
    ? values
    : [...values, ...withBlanks.map((value) => value.replaceAll(' ', '+'))];
}

/** Returns the other spellings of values, which takes longer than all other processing of a page. */
export function escapedSpellingsOf(values: readonly string[]): readonly string[] {
  let left = MOST_ESCAPED_CHARS;
  const all = new Set<string>();
  for (const value of values) {
    if (left < value.length || !MAY_BE_ESCAPED.test(value)) continue;
    left -= value.length;
    for (const spelling of escaped(value)) if (spelling !== value) all.add(spelling);
  }
  return [...all];
}

function escaped(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  return [
    ...(value.isWellFormed() ? inAddresses(value) : []),
    ...IN_HTML.map((pairs) => replaced(value, pairs)),
    ...IN_JSON.map((pairs) => replaced(json, pairs)),
  ];
}

function inAddresses(value: string): string[] {
  const component = encodeURIComponent(value);
  const form = String(new URLSearchParams([['', value]])).slice(1);
  const spellings = component === form ? [form] : [component, form];
  return spellings.flatMap((text) => [text, text.replaceAll(/%../g, (code) => code.toLowerCase())]);
}

function replaced(value: string, pairs: Escapes): string {
  let text = value;
  for (const [character, escape] of pairs)
    if (text.includes(character)) text = text.replaceAll(character, escape);
  return text;
}
