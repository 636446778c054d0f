import { createClient, type Client, type RequestOptions } from './client.ts';
import { FindWriteOutcome, type FindWriteOutcomeQuery, type WriteOutcome } from './documents.ts';
import { GraphError, longest } from './errors.ts';
import { credentialsOf } from './headers.ts';
import { repeat } from './repeat.ts';
import type { TypedDocument } from './typed-document.ts';

// The pauses are 31 seconds together: longer than the server works on one write, so that a call whose answer was lost is
// settled by the last attempt.
const ATTEMPTS = 7;
const LOOKS = 3;

/** What the server has recorded for a key. */
type RecordedWrite = NonNullable<NonNullable<FindWriteOutcomeQuery['writeOutcome']>['payload']>;

/** What every payload of a write has; select it. */
export interface WritePayload {
  readonly outcome: WriteOutcome;
  readonly userErrors: readonly (RecordedWrite['userErrors'][number] & {
    readonly retryAfterMs?: number | null;
  })[];
}

/** A mutation whose input takes a key. */
export interface KeyedMutation<Result, Input, Payload extends WritePayload> {
  readonly document: TypedDocument<Result, { readonly input: Input & { readonly idempotencyKey: string } }>;
  /** Finds the payload in the result, such as `(result) => result.createPost`. */
  readonly select: (result: Result) => Payload | null;
}

/** How a write is sent. */
export interface WriteOptions extends RequestOptions {
  /**
   * Your name for this write, 1 to 255 visible ASCII characters. Take the id that it has in your own database, or store a
   * `newIdempotencyKey()` first: a key that is lost in a crash cannot find the write again.
   */
  readonly idempotencyKey: string;
  /** The largest number of times that it is sent, 7 by default. */
  readonly attempts?: number | undefined;
}

/** What is known of a write. */
export interface WriteResult<Payload> {
  /** `UNKNOWN` if it may have taken effect: repeat it later with the same key and input. */
  readonly outcome: WriteOutcome;
  readonly idempotencyKey: string;
  readonly userErrors: RecordedWrite['userErrors'];
  /** The payload; null if there is none, or if only the record of the server is known. */
  readonly payload: Payload | null;
  /** The record of the server, if that decided. */
  readonly recorded: RecordedWrite | null;
  /** The last error, if the outcome is unknown because of it. */
  readonly cause: unknown;
}

/**
 * Performs a write, at most once for its key. After a lost response, a timeout or an error that may pass, it sends the same
 * call again with the same key. If the outcome is still unknown, it asks the server what it has recorded for the key.
 *
 * @throws {GraphError} if the graph refused the operation, so that nothing was sent.
 */
export async function writeOnce<Result, Input, Payload extends WritePayload>(
  client: Client,
  mutation: KeyedMutation<Result, Input, Payload>,
  input: NoInfer<Input>,
  options: WriteOptions,
): Promise<WriteResult<Payload>> {
  const { idempotencyKey } = options;
  // The key is known together with the credentials: with others, it would send the write again.
  const sender = createClient({ ...client.options, credentials: await credentialsOf(client.options) });
  const { payload, cause, isSettled } = await sendRepeatedly(sender, mutation, input, options);
  if (payload && isSettled) {
    const { outcome, userErrors } = payload;
    return { outcome, idempotencyKey, userErrors, payload, recorded: null, cause: null };
  }
  const recorded = await lookUp(sender, String(mutation.document), options);
  if (recorded && recorded.outcome !== 'UNKNOWN') {
    const { outcome, userErrors } = recorded;
    return { outcome, idempotencyKey, userErrors, payload: null, recorded, cause: null };
  }
  const userErrors = payload?.userErrors ?? [];
  return { outcome: 'UNKNOWN', idempotencyKey, userErrors, payload, recorded, cause };
}

/** What came of all attempts. */
interface Sent<Payload> {
  /** The last payload; null if the last attempt failed. */
  readonly payload: Payload | null;
  readonly cause: unknown;
  /** Whether the payload says what became of the write, also of earlier attempts. */
  readonly isSettled: boolean;
}

async function sendRepeatedly<Result, Input, Payload extends WritePayload>(
  client: Client,
  { document, select }: KeyedMutation<Result, Input, Payload>,
  input: Input,
  { idempotencyKey, attempts = ATTEMPTS, signal }: WriteOptions,
): Promise<Sent<Payload>> {
  const variables = { input: { ...input, idempotencyKey } };
  let mayBeDone = false;
  const send = async (): Promise<Payload> => {
    try {
      const payload = select(await client.request(document, variables, { signal }));
      if (!payload) throw new Error('A payload is null only beside an error.');
      return payload;
    } catch (error) {
      mayBeDone ||= !wasRefused(error);
      throw error;
    }
  };
  try {
    const payload = await repeat(send, { attempts, signal, retryAfterMs: pauseAskedBy });
    return { payload, cause: null, isSettled: !isOpen(payload) };
  } catch (cause) {
    signal?.throwIfAborted();
    if (!mayBeDone) throw cause;
    return { payload: null, cause, isSettled: false };
  }
}

function pauseAskedBy({ userErrors }: WritePayload): number | null {
  return longest(
    userErrors.filter(({ retryable }) => retryable).map(({ retryAfterMs }) => retryAfterMs ?? 0),
  );
}

/** Whether the graph refused an operation before it was executed: a response of an execution has `data`. */
function wasRefused(error: unknown): boolean {
  return error instanceof GraphError && error.data === undefined;
}

function isOpen({ outcome, userErrors }: WritePayload): boolean {
  // That keys can't be remembered now says nothing about an earlier call, perhaps of another process.
  return outcome === 'UNKNOWN' || userErrors.some(({ code }) => code === 'IDEMPOTENCY_UNAVAILABLE');
}

/**
 * What the server has recorded of a mutation with the key; null where it has nothing, or does not answer. A key belongs to
 * the credential of a surface, so that it may have been used for a mutation of the other surface, too.
 */
async function lookUp(
  client: Client,
  document: string,
  { idempotencyKey, signal }: WriteOptions,
): Promise<RecordedWrite | null> {
  const look = () => client.request(FindWriteOutcome, { idempotencyKey }, { signal });
  try {
    const { writeOutcome } = await repeat(look, { attempts: LOOKS, signal, retryAfterMs: soonIfUnderWay });
    return writeOutcome && hasField(document, writeOutcome.mutation) ? writeOutcome.payload : null;
  } catch {
    signal?.throwIfAborted();
    return null;
  }
}

function hasField(document: string, name: string): boolean {
  return document.split(/\W+/).includes(name);
}

function soonIfUnderWay({ writeOutcome }: FindWriteOutcomeQuery): number | null {
  return writeOutcome?.isUnderWay ? 0 : null;
}

/**
 * A new random key. Store it with the write before you send it: after a crash, the same key finds out what became of it.
 *
 * `crypto.randomUUID` is missing in pages that were not loaded over https, so it is not used.
 */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
