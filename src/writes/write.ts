import { randomUUID } from 'node:crypto';
import stableStringify from 'safe-stable-stringify';
import {
  hashOf,
  IN_USE,
  isKey,
  isUnderWay,
  JournalFull,
  JournalInUse,
  journalKeyOf,
  type JournalKey,
  type WriteRecord,
} from '../journal/journal.ts';
import { unlessUnread } from '../lists/errors.ts';
import { assertSourceError, type Surface } from '../sources/errors.ts';
import type { CallersWrites, WriteContext } from './context.ts';
import { Origin, type Search } from './find-created.ts';
import {
  completed,
  refused,
  resultOfFailure,
  sendOnce,
  undecided,
  unknown,
  userError,
  type UserError,
  type WriteResult,
} from './outcome.ts';

/** A write that creates or spends something, and so may have a key. */
interface CreatingWrite<D> {
  readonly mutation: string;
  readonly surface: Surface;
  /** The mutation's input as given. */
  readonly input: { readonly idempotencyKey?: string | null | undefined };
  /** A sentence that says where the caller can see its outcome. */
  readonly whereToLook: string;
  /** The problems of the input; if there are any, nothing is sent. */
  readonly problems: readonly UserError[];
  /** Sends the write and returns its result. */
  readonly send: () => Promise<WriteResult<D>>;
  /** The search for its result if the outcome is unknown; none if the service does not show it. */
  readonly search?: Search<D> | null;
  /** Whether the list is read before the write. Without that, a search finds nothing. */
  readonly readsBefore?: boolean;
  /** What its records could be taken for, if that is not searched for here: results of other writes, with their marks. */
  readonly resembles?: { readonly surface: Surface; readonly marks: readonly string[] } | null;
  /** Fields of the input for which the service distinguishes null from absence. */
  readonly nullsThatCount?: ReadonlySet<string>;
}

/** A result, and whether it was stored by an earlier call. */
export interface KeyedResult<D> {
  readonly result: WriteResult<D>;
  readonly replayed: boolean;
}

/** The part of the operation's context that performing a write uses. */
interface PerformingContext {
  readonly writes: Pick<CallersWrites, 'callerId' | 'journal' | 'track'> & {
    /** Each throws a SourceError if the surface or its credential is missing. */
    readonly sources: Readonly<Record<Surface, () => unknown>>;
  };
}

const ASK_AGAIN =
  'Repeating the request with the same idempotency key sends nothing; the result is looked up again where possible.';
const DO_NOT_ASK_AGAIN =
  'Without an idempotency key, repeating the request is another write, so check before sending it again.';

/**
 * Performs a validated write: at most once for the caller, its key and its input, and sent at most once in any case. A
 * completed write is replayed even if the same input would now be rejected, for example because its time has passed.
 */
export function performWrite<D>(
  { writes }: PerformingContext,
  write: CreatingWrite<D>,
): Promise<KeyedResult<D>> {
  const isPlain = write.input.idempotencyKey == null && !write.search && !write.resembles;
  // Tracked until the result is stored, too.
  return writes.track(isPlain ? performPlain(write) : new RecordedWrite(writes, write).perform());
}

/** Performs a write without a key whose result is not searched for, so that nothing about it is stored. */
async function performPlain<D>({ problems, send, whereToLook }: CreatingWrite<D>): Promise<KeyedResult<D>> {
  if (problems.length > 0) return fresh(refused(problems));
  return fresh(await sendOnce(send, `${whereToLook} ${DO_NOT_ASK_AGAIN}`));
}

/** A write in the journal: it is known, or else begun durably, sent once, judged, and settled. */
class RecordedWrite<D> {
  readonly #writes: PerformingContext['writes'];
  readonly #write: CreatingWrite<D>;
  readonly #howToFindOut: string;
  /** Null without a valid key; an invalid one is a problem of the input. */
  readonly #key: JournalKey | null;
  readonly #fingerprint: string;
  readonly #origin: Origin;

  constructor(writes: PerformingContext['writes'], write: CreatingWrite<D>) {
    const { idempotencyKey: key, ...input } = write.input;
    const scope = writes.callerId(write.surface);
    this.#writes = writes;
    this.#write = write;
    this.#howToFindOut = `${write.whereToLook} ${key == null ? DO_NOT_ASK_AGAIN : ASK_AGAIN}`;
    this.#key = key != null && isKey(key) ? journalKeyOf(scope, key) : null;
    this.#fingerprint = fingerprintOf(write.mutation, input, write.nullsThatCount);
    const name = this.#key?.id ?? randomUUID();
    const { surface, marks } = write.resembles ?? {
      surface: write.surface,
      marks: write.search?.marks ?? [],
    };
    this.#origin = new Origin(writes.journal, writes.callerId(surface), name, marks);
  }

  async perform(): Promise<KeyedResult<D>> {
    try {
      const begun = await this.#begin();
      if ('replayed' in begun) return begun;
      return fresh(await this.#settle(begun, await this.#send(begun)));
    } catch (error) {
      if (error instanceof NotRecorded) return fresh(refused([error.userError]));
      assertSourceError(error);
      return fresh(resultOfFailure(error, this.#howToFindOut));
    }
  }

  /**
   * Begins the write; or returns the result of one that is known, or that is not sent.
   *
   * @throws NotRecorded, and a SourceError if the surface is missing, or cannot be reached for the list
   */
  async #begin(): Promise<WriteRecord | KeyedResult<D>> {
    const { journal, sources } = this.#writes;
    const { mutation, surface, problems, search, readsBefore = false, resembles } = this.#write;
    const askedAt = Date.now();
    // A caller without access to the surface has nothing to store.
    if (problems.length === 0) sources[surface]();
    // The list is only read, and the write declared, if it will be sent.
    const isAskedFirst = problems.length > 0 || (search && readsBefore) || resembles;
    const known = this.#key && isAskedFirst ? await certain(journal.find(this.#key)) : null;
    if (known !== null) return await this.#replay(known, askedAt);
    if (problems.length > 0) return fresh(refused(problems));
    const declared = this.#origin.declare(Date.now());
    // A write without a key does not depend on the journal.
    await (this.#key ? certain(declared) : declared.catch(() => undefined));
    const startedAt = Date.now();
    const record = { mutation, fingerprint: this.#fingerprint, startedAt, result: null };
    let before: readonly string[] | null | undefined;
    try {
      before = search && readsBefore ? await search.idsBefore() : undefined;
    } catch (error) {
      // Nothing is sent. Another call with the same key has the same name: none sends anything while this one has begun.
      const earlier = this.#key && (await certain(journal.begin(this.#key, record)));
      if (earlier !== null) return await this.#replay(earlier, askedAt);
      await this.#release();
      throw error;
    }
    const begun = { ...record, before, startedAt: Date.now() };
    const other = this.#key && (await certain(this.#beginWith(this.#key, begun)));
    return other === null ? begun : await this.#replay(other, askedAt);
  }

  /** Begins a write with a key; returns the record of another call with it, or null. */
  async #beginWith(key: JournalKey, record: WriteRecord): Promise<WriteRecord | null> {
    const other = await this.#writes.journal.begin(key, record);
    if (other !== null) return other;
    try {
      // A call with the key that was not sent may have withdrawn the declaration.
      await this.#origin.declare(record.startedAt);
      return null;
    } catch (error) {
      await this.#release();
      throw error;
    }
  }

  /** Lets go of what was declared, and begun with a key, since nothing is sent. */
  async #release(): Promise<void> {
    await this.#origin.withdraw().catch(() => undefined);
    if (this.#key !== null)
      await this.#writes.journal.forget(this.#key, this.#fingerprint).catch(() => undefined);
  }

  async #send(record: WriteRecord): Promise<WriteResult<D>> {
    const sent = await sendOnce(this.#write.send, this.#howToFindOut);
    return sent.outcome === 'UNKNOWN' ? ((await this.#look(record)) ?? sent) : sent;
  }

  /** Searches once for the result of a write of unknown outcome; null if the outcome stays unknown. */
  async #look({ before }: WriteRecord): Promise<WriteResult<D> | null> {
    const isOnly = () => this.#origin.isOnly().catch(() => false);
    // A failed search leaves the outcome unknown.
    const found = await unlessUnread(() => this.#write.search?.find(before, isOnly));
    return found ? completed(found) : null;
  }

  /** Stores a result, and returns the one that is stored then. */
  async #settle(known: WriteRecord, result: WriteResult<D>): Promise<WriteResult<D>> {
    const { mutation, fingerprint, startedAt } = known;
    const { journal } = this.#writes;
    if (!result.isSent) {
      await this.#release();
      return result;
    }
    const isOpen = result.outcome === 'UNKNOWN';
    const withdrawn = isOpen ? null : this.#origin.withdraw().catch(() => undefined);
    try {
      if (this.#key === null) return result;
      // Without an unknown outcome, nothing is compared with the state before the write any more.
      const before = isOpen ? known.before : undefined;
      const record = { mutation, fingerprint, startedAt, before, result };
      return resultIn<D>(await journal.finish(this.#key, record)) ?? result;
    } catch {
      // The write has happened or not, and a failing journal must not hide that from the caller. The journal then keeps
      // the intent, which later reads as unknown.
      return result;
    } finally {
      await withdrawn;
    }
  }

  /** Returns the result of a known write, after another search if its outcome is unknown. */
  async #replay(known: WriteRecord, askedAt: number): Promise<KeyedResult<D>> {
    if (known.fingerprint !== this.#fingerprint) {
      const message = 'The idempotency key was already used with a different input; nothing was sent.';
      const path = ['input', 'idempotencyKey'];
      return fresh(refused([userError('IDEMPOTENCY_KEY_REUSED', message, { path })]));
    }
    if (isUnderWay(known, askedAt)) {
      const message =
        'A write with this idempotency key is in progress; repeat the request with the same key later.';
      return fresh(undecided(userError('IDEMPOTENCY_IN_PROGRESS', message, { retryable: true })));
    }
    const result = resultIn<D>(known) ?? unknown(this.#howToFindOut);
    const found = result.outcome === 'UNKNOWN' ? await this.#look(known) : null;
    return { result: found ? await this.#settle(known, found) : result, replayed: true };
  }
}

function fresh<D>(result: WriteResult<D>): KeyedResult<D> {
  return { result, replayed: false };
}

/** Returns the stored result of a write; null while it is running, or if its process ended meanwhile. */
function resultIn<D>({ result }: WriteRecord): WriteResult<D> | null {
  return result as WriteResult<D> | null;
}

/** The journal cannot record a write with a key, which is therefore not sent. */
class NotRecorded extends Error {
  override readonly name = 'NotRecorded';

  get userError(): UserError {
    const message = `${reasonOf(this.cause)}; nothing was sent.`;
    return userError('IDEMPOTENCY_UNAVAILABLE', message, { retryable: true });
  }
}

async function certain<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    throw new NotRecorded('the journal failed', { cause });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof JournalFull)
    return 'Too many writes with an idempotency key are remembered at the moment';
  return error instanceof JournalInUse
    ? IN_USE
    : 'Writes with an idempotency key are unavailable at the moment';
}

/** The fields of inputs that hold data of undocumented shape (type `JSON`), which is sent as it is. */
export const UNDOCUMENTED: ReadonlySet<string> = new Set([
  'adDetails',
  'key',
  'limitAudience',
  'people',
  'regionId',
]);

/**
 * Hashes a mutation and its input without its key. Clients send null for absent fields; within data of undocumented shape,
 * null is something else.
 */
function fingerprintOf(
  mutation: string,
  input: unknown,
  nullsThatCount: ReadonlySet<string> = new Set(),
): string {
  const undocumented = new WeakSet<object>();
  function withoutNulls(this: object, name: string, value: unknown): unknown {
    const isUndocumented = undocumented.has(this);
    if (value === null) return isUndocumented || nullsThatCount.has(name) ? null : undefined;
    if (typeof value === 'object' && (isUndocumented || UNDOCUMENTED.has(name))) undocumented.add(value);
    return value;
  }
  return hashOf([mutation, stableStringify(input, withoutNulls) ?? '']);
}

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

const ASK_WITH_INPUT =
  'Repeat the request with the same idempotency key and input: nothing is sent again, and the result is looked up where possible.';

/** Reads the stored result of the caller's write with a key, without sending anything; null if there is none. */
export async function findKnownWrite({ writes }: WriteContext, key: string): Promise<KnownWrite | null> {
  const find = (surface: Surface) => writes.journal.find(journalKeyOf(writes.callerId(surface), key));
  let records: (WriteRecord | null)[];
  try {
    // A key belongs to a credential, and each surface has its own credential.
    records = await Promise.all([find('current'), find('legacy')]);
  } catch (error) {
    throw new JournalUnavailable(error);
  }
  const [latest] = records
    .filter((record) => record !== null)
    .toSorted((one, other) => other.startedAt - one.startedAt);
  if (!latest) return null;
  const { mutation, startedAt } = latest;
  const payload = isUnderWay(latest, Date.now())
    ? null
    : { result: resultIn(latest) ?? unknown(ASK_WITH_INPUT), replayed: true };
  return { mutation, startedAt: new Date(startedAt), payload };
}
