import type { Client } from './client.ts';
import { CreatePost, type CreatePostInput, type CreatePostMutation } from './documents.ts';
import { writeOnce, type WriteOptions, type WriteResult } from './write-once.ts';

type Payload = NonNullable<CreatePostMutation['createPost']>;

/** The post; its key is an option. */
export type PublishInput = Omit<CreatePostInput, 'idempotencyKey'>;

/** How a post is published. */
export type PublishOptions = WriteOptions;

/** What is known of a post. */
export type PublishResult = {
  readonly idempotencyKey: string;
  /** What stood in the way, or is missing. */
  readonly userErrors: WriteResult<Payload>['userErrors'];
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
  return resultOf(
    await writeOnce(client, { document: CreatePost, select: ({ createPost }) => createPost }, input, options),
  );
}

function resultOf({
  outcome,
  idempotencyKey,
  userErrors,
  payload,
  recorded,
  cause,
}: WriteResult<Payload>): PublishResult {
  if (outcome === 'REJECTED') return { outcome, idempotencyKey, userErrors };
  if (outcome === 'UNKNOWN') return { outcome, idempotencyKey, userErrors, cause };
  const { postIds, replayed } = payload ?? createdIn(recorded);
  return { outcome, idempotencyKey, userErrors, postIds, replayed };
}

function createdIn(recorded: WriteResult<Payload>['recorded']): Pick<Payload, 'postIds' | 'replayed'> {
  return recorded && 'postIds' in recorded ? recorded : { postIds: null, replayed: true };
}
