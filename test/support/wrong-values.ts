import { MISSING } from './wire-changes.ts';

/** What a field may hold instead of what the interface documents. */
export const WRONG_VALUES: readonly unknown[] = [
  MISSING,
  null,
  '',
  0,
  'Y',
  [],
  {},
  'long '.repeat(2_000),
  1e21,
  true,
  -1,
  { a: { b: [1] } },
];

/** Values that no id can be read from. */
export const NO_IDS: readonly unknown[] = [MISSING, null, '', [], {}, 1e21, true];

/** What the graph makes of a value: a value (null without an error included), or an error. */
export type Outcome = { readonly value: unknown } | 'malformed';
