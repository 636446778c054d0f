import type { IncomingMessage, Server as NodeServer } from 'node:http';
import type { Socket } from 'node:net';
import type { ClosingResponse } from './closing-response.ts';
import { MAX_HEADERS } from './listener.ts';
import { isWebSocketUpgrade, turnAway, withoutUpgrade } from './upgrades.ts';

/** The connections of an HTTP server. */
export interface Connections {
  /** Closes idle connections, and from now on each other one as soon as its responses have been sent. */
  closeIdle(): void;
}

type Server = NodeServer<typeof IncomingMessage, typeof ClosingResponse>;

/** The activity on a connection. */
interface Traffic {
  /** The number of requests being answered. */
  answering: number;
  /** Parses a request again once those before it have been answered; null if none is waiting. */
  parseNext: (() => void) | null;
}

/**
 * Tracks the connections of a server. Node does not consider connections idle that have sent nothing, or half a
 * request; browsers, load balancers and clients open some in advance, and shutdown would wait for them. WebSockets are
 * handled elsewhere; a request for any other upgrade is answered as an ordinary one.
 */
export function watchConnections(server: Server): Connections {
  const connections = new Map<Socket, Traffic>();
  let isClosing = false;
  const change = (socket: Socket, by: number): void => {
    const traffic = connections.get(socket);
    if (traffic === undefined) return;
    traffic.answering += by;
    if (traffic.answering > 0) return;
    if (isClosing) socket.destroySoon();
    else traffic.parseNext?.();
  };
  server.on('connection', (socket) => {
    // Emitted again when the connection is parsed again.
    if (connections.has(socket)) return;
    connections.set(socket, { answering: 0, parseNext: null });
    socket.once('close', () => connections.delete(socket));
  });
  server.on('upgrade', (request: IncomingMessage, _stream: unknown, rest: Buffer) => {
    const { socket } = request;
    const traffic = connections.get(socket);
    if (isWebSocketUpgrade(request)) connections.delete(socket);
    else if (traffic !== undefined) ignoreUpgrade(server, { request, rest, traffic });
  });
  server.on('request', ({ socket }: IncomingMessage, response: ClosingResponse) => {
    change(socket, 1);
    response.whenClosed(() => change(socket, -1));
  });
  return {
    closeIdle() {
      isClosing = true;
      for (const [socket, { answering }] of connections) if (answering === 0) socket.destroySoon();
    },
  };
}

interface IgnoredUpgrade {
  readonly request: IncomingMessage;
  /** The bytes after the head of the request. */
  readonly rest: Buffer;
  readonly traffic: Traffic;
}

const ignore = (): void => undefined;

function ignoreUpgrade(server: Server, { request, rest, traffic }: IgnoredUpgrade): void {
  const { socket } = request;
  // Node.js has removed its own listener, and an unhandled error would end the process.
  socket.on('error', ignore);
  traffic.parseNext = () => {
    traffic.parseNext = null;
    if (!socket.writable) return;
    // Node.js omits the headers beyond its own limit, and one of them may state the length of the body.
    if (request.rawHeaders.length / 2 > MAX_HEADERS) return turnAway(socket, 431);
    socket.off('error', ignore);
    // The previous response may have started the idle timer, which would close this connection.
    socket.setTimeout(server.timeout);
    socket.unshift(withoutUpgrade(request, rest));
    server.emit('connection', socket);
  };
  // The responses of two parsers would not wait for each other.
  if (traffic.answering === 0) traffic.parseNext();
}
