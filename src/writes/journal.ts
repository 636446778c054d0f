import { createHash } from 'node:crypto';
import type { WriteResult } from './outcome.ts';

/** How long the result of a write with a key is kept, in milliseconds. */
export const KEPT_MS = 24 * 60 * 60 * 1_000;
/**
 * How long a write may be under way before its outcome counts as unknown, in milliseconds: longer than the longest call
 * (60 s), a second try to connect, and five reads that look for what was made (15 s each) together.
 */
export const LEASE_MS = 240_000;

/** What is remembered of a write with a key; plain data. */
export interface WriteRecord {
  readonly mutation: string;
  /** What was asked for: a hash of the mutation and its input. */
  readonly fingerprint: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** What was seen before it was sent, for a later look at what came of it. */
  readonly before?: unknown;
  /** Null while it is under way, or was when its process ended. */
  readonly result: WriteResult<unknown> | null;
  /** True where the process that had it under way has ended. */
  readonly isAbandoned?: boolean;
}

/** What a write is remembered by. Nothing of the caller or the key can be told from `id` and `owner`. */
export interface JournalKey {
  /** A hash of the caller and the key. */
  readonly id: string;
  /** A hash of the caller. */
  readonly owner: string;
  /** 32 bytes that only the caller and the key make: what is stored elsewhere is sealed with them. */
  readonly secret: Uint8Array;
}

/** Where writes with a key are remembered. Each method fails where it can't be sure. */
export interface WriteJournal {
  /** The record that there is, or null. */
  find(key: JournalKey): Promise<WriteRecord | null>;
  /**
   * Puts a record unless there is one; gives the one that was there, or null. Fails with JournalFull where it could only
   * be remembered by forgetting another.
   */
  begin(key: JournalKey, record: WriteRecord): Promise<WriteRecord | null>;
  finish(key: JournalKey, record: WriteRecord): Promise<void>;
  /** Forgets a write that was not sent. */
  forget(key: JournalKey): Promise<void>;
}

/** True for a result that says that the service refused the write: forgetting it does no harm. */
export function isRefusal(result: WriteResult<unknown> | null): boolean {
  return result?.outcome === 'REJECTED';
}

/** True for what has the form of a record, wherever it was stored. */
export function isWriteRecord(value: unknown): value is WriteRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { mutation, fingerprint, startedAt, result } = value as Partial<Record<keyof WriteRecord, unknown>>;
  const isResult =
    result === null || (typeof result === 'object' && 'outcome' in result && 'userErrors' in result);
  return (
    typeof mutation === 'string' &&
    typeof fingerprint === 'string' &&
    typeof startedAt === 'number' &&
    isResult
  );
}

/** True for a text that can be a key: 1 to 255 visible ASCII characters. */
export function isKey(key: string): boolean {
  return /^[\u0021-\u007e]{1,255}$/.test(key);
}

/** What a write of a caller is remembered by; `scope` is a hash of the caller's credential. */
export function journalKeyOf(scope: string, key: string): JournalKey {
  return {
    id: hash([scope, key]).toString('base64url'),
    owner: hash(['owner', scope]).toString('base64url'),
    secret: hash(['secret', scope, key]),
  };
}

/** True while the write of a record may still be told about by the process that sends it. */
export function isUnderWay({ result, startedAt, isAbandoned }: WriteRecord, now: number): boolean {
  return result === null && isAbandoned !== true && now - startedAt <= LEASE_MS;
}

/** A hash of texts; length-prefixed, so that no two lists of them are the same text. */
export function hash(parts: readonly string[]): Buffer {
  const text = parts.map((part) => `${part.length}:${part}`).join('');
  return createHash('sha256').update(text).digest();
}
