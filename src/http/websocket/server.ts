import type { EventEmitter } from 'node:events';
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { handleProtocols } from 'graphql-ws';
import { WebSocketServer, type ServerOptions } from 'ws';
import { callerHeaders, readCredentials } from '../access.ts';
import { GRAPHQL_PATH, normalisePath, Refusal } from '../exchange.ts';
import { mayOpenSocket, type RefusedOrigins } from '../origins.ts';
import { refusalOfAddress } from '../parameters.ts';
import type { Readiness } from '../readiness.ts';
import type { Seat, Seats } from '../seats.ts';
import { Connection } from './connection.ts';
import { createProtocol, type ProtocolParts } from './protocol.ts';

/** How often a client is pinged, in milliseconds; a missing one is detected after twice this time. */
const PING_INTERVAL_MS = 12_000;
/** How long a client may take to confirm a close before it is disconnected, in milliseconds. */
const CLOSE_TIMEOUT_MS = 2_000;

/** The parts of the server that the sockets need. */
export interface WebSocketOptions extends ProtocolParts {
  readonly readiness: Readiness;
  readonly seats: Seats;
  readonly refusedOrigins: RefusedOrigins;
  readonly pingIntervalMs?: number | undefined;
}

/** The sockets of one server. */
export interface Sockets {
  /** Closes all sockets, each once it executes nothing; resolves when all of them are closed. */
  close(): Promise<void>;
  /** Closes those that are still executing; called when shutdown waits no longer. */
  closeNow(): void;
}

// The package's types omit `closeTimeout`.
const SOCKET_SERVER: ServerOptions & { readonly closeTimeout: number } = {
  noServer: true,
  handleProtocols,
  perMessageDeflate: false,
  closeTimeout: CLOSE_TIMEOUT_MS,
  maxPayload: 128 * 1024,
  // A message may be fragmented, but not too finely: each fragment costs far more than its bytes.
  maxFragments: 128,
  maxBufferedChunks: 1_024,
};

/** Answers GraphQL over WebSocket (the graphql-transport-ws protocol) on the GraphQL path of an HTTP server. */
export function serveWebSocket(server: EventEmitter, options: WebSocketOptions): Sockets {
  const { services, pingIntervalMs = PING_INTERVAL_MS } = options;
  const { config, log, metrics } = services;
  const sockets = new WebSocketServer(SOCKET_SERVER);
  const connections = new Set<Connection>();
  const rules = { protocol: createProtocol(options), limits: config.sockets, pingIntervalMs, log };
  metrics.gauge('graphql_sockets_open', 'Number of open WebSockets.', () => connections.size);
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    // Without a listener, a peer that disconnects before the response would end the process.
    stream.on('error', () => undefined);
    const admission = admit(request, options);
    if (admission instanceof Refusal) {
      log.info({ status: admission.status }, 'refused a WebSocket');
      turnAway(stream, admission);
      return;
    }
    // The seat is freed with the connection, even if it never becomes a socket.
    stream.on('close', admission.leave);
    const kept = { headers: callerHeaders(request.headers), socket: request.socket };
    sockets.handleUpgrade(request, stream, head, (socket) => {
      const connection = new Connection(socket, kept, admission, rules);
      connections.add(connection);
      socket.on('close', () => connections.delete(connection));
    });
  });
  return {
    async close() {
      for (const connection of connections) connection.restart('Service restart');
      await new Promise<void>((resolve) => sockets.close(() => resolve()));
    },
    closeNow() {
      for (const connection of connections) connection.closeNow();
    },
  };
}

/** Returns a seat for the requested socket, or why it is refused. */
function admit(request: IncomingMessage, options: WebSocketOptions): Seat | Refusal {
  const { services, readiness, seats, refusedOrigins } = options;
  const { headers, socket } = request;
  if (normalisePath(request) !== GRAPHQL_PATH) return new Refusal(404, `Open WebSockets at ${GRAPHQL_PATH}.`);
  if (readiness.isStopped) return new Refusal(503, 'The server is shutting down.');
  const refusal = refusalOfAddress(request);
  if (refusal !== null) return refusal;
  if (!mayOpenSocket(request, services.config)) return refusedOrigins.refuse(headers, 'open a WebSocket');
  const seat = seats.take(socket.remoteAddress ?? '', readCredentials(headers));
  return seat ?? new Refusal(503, 'Too many WebSockets are open.');
}

/** Answers a request on a connection that Node no longer parses; a browser does not show the message to its page. */
function turnAway(stream: Duplex, { status, message }: Refusal): void {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    'content-type: text/plain; charset=utf-8',
    `content-length: ${Buffer.byteLength(message)}`,
    ...(status === 503 ? ['retry-after: 5'] : []),
  ];
  // A peer that does not close its own side would otherwise keep the connection, and the server, open forever.
  stream.end(`${lines.join('\r\n')}\r\n\r\n${message}`, () => stream.destroy());
}
