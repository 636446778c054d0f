import type { Client, RequestOptions } from './client.ts';
import { AiGenerationUpdated, type AiGenerationUpdatedSubscription } from './documents.ts';
import { ConnectionError, GraphError, type ErrorOfGraph } from './errors.ts';
import { untilAborted } from './repeat.ts';
import { nextOf, socketOf, type SocketEvent } from './socket.ts';

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
  const events = socketOf(client).iterate({ query: String(AiGenerationUpdated), variables: { id } });
  let status: FollowedGeneration['status'] | null = null;
  try {
    for (;;) {
      const event = await untilAborted(nextOf(events), signal);
      if (event === null) break;
      const generation = generationIn(event);
      // After a reconnection the present state comes again.
      if (generation.status === status) continue;
      status = generation.status;
      yield generation;
    }
  } finally {
    await events.return?.();
  }
  if (status === null || status === 'PENDING')
    throw new ConnectionError('The server ended the stream before the result.', { retryable: true });
}

function generationIn({ data, errors }: SocketEvent): FollowedGeneration {
  if (errors) throw new GraphError(errors as ErrorOfGraph[], { data });
  const { aiGenerationUpdated } = data as AiGenerationUpdatedSubscription;
  if (!aiGenerationUpdated) throw new Error('A generation is null only beside an error.');
  return aiGenerationUpdated;
}
