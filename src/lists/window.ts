import { decodeCursor, type Cursor } from './cursor.ts';
import { PagingError } from './errors.ts';

/** Page size of a connection if neither `first` nor `last` is given. */
const DEFAULT_WINDOW = 20;
/** Maximum page size of a connection. */
const MAX_WINDOW = 100;

/** The four pagination arguments of a connection. */
export interface WindowArguments {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

/** The requested page of a list: a number of records, in one direction, from one end or from one record. */
export interface Window {
  readonly direction: 'forward' | 'backward';
  readonly count: number;
  /** The record next to the window; null at the list's own end. */
  readonly anchor: Cursor | null;
}

/**
 * Reads a connection's arguments for a list. An empty cursor counts as omitted.
 *
 * Throws a PagingError: `BAD_USER_INPUT` for a count outside 0 to 100 or for arguments of both directions,
 * `INVALID_CURSOR` for a cursor that does not belong to this list.
 */
export function windowOf(
  { first, after, last, before }: WindowArguments,
  list: { readonly fingerprint: string },
): Window {
  const args = { first, after: after === '' ? null : after, last, before: before === '' ? null : before };
  const backward = args.last != null || (args.before != null && args.first == null);
  const [count, anchor, foreignCount, foreignAnchor] = backward
    ? (['last', 'before', 'first', 'after'] as const)
    : (['first', 'after', 'last', 'before'] as const);
  for (const name of [foreignCount, foreignAnchor]) {
    if (args[name] != null)
      throw new PagingError('BAD_USER_INPUT', `${name} cannot be combined with ${count} or ${anchor}.`);
  }
  const cursor = args[anchor];
  return {
    direction: backward ? 'backward' : 'forward',
    count: countOf(args[count], count),
    anchor: cursor == null ? null : decodeCursor(cursor, list.fingerprint, anchor),
  };
}

function countOf(value: number | null | undefined, name: string): number {
  if (value == null) return DEFAULT_WINDOW;
  if (!Number.isInteger(value) || value < 0 || value > MAX_WINDOW) {
    throw new PagingError('BAD_USER_INPUT', `${name} must be from 0 to ${MAX_WINDOW}.`);
  }
  return value;
}
