import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { PushParts, SocketIo } from './socket-io.ts';
import { createWebSocketPush, WEB_SOCKET_PATH } from './web-socket.ts';

const SOCKET_IO_PATH = '/socket.io/';

/** Both push servers on one HTTP server. */
export interface PushServer {
  /** Closes every push socket. */
  close(): Promise<void>;
}

/**
 * Adds socket.io under /socket.io and the plain WebSocket under /push; rejects other upgrades, and leaves all other
 * requests to `answer`. The packages of socket.io are loaded when it is first requested: they take as long as the rest
 * of the sandbox.
 */
export function attachPush(
  server: Server,
  answer: (req: IncomingMessage, res: ServerResponse) => void,
  parts: PushParts,
): PushServer {
  // Listens on no port: it only gets the events of socket.io.
  const inner = createServer();
  let loading: Promise<SocketIo> | undefined;
  const load = (): Promise<SocketIo> =>
    (loading ??= import('./socket-io.ts').then(({ attachSocketIo }) => attachSocketIo(inner, parts)));
  const webSockets = createWebSocketPush(parts);
  server.on('request', (req, res) => {
    if (req.url?.startsWith(SOCKET_IO_PATH)) void load().then(() => inner.emit('request', req, res));
    else answer(req, res);
  });
  server.on('upgrade', (req, socket, head) => {
    // Once a socket is upgraded, nothing else handles its errors, and an unhandled one ends the process.
    socket.on('error', () => socket.destroy());
    if (req.url?.startsWith(SOCKET_IO_PATH)) {
      void load().then(() => inner.emit('upgrade', req, socket, head));
      return;
    }
    const [path = ''] = (req.url ?? '').split('?');
    if (path !== WEB_SOCKET_PATH) {
      socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    parts.logHandshake(req);
    webSockets.accept(req, socket, head);
  });
  return { close: async () => (await loading)?.close() };
}
