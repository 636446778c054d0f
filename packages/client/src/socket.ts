import { createClient, type Client as SocketClient } from 'graphql-ws/client';
import type { Client } from './client.ts';
import { ConnectionError, GraphError, type ErrorOfGraph } from './errors.ts';
import { headersOf } from './headers.ts';
import { pause, pauseAfter, untilAborted } from './repeat.ts';

/** How long after the last pong the server is pinged, and how long it may take to answer. */
export const PING_MS = { pause: 21_000, patience: 9_000 };

/** The WebSocket of each client: open while something is followed, and shared by all that is. */
const sockets = new WeakMap<Client, SocketClient>();

const NO_WEB_SOCKET = 'This platform has no WebSocket. Pass that of the package ws as webSocketImpl.';

/** The WebSocket of a client. */
export function socketOf(client: Client): SocketClient {
  const known = sockets.get(client);
  if (known) return known;
  const { options } = client;
  const webSocketImpl = options.webSocketImpl ?? (globalThis as { readonly WebSocket?: unknown }).WebSocket;
  if (webSocketImpl === undefined) throw new ConnectionError(NO_WEB_SOCKET, { retryable: false });
  let overdue: ReturnType<typeof setTimeout> | undefined;
  const socket = createClient({
    url: options.url.replace(/^http/, 'ws'),
    webSocketImpl,
    connectionParams: () => headersOf(options),
    retryAttempts: 6,
    retryWait: (retries) => pause(pauseAfter(retries + 1)),
    // By default it gives up if there is no connection at all, for instance while the server restarts. Close codes that
    // another attempt would not change, such as 4401 for a revoked key, still end it.
    shouldRetry: () => true,
    // A connection may end without a word, for instance behind a router that has forgotten it.
    keepAlive: PING_MS.pause,
    on: {
      ping: (isReceived) => {
        if (!isReceived) overdue = setTimeout(() => socket.terminate(), PING_MS.patience);
      },
      pong: () => clearTimeout(overdue),
      closed: () => clearTimeout(overdue),
    },
  });
  sockets.set(client, socket);
  return socket;
}

/** What graphql-ws sends. */
export type SocketPayload = Parameters<SocketClient['iterate']>[0];

/** What graphql-ws passes on. */
interface SocketEvent {
  readonly data?: unknown;
  readonly errors?: unknown;
}

/** The results of a subscription. It fails with an error of this client, or with the reason of the signal. */
export async function* resultsOf<Result>(
  client: Client,
  payload: SocketPayload,
  signal: AbortSignal | undefined,
): AsyncGenerator<Result, void, undefined> {
  const events: AsyncIterator<SocketEvent> = socketOf(client).iterate(payload);
  try {
    for (;;) {
      const next = events.next().catch((error: unknown) => {
        throw socketError(error);
      });
      const { done, value } = await untilAborted(next, signal);
      if (done) return;
      if (value.errors) throw new GraphError(value.errors as ErrorOfGraph[], { data: value.data });
      yield value.data as Result;
    }
  } finally {
    await events.return?.();
  }
}

/** An error of graphql-ws as one of this client: errors of the graph, a closed socket, or one that never opened. */
function socketError(error: unknown): GraphError | ConnectionError {
  if (Array.isArray(error)) return new GraphError(error as ErrorOfGraph[]);
  const { code, reason = '' } = error as { readonly code?: unknown; readonly reason?: string };
  const isClosed = typeof code === 'number';
  const message = isClosed
    ? `The WebSocket was closed with code ${code}: ${reason}`
    : 'The WebSocket could not be opened.';
  const isFinal = isClosed && (code >= 4_400 || code === 1_008);
  return new ConnectionError(message, { retryable: !isFinal, cause: error });
}
