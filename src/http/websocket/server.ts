import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as after } from 'node:timers/promises';
import type { ServerOptions, WebSocket } from 'ws';
import { readCredentials } from '../access.ts';
import { paced } from '../paced.ts';
import { mayOpenSocket } from '../origins.ts';
import { isWebSocketUpgrade, turnAway } from '../upgrades.ts';
import type { Readiness } from '../readiness.ts';
import type { RefusedOrigins } from '../origins.ts';
import { connect, type SocketRules } from './connection.ts';
import { PING_INTERVAL_MS, SERVICE_RESTART } from './lifetime.ts';
import { holdsCredential, NOT_IN_ADDRESS, normalisePath, type Refusal } from '../admission.ts';
import { handleProtocols, WebSocketServer } from './packages.ts';
import { LONGEST_WRITE_MS } from '../../writes/coordinator.ts';
import { createProtocol, type ProtocolParts } from './protocol.ts';
import type { Seat, Seats } from './seats.ts';

/** How long a client may take to confirm a close before it is disconnected. */
const CLOSE_TIMEOUT_MS = 2_000;

/** How long shutdown waits for socket operations other than writes, and its polling interval, in milliseconds. */
const LONGEST_READ_MS = 17_000;
const LOOK_MS = 50;

/** The parts of the server that the sockets need. */
export interface WebSocketOptions extends ProtocolParts {
  readonly path: string;
  readonly readiness: Readiness;
  readonly seats: Seats;
  readonly refusedOrigins: RefusedOrigins;
  /** How often clients are pinged; a missing one is detected after twice this time. */
  readonly pingIntervalMs?: number | undefined;
}

// The package's types omit `closeTimeout`.
const SOCKET_SERVER: ServerOptions & { readonly closeTimeout: number } = {
  noServer: true,
  clientTracking: true,
  handleProtocols,
  perMessageDeflate: false,
  closeTimeout: CLOSE_TIMEOUT_MS,
  maxPayload: 128 * 1024,
  // A message may be fragmented, but not too finely: each fragment costs far more than its bytes.
  maxFragments: 128,
  maxBufferedChunks: 1_024,
};

/** Answers GraphQL over WebSocket (the graphql-transport-ws protocol) on one path of an HTTP server. */
export function serveWebSocket(server: EventEmitter, options: WebSocketOptions): { close(): Promise<void> } {
  const { services, pingIntervalMs = PING_INTERVAL_MS } = options;
  const { config, log, metrics } = services;
  const sockets = new WebSocketServer(SOCKET_SERVER);
  const working = new WeakMap<WebSocket, ReturnType<typeof connect>>();
  metrics.gauge('graphql_sockets_open', 'Number of open WebSockets.', () => sockets.clients.size);
  const rules: SocketRules = {
    protocol: createProtocol(options),
    limits: config.sockets,
    pingIntervalMs,
    log,
  };
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    if (!isWebSocketUpgrade(request)) return;
    // Without a listener, a peer that disconnects before the response would end the process.
    stream.on('error', () => undefined);
    const admission = admit(request, options);
    if ('status' in admission) {
      const { status, message } = admission;
      log.info({ status }, 'refused a WebSocket');
      turnAway(stream, status, message);
      return;
    }
    // The seat is freed with the connection, even if it never becomes a socket.
    stream.once('close', admission.leave);
    sockets.handleUpgrade(request, stream, head, (socket) => {
      working.set(socket, connect(socket, { request, seat: admission }, rules));
    });
  });
  return {
    close: async () => {
      const startedAt = performance.now();
      // A client whose socket closes during a write sends it again.
      const isPatient = (): boolean =>
        performance.now() - startedAt < (services.writes.isIdle() ? LONGEST_READ_MS : LONGEST_WRITE_MS);
      await paced([...sockets.clients], (socket) => {
        const isWorking = (): boolean => working.get(socket)?.isExecuting === true && isPatient();
        void closeAfter(socket, isWorking);
      });
      await new Promise<void>((resolve) => sockets.close(() => resolve()));
    },
  };
}

// A client that loses its socket during an operation sends it again when it reconnects, including mutations.
async function closeAfter(socket: WebSocket, isWorking: () => boolean): Promise<void> {
  while (isWorking()) await after(LOOK_MS);
  socket.close(SERVICE_RESTART, 'Service restart');
}

/** Returns a seat for the requested socket, or why it is rejected. */
function admit(request: IncomingMessage, options: WebSocketOptions): Seat | Refusal {
  const { path, services, readiness, seats, refusedOrigins } = options;
  const { url = '', headers, socket } = request;
  if (normalisePath(request) !== path) return { status: 404, message: `Open WebSockets at ${path}.` };
  if (readiness.isStopped) return { status: 503, message: 'The server is shutting down.' };
  if (holdsCredential(url)) return { status: 400, message: NOT_IN_ADDRESS };
  if (!mayOpenSocket(request, services.config))
    return refusedOrigins.refuse(headers.origin ?? '', 'open a WebSocket');
  const seat = seats.take(socket.remoteAddress ?? '', readCredentials(headers));
  return seat ?? { status: 503, message: 'Too many WebSockets are open.' };
}
