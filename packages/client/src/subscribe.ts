import type { Client, RequestOptions } from './client.ts';
import { ConnectionError } from './errors.ts';
import { pause, pauseAfter } from './repeat.ts';
import { resultsOf, socketOf, type SocketPayload } from './socket.ts';
import type { TypedDocument } from './typed-document.ts';

/** How a subscription is followed. */
export interface SubscribeOptions extends RequestOptions {
  /** Called with true when the connection opens and with each result, and with false when it is lost. */
  readonly onConnection?: ((isOpen: boolean) => void) | undefined;
}

/**
 * Follows a subscription, such as `QueueChanged`, and yields its results. When its connection is lost, it subscribes again,
 * for as long as the loop runs; a subscription of this graph, except `aiGenerationFinished`, then begins with the current
 * state. All loops of a client share one WebSocket.
 *
 * @throws {GraphError} if the graph refuses.
 * @throws {ConnectionError} if the server refuses the connection for good, such as after a key was revoked.
 */
export async function* subscribe<Result, Variables extends Readonly<Record<string, unknown>>>(
  client: Client,
  document: TypedDocument<Result, Variables>,
  variables: NoInfer<Variables>,
  { signal, onConnection }: SubscribeOptions = {},
): AsyncGenerator<Result, void, undefined> {
  signal?.throwIfAborted();
  const socket = socketOf(client);
  const stops = [
    socket.on('connected', () => onConnection?.(true)),
    socket.on('closed', () => onConnection?.(false)),
  ];
  try {
    yield* subscribeAgain(client, { query: String(document), variables }, { signal, onConnection });
  } finally {
    for (const stop of stops) stop();
  }
}

async function* subscribeAgain<Result>(
  client: Client,
  payload: SocketPayload,
  { signal, onConnection }: SubscribeOptions,
): AsyncGenerator<Result, void, undefined> {
  let failures = 0;
  for (;;) {
    try {
      for await (const result of resultsOf<Result>(client, payload, signal)) {
        failures = 0;
        onConnection?.(true);
        yield result;
      }
      return;
    } catch (error) {
      if (!(error instanceof ConnectionError && error.retryable)) throw error;
    }
    onConnection?.(false);
    failures += 1;
    await pause(pauseAfter(failures), signal);
  }
}
