import { createHash } from 'node:crypto';
import { PagingError } from './errors.ts';

/** A place in a list: beside which record, and where that stood in how long a list. */
export interface Cursor {
  /** Index of the record in the whole list, from 0. */
  readonly position: number;
  /** The record's own key, or null where it had none that could be read. */
  readonly key: string | null;
  /** Length of the list when the cursor was made. */
  readonly total: number;
}

const VERSION = 1;
const MAX_CURSOR_CHARS = 2_048;
const FINGERPRINT_CHARS = 11;

/** A short text that is the same for the same list with the same arguments, whatever the order of their names. */
export function fingerprintOf(list: string, args: Readonly<Record<string, unknown>>): string {
  return createHash('sha256')
    .update(JSON.stringify([list, canonical(args)]))
    .digest('base64url')
    .slice(0, FINGERPRINT_CHARS);
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .filter(([, child]) => child !== undefined)
    .map(([name, child]) => [name, canonical(child)])
    .toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1));
}

/** The opaque form of a cursor, bound to the list with this fingerprint. */
export function encodeCursor(cursor: Cursor, fingerprint: string): string {
  const parts = [VERSION, fingerprint, cursor.position, cursor.key, cursor.total];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Reads a cursor of the list with this fingerprint; `argument` is named in the `INVALID_CURSOR` error. */
export function decodeCursor(text: string, fingerprint: string, argument: string): Cursor {
  const parts = partsOf(text);
  if (parts === null) throw new PagingError('INVALID_CURSOR', `${argument} is not a cursor of this server`);
  const [version, list, position, key, total] = parts;
  if (version !== VERSION)
    throw new PagingError('INVALID_CURSOR', `${argument} is a cursor of another version`);
  if (list !== fingerprint) {
    throw new PagingError('INVALID_CURSOR', `${argument} is a cursor of another list, filter or order`);
  }
  if (!isIndex(position) || !isIndex(total) || !(key === null || typeof key === 'string')) {
    throw new PagingError('INVALID_CURSOR', `${argument} is damaged`);
  }
  return { position, key, total };
}

function partsOf(text: string): unknown[] | null {
  if (text.length > MAX_CURSOR_CHARS || !/^[\w-]+$/.test(text)) return null;
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(parts) ? parts : null;
  } catch {
    return null;
  }
}

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
