import type { WriteContext } from './context.ts';
import {
  IN_USE,
  isKey,
  isUnderWay,
  JournalInUse,
  journalKeyOf,
  type WriteRecord,
} from '../journal/journal.ts';
import { unknown } from './outcome.ts';
import { resultIn, type KeyedResult } from './write.ts';

/** A stored write with a key. */
export interface KnownWrite {
  readonly mutation: string;
  readonly startedAt: Date;
  /** Its result; null while it is running. */
  readonly payload: KeyedResult<unknown> | null;
}

/** Thrown if the stored writes cannot be read at the moment. */
export class JournalUnavailable extends Error {
  override readonly name = 'JournalUnavailable';

  constructor(cause: unknown) {
    const why = cause instanceof JournalInUse ? ` ${IN_USE}.` : '';
    super(`The stored writes cannot be read at the moment.${why}`, { cause });
  }
}

const HOW_TO_FIND_OUT =
  'Repeat the request with the same idempotency key and input: nothing is sent again, and the result is looked up where possible.';

/** Reads the stored result of the caller's write with a key, without sending anything; null if there is none. */
export async function findKnownWrite(
  { writes: { journal, callerId, now } }: WriteContext,
  key: string,
): Promise<KnownWrite | null> {
  if (!isKey(key)) return null;
  const find = (scope: string) => journal.find(journalKeyOf(scope, key));
  let records: (WriteRecord | null)[];
  try {
    // A key belongs to a credential, and each surface has its own credential.
    records = await Promise.all([find(callerId('current')), find(callerId('legacy'))]);
  } catch (error) {
    throw new JournalUnavailable(error);
  }
  const [latest] = records
    .filter((record) => record !== null)
    .toSorted((one, other) => other.startedAt - one.startedAt);
  if (!latest) return null;
  const { mutation, startedAt } = latest;
  const payload = isUnderWay(latest, now())
    ? null
    : { result: resultIn(latest) ?? unknown(HOW_TO_FIND_OUT), replayed: true };
  return { mutation, startedAt: new Date(startedAt), payload };
}
