import type { Client, RequestOptions } from './client.ts';
import {
  CreatePost,
  FindWriteOutcome,
  type CreatePostInput,
  type CreatePostMutation,
  type FindWriteOutcomeQuery,
} from './documents.ts';
import { GraphError } from './errors.ts';
import { repeat } from './repeat.ts';

// The pauses are 31 seconds together: longer than the server works on one write, so that a call whose answer was lost is
// settled by the last attempt.
const ATTEMPTS = 7;
const LOOKS = 3;

type Payload = NonNullable<CreatePostMutation['createPost']>;

/** The post; its key is an option. */
export type PublishInput = Omit<CreatePostInput, 'idempotencyKey'>;

/** How a post is published. */
export interface PublishOptions extends RequestOptions {
  /**
   * Your name for this post, 1 to 255 visible ASCII characters. Take the id that the post has in your own database, or
   * store a `newIdempotencyKey()` with it first: a key that is lost in a crash can't find the post again.
   */
  readonly idempotencyKey: string;
  /** The largest number of times that it is sent, 7 by default. */
  readonly attempts?: number | undefined;
}

/** What is known of a post. */
export type PublishResult = {
  readonly idempotencyKey: string;
  /** What stood in the way, or is missing. */
  readonly userErrors: Payload['userErrors'];
} & (
  | {
      /** It was published or queued, completely or in part. */
      readonly outcome: 'COMPLETED' | 'PARTIAL';
      /** The service's ids of the posts; null if the service did not say. */
      readonly postIds: Payload['postIds'];
      /** Whether this is the result of an earlier call with the same key. */
      readonly replayed: boolean;
    }
  | {
      /** Nothing was published. */
      readonly outcome: 'REJECTED';
    }
  | {
      /**
       * It may have been published. Publish again later with the same key and input: the server then looks for the post
       * again, and does not send it twice. Another key could publish it twice.
       */
      readonly outcome: 'UNKNOWN';
      /** The last error; null if the server itself reported the outcome as unknown. */
      readonly cause: unknown;
    }
);

/**
 * Publishes a post, at most once for its key. After a lost response, a timeout or an error that may pass, it sends the same
 * call again with the same key. If the outcome is still unknown, it asks the server what it has recorded for the key.
 *
 * @throws {GraphError} if the graph refused the operation, so that nothing was sent.
 */
export async function publishOnce(
  client: Client,
  input: PublishInput,
  options: PublishOptions,
): Promise<PublishResult> {
  const { idempotencyKey } = options;
  const { payload, cause, isSettled } = await sendRepeatedly(client, input, options);
  if (payload && isSettled) return resultOf(payload, idempotencyKey);
  const recorded = await lookUp(client, options);
  if (recorded && recorded.outcome !== 'UNKNOWN') return resultOf(recorded, idempotencyKey);
  return { outcome: 'UNKNOWN', idempotencyKey, userErrors: payload?.userErrors ?? [], cause };
}

/** What came of all attempts. */
interface Sent {
  /** The last payload; null if the last attempt failed. */
  readonly payload: Payload | null;
  readonly cause: unknown;
  /** Whether the payload says what became of the post, also of earlier attempts. */
  readonly isSettled: boolean;
}

async function sendRepeatedly(
  client: Client,
  input: PublishInput,
  { idempotencyKey, attempts = ATTEMPTS, signal }: PublishOptions,
): Promise<Sent> {
  const variables = { input: { ...input, idempotencyKey } };
  let mayBeDone = false;
  const send = async (): Promise<Payload> => {
    try {
      return payloadIn(await client.request(CreatePost, variables, { signal }));
    } catch (error) {
      mayBeDone ||= !wasRefused(error);
      throw error;
    }
  };
  try {
    const payload = await repeat(send, { attempts, signal, mayImprove });
    return { payload, cause: null, isSettled: !isOpen(payload, mayBeDone) };
  } catch (cause) {
    signal?.throwIfAborted();
    if (!mayBeDone) throw cause;
    return { payload: null, cause, isSettled: false };
  }
}

function payloadIn({ createPost }: CreatePostMutation): Payload {
  if (!createPost) throw new Error('A payload is null only beside an error.');
  return createPost;
}

function mayImprove({ userErrors }: Payload): boolean {
  return userErrors.some(({ retryable }) => retryable);
}

/** Whether the graph refused an operation before it was executed: a response of an execution has `data`. */
function wasRefused(error: unknown): boolean {
  return error instanceof GraphError && error.data === undefined;
}

function isOpen({ outcome, userErrors }: Payload, mayBeDone: boolean): boolean {
  // That keys can't be remembered now says nothing about an earlier attempt.
  const isForgetful = userErrors.some(({ code }) => code === 'IDEMPOTENCY_UNAVAILABLE');
  return outcome === 'UNKNOWN' || (mayBeDone && isForgetful);
}

function resultOf(
  { outcome, postIds, replayed, userErrors }: Payload,
  idempotencyKey: string,
): PublishResult {
  if (outcome === 'REJECTED') return { outcome, idempotencyKey, userErrors };
  if (outcome === 'UNKNOWN') return { outcome, idempotencyKey, userErrors, cause: null };
  return { outcome, idempotencyKey, userErrors, postIds, replayed };
}

/** What the server has recorded for the key; null where it has nothing, or does not answer. */
async function lookUp(client: Client, { idempotencyKey, signal }: PublishOptions): Promise<Payload | null> {
  const look = () => client.request(FindWriteOutcome, { idempotencyKey }, { signal });
  try {
    const { writeOutcome } = await repeat(look, { attempts: LOOKS, signal, mayImprove: isUnderWay });
    const payload = writeOutcome?.payload;
    return payload && 'postIds' in payload ? payload : null;
  } catch {
    signal?.throwIfAborted();
    return null;
  }
}

function isUnderWay({ writeOutcome }: FindWriteOutcomeQuery): boolean {
  return writeOutcome?.isUnderWay === true;
}

/**
 * A new random key. Store it with the post before you publish: after a crash, the same key finds out what became of it.
 *
 * `crypto.randomUUID` is missing in pages that were not loaded over https, so it is not used.
 */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
