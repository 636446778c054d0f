import { randomUUID } from 'node:crypto';
import stableStringify from 'safe-stable-stringify';
import {
  hash,
  IN_USE,
  isKey,
  isUnderWay,
  isSettled,
  JournalFull,
  JournalInUse,
  journalKeyOf,
  type JournalKey,
  type WriteJournal,
  type WriteRecord,
} from '../journal/journal.ts';
import { refused, undecided, unknown, userError, type UserError, type WriteResult } from './outcome.ts';

/** A write that may have a key. */
export interface KeyedWrite<D> {
  readonly key: string | null | undefined;
  /** Hash of the caller's credential, so that equal keys of two callers are different keys. */
  readonly scope: string;
  readonly mutation: string;
  /** The input without its key. */
  readonly input: unknown;
  readonly howToFindOut: string;
  /** Current problems of the input; if there are any, it is not performed. */
  readonly problems?: readonly UserError[];
  /** Makes the write known to others that could be taken for it; fails as the journal does. */
  readonly declare?: (name: string) => Promise<void>;
  /** Reads, before anything is sent, the state with which a later search is compared. */
  readonly lookBefore?: () => Promise<LookBefore>;
  /** Sends it; `attempt` contains the start time and the state before. */
  readonly perform: (attempt: Attempt) => Promise<WriteResult<D>>;
  /** Searches once for the result of a write of unknown outcome; null if the outcome stays unknown. */
  readonly lookAgain?: (attempt: Attempt) => Promise<WriteResult<D> | null>;
}

/** The state before a write, as plain data, or why it is not sent. */
export type LookBefore = { readonly before: unknown } | { readonly refused: WriteResult<never> };

/** One attempt to send a write. */
export interface Attempt extends Pick<WriteRecord, 'startedAt' | 'before'> {
  /** A unique name, the same in each look-up of the write. */
  readonly name: string;
}

/** A result, and whether it was stored by an earlier call. */
export interface KeyedResult<D> {
  readonly result: WriteResult<D>;
  readonly replayed: boolean;
}

/**
 * Performs a write; with a key, at most once for the caller, the key and the input. A completed write is replayed even
 * if the same input would now be rejected, for example because its time has passed.
 */
export async function withKey<D>(
  journal: WriteJournal,
  write: KeyedWrite<D>,
  now: () => number = Date.now,
): Promise<KeyedResult<D>> {
  if (write.key == null || !isKey(write.key)) return fresh(await performUnkeyed(write, now()));
  const key = journalKeyOf(write.scope, write.key);
  const begun = await begin(journal, key, write, now);
  if ('answer' in begun) return begun.answer;
  if ('known' in begun) return await remembered(journal, key, begun, write);
  const { record } = begun;
  const result = await write.perform(attemptOf(key.id, record));
  return fresh(await remember(journal, key, { ...record, result }));
}

async function performUnkeyed<D>(write: KeyedWrite<D>, startedAt: number): Promise<WriteResult<D>> {
  const { problems = [], lookBefore } = write;
  if (problems.length > 0) return refused(problems);
  const name = randomUUID();
  // A write without a key does not depend on the journal.
  await write.declare?.(name).catch(() => undefined);
  const look = await lookBefore?.();
  if (look && 'refused' in look) return look.refused;
  return await write.perform({ name, startedAt, before: look?.before });
}

/** The outcome of starting: it is recorded, it was recorded before, or there already is an answer. */
type Begun<D> =
  | { readonly record: WriteRecord }
  | { readonly known: WriteRecord; readonly askedAt: number }
  | { readonly answer: KeyedResult<D> };

async function begin<D>(
  journal: WriteJournal,
  key: JournalKey,
  write: KeyedWrite<D>,
  now: () => number,
): Promise<Begun<D>> {
  const askedAt = now();
  const { mutation, problems = [], lookBefore } = write;
  try {
    // The state before is only needed if the write will be sent.
    const known = problems.length > 0 || lookBefore ? await journal.find(key) : null;
    if (known !== null) return { known, askedAt };
  } catch (error) {
    return { answer: unsent(unrecorded(error)) };
  }
  if (problems.length > 0) return { answer: fresh(refused(problems)) };
  try {
    await write.declare?.(key.id);
  } catch (error) {
    return { answer: unsent(unrecorded(error)) };
  }
  const look = await lookBefore?.();
  if (look && 'refused' in look) return { answer: fresh(look.refused) };
  const fingerprint = fingerprintOf(write);
  const record = { mutation, fingerprint, startedAt: now(), before: look?.before, result: null };
  try {
    const known = await journal.begin(key, record);
    return known === null ? { record } : { known, askedAt };
  } catch (error) {
    return { answer: unsent(unrecorded(error)) };
  }
}

// The write has happened or not, and a failing journal must not hide that from the caller. The journal then keeps the
// intent, which later reads as unknown.
async function remember<D>(
  journal: WriteJournal,
  key: JournalKey,
  record: WriteRecord & { readonly result: WriteResult<D> },
): Promise<WriteResult<D>> {
  const { result } = record;
  try {
    if (!result.isSent) {
      await journal.forget(key, record.fingerprint);
      return result;
    }
    // Without an unknown outcome, nothing is compared with the state before the write any more.
    const kept = await journal.finish(key, isSettled(record) ? { ...record, before: undefined } : record);
    return kept.result as WriteResult<D>;
  } catch {
    return result;
  }
}

function unrecorded(error: unknown): UserError {
  return userError('IDEMPOTENCY_UNAVAILABLE', `${reasonOf(error)}; nothing was sent.`, {
    retryable: true,
  });
}

function reasonOf(error: unknown): string {
  if (error instanceof JournalFull)
    return 'Too many writes with an idempotency key were made within 24 hours';
  return error instanceof JournalInUse
    ? IN_USE
    : 'Writes with an idempotency key are unavailable at the moment';
}

function fresh<D>(result: WriteResult<D>): KeyedResult<D> {
  return { result, replayed: false };
}

function unsent(error: UserError): KeyedResult<never> {
  return fresh(refused([error]));
}

async function remembered<D>(
  journal: WriteJournal,
  key: JournalKey,
  { known, askedAt }: { readonly known: WriteRecord; readonly askedAt: number },
  write: KeyedWrite<D>,
): Promise<KeyedResult<D>> {
  if (known.fingerprint !== fingerprintOf(write)) {
    const message = 'The idempotency key was already used with a different input; nothing was sent.';
    return unsent(userError('IDEMPOTENCY_KEY_REUSED', message, { path: ['input', 'idempotencyKey'] }));
  }
  if (isUnderWay(known, askedAt)) {
    const message =
      'A write with this idempotency key is in progress; repeat the request with the same key later.';
    return fresh(undecided(userError('IDEMPOTENCY_IN_PROGRESS', message, { retryable: true })));
  }
  const result = (known.result as WriteResult<D> | null) ?? unknown(write.howToFindOut);
  if (result.outcome !== 'UNKNOWN') return { result, replayed: true };
  const found = await write.lookAgain?.(attemptOf(key.id, known));
  const told = found ? await remember(journal, key, { ...known, result: found }) : result;
  return { result: told, replayed: true };
}

/** Fields for which the service distinguishes null from absence. */
const NULLS_THAT_COUNT: ReadonlySet<string> = new Set(['place', 'facebookAction']);

// Clients send null for absent fields.
function withoutNulls(name: string, value: unknown): unknown {
  return value === null && !NULLS_THAT_COUNT.has(name) ? undefined : value;
}

function attemptOf(name: string, { startedAt, before }: WriteRecord): Attempt {
  return { name, startedAt, before };
}

function fingerprintOf({ mutation, input }: KeyedWrite<unknown>): string {
  return hash([mutation, stableStringify(input, withoutNulls) ?? '']).toString('base64url');
}
