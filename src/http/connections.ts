import type { IncomingMessage, Server as NodeServer } from 'node:http';
import type { Socket } from 'node:net';
import type { ClosingResponse } from './closing-response.ts';
import { MAX_HEADERS } from './listener.ts';
import { isWebSocketUpgrade, turnAway, withoutUpgrade } from './upgrades.ts';

/** The connections of an HTTP server. */
export interface Connections {
  /** Closes those on which nothing is being answered, and from now on each as soon as its answers have been sent. */
  closeIdle(): void;
}

type Server = NodeServer<typeof IncomingMessage, typeof ClosingResponse>;

/** What is going on on a connection. */
interface Traffic {
  /** How many requests are being answered. */
  answering: number;
  /** Has a request parsed again once those before it have been answered; null where none waits for that. */
  parseNext: (() => void) | null;
}

/**
 * Watches the connections of a server. Node's own idea of an idle connection leaves out those on which nothing, or half a
 * request, has been said; browsers, balancers and clients open some to have them at hand, and a server that ends would
 * wait for them. WebSockets are somebody else's; a request for any other upgrade is answered as an ordinary one.
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
    // It is announced again when it is parsed again.
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
  /** What came after the head of the request. */
  readonly rest: Buffer;
  readonly traffic: Traffic;
}

const ignore = (): void => undefined;

function ignoreUpgrade(server: Server, { request, rest, traffic }: IgnoredUpgrade): void {
  const { socket } = request;
  // Node.js has taken its own listener away, and an error that nobody listens for would end the process.
  socket.on('error', ignore);
  traffic.parseNext = () => {
    traffic.parseNext = null;
    if (!socket.writable) return;
    // Node.js leaves out the headers beyond its own limit, and one of them may say how long the body is.
    if (request.rawHeaders.length / 2 > MAX_HEADERS) return turnAway(socket, 431);
    socket.off('error', ignore);
    // The answer before may have started the timer of an idle connection, which would cut this one off.
    socket.setTimeout(server.timeout);
    socket.unshift(withoutUpgrade(request, rest));
    server.emit('connection', socket);
  };
  // The answers of two parsers would not wait for each other.
  if (traffic.answering === 0) traffic.parseNext();
}
