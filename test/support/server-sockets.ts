import { onTestFinished, vi } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';

type Upgrade = WebSocketServer['handleUpgrade'];

/** The server's ends of the sockets that are opened from now on, as long as the test goes on. */
export function watchServerSockets(): readonly WebSocket[] {
  const sockets: WebSocket[] = [];
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its own server as `this`
  const original = WebSocketServer.prototype.handleUpgrade;
  const spy = vi.spyOn(WebSocketServer.prototype, 'handleUpgrade');
  spy.mockImplementation(function watched(
    this: WebSocketServer,
    ...[request, stream, head, connected]: Parameters<Upgrade>
  ) {
    original.call(this, request, stream, head, (socket, of) => {
      sockets.push(socket);
      connected(socket, of);
    });
  });
  onTestFinished(() => spy.mockRestore());
  return sockets;
}

/** Watches one end of a socket; gives the most bytes that have waited to be taken, as of each message that was sent. */
export function watchBuffered(socket: WebSocket): () => number {
  let most = 0;
  const send = socket.send.bind(socket) as (...args: readonly unknown[]) => void;
  socket.send = ((...args: readonly unknown[]) => {
    send(...args);
    most = Math.max(most, socket.bufferedAmount);
  }) as WebSocket['send'];
  return () => most;
}
