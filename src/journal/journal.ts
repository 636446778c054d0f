import { hash } from 'node:crypto';
import { ConfigError } from '../config.ts';

/** How long a write with a key is remembered by default, in milliseconds. */
export const KEPT_MS = 24 * 60 * 60 * 1_000;
/**
 * How long a write may run before its outcome counts as unknown, in milliseconds: longer than the longest call (60 s),
 * a second attempt to connect, and a search for the result together. Of a longer one, another call searches, too.
 */
export const LEASE_MS = 240_000;

/** The result of a write, as far as a journal understands it; plain data. */
interface StoredResult {
  readonly outcome: string;
  readonly data: unknown;
  readonly userErrors: readonly unknown[];
  readonly isSent: boolean;
}

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
  readonly result: StoredResult | null;
  /** True if the process that was running it has ended. */
  readonly isAbandoned?: boolean;
}

/** The identity of a stored write. `id` and `owner` reveal nothing about the caller or the key. */
export interface JournalKey {
  /** A hash of the caller and the key. */
  readonly id: string;
  /** A hash of the caller. */
  readonly owner: string;
  /** 32 bytes that only the caller and the key produce; records stored on disk are sealed with them. */
  readonly secret: Uint8Array;
}

/** Stores writes with a key for a limited time. Each method fails if it cannot be certain. */
export interface WriteJournal {
  /** Returns the existing record, or null. */
  find(key: JournalKey): Promise<WriteRecord | null>;
  /**
   * Stores a record unless one exists; returns the existing one, or null. Fails with JournalFull if it could only be
   * stored by forgetting another.
   */
  begin(key: JournalKey, record: WriteRecord): Promise<WriteRecord | null>;
  /**
   * Replaces a record, and returns the one that is stored then: a settled record is kept if the new one is not settled,
   * because its result may have been reported.
   */
  finish(key: JournalKey, record: WriteRecord): Promise<WriteRecord>;
  /** Removes a record without a result, because its write was not sent; only one with a fingerprint if that is given. */
  forget(key: JournalKey, fingerprint?: string): Promise<void>;
}

/** Thrown by a journal that another process holds at the moment. */
export class JournalInUse extends ConfigError {}

/** The same for callers. */
export const IN_USE =
  'Writes with an idempotency key are unavailable because another process of this server is using the same data directory';

/** Thrown if another write could only be stored by forgetting one that may have happened. */
export class JournalFull extends Error {
  override readonly name = 'JournalFull';
}

/** The number and the size of writes that a journal holds, or may hold. */
export interface Space {
  readonly records: number;
  readonly size: number;
}

/** What a journal holds at most, in all and for each caller. */
export interface JournalLimits {
  readonly whole: Space;
  readonly share: Space;
}

/** Whether a result says that the service rejected the write, so that forgetting it does no harm. */
export function isRefusal(result: StoredResult | null): boolean {
  return result?.outcome === 'REJECTED';
}

/** Whether the outcome of a sent write is known. */
export function isSettled({ result }: Pick<WriteRecord, 'result'>): boolean {
  return result !== null && result.isSent && result.outcome !== 'UNKNOWN';
}

/** Returns which of two records of a write a journal keeps. */
export function finished(known: WriteRecord | null, next: WriteRecord): WriteRecord {
  return known !== null && isSettled(known) && !isSettled(next) ? known : next;
}

/** Whether a record takes the place of an earlier write's: it is then remembered from its own start on. */
export function isTakenOver(known: WriteRecord | null, next: WriteRecord): boolean {
  return known !== null && known.startedAt !== next.startedAt;
}

/** Whether a record is one that `forget` removes. */
export function isForgettable(known: WriteRecord | null, fingerprint = known?.fingerprint): boolean {
  return known?.result === null && known.fingerprint === fingerprint;
}

/** Returns a stored value as a record. Throws if it is none: it may be a write that happened. */
export function asWriteRecord(value: unknown): WriteRecord {
  const { mutation, fingerprint, startedAt, result }: Partial<Record<keyof WriteRecord, unknown>> =
    value ?? {};
  const isResult =
    result === null || (typeof result === 'object' && 'outcome' in result && 'userErrors' in result);
  const areTexts = typeof mutation === 'string' && typeof fingerprint === 'string';
  if (areTexts && typeof startedAt === 'number' && isResult) return value as WriteRecord;
  throw new TypeError('a stored write is corrupt');
}

/** Whether the process that sends a write may still report its result. The clock may have been ahead when it started. */
export function isUnderWay({ result, startedAt, isAbandoned }: WriteRecord, now: number): boolean {
  return result === null && isAbandoned !== true && Math.abs(now - startedAt) <= LEASE_MS;
}

/** Whether a text is a valid key: 1 to 255 visible ASCII characters. */
export function isKey(key: string): boolean {
  return /^[\u0021-\u007e]{1,255}$/.test(key);
}

/** Returns the identity of a caller's write; `scope` is a hash of the caller's credential. */
export function journalKeyOf(scope: string, key: string): JournalKey {
  return {
    id: hashOf([scope, key]),
    owner: hashOf(['owner', scope]),
    secret: hash('sha256', joined(['secret', scope, key]), 'buffer'),
  };
}

/** Hashes texts, so that different lists never yield the same hash. */
export function hashOf(parts: readonly string[]): string {
  return hash('sha256', joined(parts), 'base64url');
}

// Length prefixes keep different lists apart.
function joined(parts: readonly string[]): string {
  let text = '';
  for (const part of parts) text += `${part.length}:${part}`;
  return text;
}
