import { createHash } from 'node:crypto';
import { ConfigError } from '../config.ts';
import type { WriteResult } from '../writes/outcome.ts';

/** How long the result of a write with a key is kept, in milliseconds. */
export const KEPT_MS = 24 * 60 * 60 * 1_000;
/**
 * How long a write may run before its outcome counts as unknown, in milliseconds: longer than the longest call (60 s),
 * a second attempt to connect, and five reads to search for the result (15 s each) together.
 */
export const LEASE_MS = 240_000;

/** The stored record of a write with a key; plain data. */
export interface WriteRecord {
  readonly mutation: string;
  /** A hash of the mutation and its input. */
  readonly fingerprint: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** The state before it was sent, for a later search for its outcome. */
  readonly before?: unknown;
  /** Null while it is running, or if it was running when its process ended. */
  readonly result: WriteResult<unknown> | null;
  /** True if the process that was running it has ended. */
  readonly isAbandoned?: boolean;
}

/** Thrown by a journal that another process holds at the moment. */
export class JournalInUse extends ConfigError {}

/** The same for callers. */
export const IN_USE =
  'Writes with an idempotency key are unavailable because another process of this server is using the same data directory';

/** The identity of a stored write. `id` and `owner` reveal nothing about the caller or the key. */
export interface JournalKey {
  /** A hash of the caller and the key. */
  readonly id: string;
  /** A hash of the caller. */
  readonly owner: string;
  /** 32 bytes that only the caller and the key produce; records stored on disk are sealed with them. */
  readonly secret: Uint8Array;
}

/** Stores writes with a key. Each method fails if it cannot be certain. */
export interface WriteJournal {
  /** Returns the existing record, or null. */
  find(key: JournalKey): Promise<WriteRecord | null>;
  /**
   * Stores a record unless one exists; returns the existing one, or null. Fails with JournalFull if it could only be
   * stored by forgetting another.
   */
  begin(key: JournalKey, record: WriteRecord): Promise<WriteRecord | null>;
  finish(key: JournalKey, record: WriteRecord): Promise<void>;
  /** Removes a write that was not sent. */
  forget(key: JournalKey): Promise<void>;
}

/** Whether a result says that the service rejected the write, so that forgetting it does no harm. */
export function isRefusal(result: WriteResult<unknown> | null): boolean {
  return result?.outcome === 'REJECTED';
}

/** Whether a value has the form of a record, wherever it was stored. */
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

/** Whether a text is a valid key: 1 to 255 visible ASCII characters. */
export function isKey(key: string): boolean {
  return /^[\u0021-\u007e]{1,255}$/.test(key);
}

/** Returns the identity of a caller's write; `scope` is a hash of the caller's credential. */
export function journalKeyOf(scope: string, key: string): JournalKey {
  return {
    id: hash([scope, key]).toString('base64url'),
    owner: hash(['owner', scope]).toString('base64url'),
    secret: hash(['secret', scope, key]),
  };
}

/** Whether the process that sends a write may still report its result. The clock may have been ahead when it started. */
export function isUnderWay({ result, startedAt, isAbandoned }: WriteRecord, now: number): boolean {
  return result === null && isAbandoned !== true && Math.abs(now - startedAt) <= LEASE_MS;
}

/** Hashes texts with length prefixes, so that different lists never yield the same text. */
export function hash(parts: readonly string[]): Buffer {
  const text = parts.map((part) => `${part.length}:${part}`).join('');
  return createHash('sha256').update(text).digest();
}
