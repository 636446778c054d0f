import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ClosingResponse } from './closing-response.ts';

/** The connections of an HTTP server. */
export interface Connections {
  /** Closes those on which nothing is being answered, and from now on each as soon as its answers have been sent. */
  closeIdle(): void;
}

/**
 * Watches the connections of a server. Node's own idea of an idle connection leaves out those on which nothing, or half a
 * request, has been said; browsers, balancers and clients open some to have them at hand, and a server that ends would
 * wait for them. Sockets that were upgraded are somebody else's.
 */
export function watchConnections(
  server: Server<typeof IncomingMessage, typeof ClosingResponse>,
): Connections {
  const answering = new Map<Socket, number>();
  let isClosing = false;
  const change = (socket: Socket, by: number): void => {
    const count = answering.get(socket);
    if (count === undefined) return;
    answering.set(socket, count + by);
    if (isClosing && count + by === 0) socket.destroySoon();
  };
  server.on('connection', (socket) => {
    answering.set(socket, 0);
    socket.once('close', () => answering.delete(socket));
  });
  server.on('upgrade', ({ socket }: IncomingMessage) => answering.delete(socket));
  server.on('request', ({ socket }: IncomingMessage, response: ClosingResponse) => {
    change(socket, 1);
    response.whenClosed(() => change(socket, -1));
  });
  return {
    closeIdle() {
      isClosing = true;
      for (const [socket, count] of answering) if (count === 0) socket.destroySoon();
    },
  };
}
