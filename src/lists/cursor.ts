import { hash } from 'node:crypto';
import { PagingError } from './errors.ts';

/** A position in a list: the record at the position, its index, and the length of the list at that time. */
export interface Cursor {
  /** Index of the record in the whole list, from 0. */
  readonly position: number;
  /** The record's own key, or null if it had none that could be read. */
  readonly key: string | null;
  /** Length of the list when the cursor was created. */
  readonly total: number;
}

const VERSION = 1;
const MAX_CURSOR_CHARS = 2_048;
const FINGERPRINT_CHARS = 11;
const CHECK_CHARS = 6;

/**
 * Returns a short text that identifies a list with its arguments, whatever the order of their names. It stays the same in
 * later versions, because cursors do not expire.
 */
export function fingerprintOf(list: string, args: object): string {
  const given = Object.entries(args);
  const known = given.length === 0 ? whole.get(list) : undefined;
  if (known !== undefined) return known;
  const sorted = given.toSorted(([one], [other]) => (one < other ? -1 : 1));
  const fingerprint = digestOf(JSON.stringify([list, sorted])).slice(0, FINGERPRINT_CHARS);
  if (given.length === 0) whole.set(list, fingerprint);
  return fingerprint;
}

/** The fingerprints of lists without arguments, which most requests ask for. */
const whole = new Map<string, string>();

function digestOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** Encodes a cursor in opaque form, bound to the list with this fingerprint. A key that is too long is omitted. */
export function encodeCursor(cursor: Cursor, fingerprint: string): string {
  const parts = JSON.stringify([VERSION, fingerprint, cursor.position, cursor.key, cursor.total]);
  // The check detects damaged cursors; it does not prevent forging one.
  const check = digestOf(parts).slice(0, CHECK_CHARS);
  const text = Buffer.from(`${parts.slice(0, -1)},"${check}"]`).toString('base64url');
  return text.length > MAX_CURSOR_CHARS ? encodeCursor({ ...cursor, key: null }, fingerprint) : text;
}

/** Decodes a cursor of the list with this fingerprint. `argument` is named in the `INVALID_CURSOR` error. */
export function decodeCursor(text: string, fingerprint: string, argument: string): Cursor {
  const [version, list, position, key, total] = partsOf(text);
  if (version !== VERSION) throw new PagingError('INVALID_CURSOR', `${argument} is not a valid cursor.`);
  if (list !== fingerprint) {
    throw new PagingError('INVALID_CURSOR', `${argument} is a cursor for a different list, filter or order.`);
  }
  const isKey = key === null || typeof key === 'string';
  if (isKey && isIndex(position) && isIndex(total) && position < total) {
    const cursor = { position, key, total };
    // Valid only if encoding it again yields the same text, which compares the check as well.
    if (encodeCursor(cursor, fingerprint) === text) return cursor;
  }
  throw new PagingError('INVALID_CURSOR', `${argument} is a corrupt cursor.`);
}

function partsOf(text: string): unknown[] {
  if (text.length > MAX_CURSOR_CHARS || !/^[\w-]+$/.test(text)) return [];
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
