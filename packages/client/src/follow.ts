import type { Client, RequestOptions } from './client.ts';
import { AiGenerationUpdated, type AiGenerationUpdatedSubscription } from './documents.ts';
import { ConnectionError } from './errors.ts';
import { resultsOf } from './socket.ts';

/** A generated text, as it stands. */
export type FollowedGeneration = NonNullable<AiGenerationUpdatedSubscription['aiGenerationUpdated']>;

/**
 * Follows one AI generation: yields it as it stands, and then, if that was `PENDING`, as `COMPLETE` with its text or as
 * `EXPIRED`. A lost connection is opened again, and what was yielded before is not repeated. Following costs no credit, so
 * start again as often as you like.
 *
 * @param id The id of an `AiGeneration`.
 * @throws {GraphError} if the graph refuses.
 * @throws {ConnectionError} if no connection can be made, or if it ends for good.
 */
export async function* follow(
  client: Client,
  id: string,
  { signal }: RequestOptions = {},
): AsyncGenerator<FollowedGeneration, void, undefined> {
  signal?.throwIfAborted();
  const payload = { query: String(AiGenerationUpdated), variables: { id } };
  const results = resultsOf<AiGenerationUpdatedSubscription>(client, payload, signal);
  let status: FollowedGeneration['status'] | null = null;
  for await (const { aiGenerationUpdated } of results) {
    if (!aiGenerationUpdated) throw new Error('A generation is null only beside an error.');
    // After a reconnection the present state comes again.
    if (aiGenerationUpdated.status === status) continue;
    status = aiGenerationUpdated.status;
    yield aiGenerationUpdated;
  }
  if (status === null || status === 'PENDING')
    throw new ConnectionError('The server ended the stream before the result.', { retryable: true });
}
