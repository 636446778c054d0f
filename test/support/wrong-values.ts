import { MISSING } from './wire-changes.ts';

const LONG_TEXT = 'long '.repeat(2_000);

/** What a field may hold instead of what the interface documents, one after the other. */
export const WRONG_VALUES: readonly unknown[] = [
  MISSING,
  null,
  '',
  0,
  'Y',
  [],
  {},
  LONG_TEXT,
  1e21,
  true,
  -1,
  { a: { b: [1] } },
];

/** What the interface documents a field to be. */
export type FieldKind =
  | 'text'
  | 'id'
  | 'integer'
  | 'letter'
  | 'flag'
  | 'url'
  | 'instant'
  | 'epoch'
  | 'list'
  | 'record'
  | 'schedule'
  | 'object'
  | 'undocumented';

/** What the graph makes of a value: a value (null without an error included), or an error. */
export type Outcome = { readonly value: unknown } | 'malformed';

const is =
  (...values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value);
const isText = (value: unknown): boolean => typeof value === 'string';
const isSmallNumber = is(0, -1);
const isObject = (value: unknown): boolean => typeof value === 'object' && !Array.isArray(value);

const READERS: Readonly<Record<FieldKind, (value: unknown) => Outcome>> = {
  text: (value) => (isText(value) ? { value } : 'malformed'),
  id: (value) => (isText(value) || isSmallNumber(value) ? { value: String(value) } : 'malformed'),
  integer: (value) => (isSmallNumber(value) ? { value } : 'malformed'),
  letter: (value) => (value === 'Y' ? { value: true } : 'malformed'),
  flag: (value) => (value === true ? { value } : 'malformed'),
  url: () => 'malformed',
  instant: () => 'malformed',
  epoch: (value) => (value === 0 ? { value: null } : 'malformed'),
  list: (value) => (Array.isArray(value) ? { value } : 'malformed'),
  // An empty list is the service's way to send an object without content.
  record: (value) => (Array.isArray(value) || isObject(value) ? { value: null } : 'malformed'),
  schedule: (value) => {
    if (Array.isArray(value)) return { value: null };
    return isObject(value) ? { value: [] } : 'malformed';
  },
  object: (value) => ({ value: Array.isArray(value) ? null : value }),
  undocumented: (value) => ({ value }),
};

/** What the graph is to make of a value in a field of a kind. What is absent or empty is null, without an error. */
export function outcomeOf(kind: FieldKind, value: unknown): Outcome {
  return value === MISSING || value === null || value === '' ? { value: null } : READERS[kind](value);
}

/** A copy of a record with a value put in, or taken out, at a dotted path. */
export function withValue(record: unknown, path: string, value: unknown): unknown {
  const [name = '', ...deeper] = path.split('.');
  const set = (child: unknown): unknown =>
    deeper.length === 0 ? value : withValue(child, deeper.join('.'), value);
  if (Array.isArray(record))
    return record.map((child, index) => (String(index) === name ? set(child) : child));
  const fields = record as Readonly<Record<string, unknown>>;
  const entries = Object.entries({ ...fields, [name]: set(fields[name]) });
  return Object.fromEntries(entries.filter(([, child]) => child !== MISSING));
}
