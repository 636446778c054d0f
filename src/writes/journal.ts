import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import stableStringify from 'safe-stable-stringify';
import { refused, unknown, userError, type UserError, type WriteResult } from './outcome.ts';

/** How long the result of a write with a key is kept, in milliseconds. */
export const KEPT_MS = 24 * 60 * 60 * 1_000;
/** How long a write may be under way before its outcome counts as unknown, in milliseconds. */
export const LEASE_MS = 90_000;

/** What is remembered of a write with a key; plain data. */
export interface WriteRecord {
  /** What was asked for: a hash of the mutation and its input. */
  readonly fingerprint: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Null while it is under way. */
  readonly result: WriteResult<unknown> | null;
}

/** Where writes with a key are remembered, by `id`: a hash of the caller and the key. */
export interface WriteJournal {
  /** The record that there is, or null. */
  find(id: string): Promise<WriteRecord | null>;
  /** Puts a record unless there is one; gives the one that was there, or null. Fails when it can't be sure. */
  begin(id: string, record: WriteRecord): Promise<WriteRecord | null>;
  finish(id: string, record: WriteRecord): Promise<void>;
  /** Forgets a write that was not sent. */
  forget(id: string): Promise<void>;
}

const MAX_RECORDS = 50_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Remembers in this process: up to 50,000 writes or 64 MiB, the longest unused forgotten first, each for 24 hours. */
export function createMemoryJournal(): WriteJournal {
  const records = new LRUCache<string, WriteRecord>({
    max: MAX_RECORDS,
    maxSize: MAX_BYTES,
    sizeCalculation: (record) => JSON.stringify(record).length,
    ttl: KEPT_MS,
  });
  return {
    find: (id) => Promise.resolve(records.get(id) ?? null),
    begin: (id, record) => {
      const known = records.get(id) ?? null;
      if (known === null) records.set(id, record);
      return Promise.resolve(known);
    },
    finish: (id, record) => Promise.resolve(void records.set(id, record, { noUpdateTTL: true })),
    forget: (id) => Promise.resolve(void records.delete(id)),
  };
}

/** A write that may carry a key. */
export interface KeyedWrite<D> {
  readonly key: string | null | undefined;
  /** Hash of the caller's credential: the same key of two callers is two keys. */
  readonly scope: string;
  readonly mutation: string;
  /** The input without its key. */
  readonly input: unknown;
  readonly howToFindOut: string;
  /** What is wrong with the input as things are now; with anything, it is not performed. */
  readonly problems?: readonly UserError[];
  readonly perform: () => Promise<WriteResult<D>>;
}

/** A result, and whether it was remembered from an earlier call. */
export interface KeyedResult<D> {
  readonly result: WriteResult<D>;
  readonly replayed: boolean;
}

/**
 * Performs a write; with a key, at most once for the caller, the key and what was asked for. What was done once is
 * remembered also when the same input would be refused by now, as a time is that has passed since.
 */
export async function withKey<D>(
  journal: WriteJournal,
  write: KeyedWrite<D>,
  now: () => number = Date.now,
): Promise<KeyedResult<D>> {
  const { problems = [] } = write;
  const hasProblems = problems.length > 0;
  if (write.key == null || !isKey(write.key)) {
    return { result: hasProblems ? refused(problems) : await write.perform(), replayed: false };
  }
  const id = hash([write.scope, write.key]);
  const record: WriteRecord = { fingerprint: fingerprintOf(write), startedAt: now(), result: null };
  let known: WriteRecord | null;
  try {
    known = await (hasProblems ? journal.find(id) : journal.begin(id, record));
  } catch {
    return unsent(JOURNAL_UNAVAILABLE);
  }
  if (known !== null) return remembered(known, record, write);
  if (hasProblems) return { result: refused(problems), replayed: false };
  const result = await write.perform();
  await remember(journal, id, { ...record, result });
  return { result, replayed: false };
}

/** True for a text that can be a key: 1 to 255 visible ASCII characters. */
export function isKey(key: string): boolean {
  return /^[\u0021-\u007e]{1,255}$/.test(key);
}

// The write has happened or not; a journal that fails now must not keep the caller from knowing. What stays there is the
// intent, which reads as unknown later on.
async function remember(
  journal: WriteJournal,
  id: string,
  record: WriteRecord & { readonly result: WriteResult<unknown> },
): Promise<void> {
  try {
    await (record.result.isSent ? journal.finish(id, record) : journal.forget(id));
  } catch {
    return;
  }
}

const JOURNAL_UNAVAILABLE = userError(
  'IDEMPOTENCY_UNAVAILABLE',
  'Writes with a key can’t be remembered at the moment; nothing was sent.',
  { retryable: true },
);

function unsent(error: UserError): KeyedResult<never> {
  return { result: refused([error]), replayed: false };
}

function remembered<D>(known: WriteRecord, asked: WriteRecord, write: KeyedWrite<D>): KeyedResult<D> {
  if (known.fingerprint !== asked.fingerprint) {
    const message = 'The key was used for something else; nothing was sent.';
    return unsent(userError('IDEMPOTENCY_KEY_REUSED', message, { path: ['input', 'idempotencyKey'] }));
  }
  if (known.result !== null) return { result: known.result as WriteResult<D>, replayed: true };
  if (asked.startedAt - known.startedAt > LEASE_MS)
    return { result: unknown(write.howToFindOut), replayed: true };
  const message = 'A write with this key is under way; ask again with the same key.';
  return unsent(userError('IDEMPOTENCY_IN_PROGRESS', message, { retryable: true }));
}

function fingerprintOf({ mutation, input }: KeyedWrite<unknown>): string {
  return hash([mutation, stableStringify(input) ?? '']);
}

// Length-prefixed, so that no two lists of parts are the same text.
function hash(parts: readonly string[]): string {
  const text = parts.map((part) => `${part.length}:${part}`).join('');
  return createHash('sha256').update(text).digest('base64url');
}
