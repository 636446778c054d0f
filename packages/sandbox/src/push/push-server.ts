import type { Server as HttpServer } from 'node:http';
import { attachSocketIo, SOCKET_IO_PATH } from './socket-io.ts';
import type { PushParts } from './socket-io.ts';
import { createWebSocketPush, WEB_SOCKET_PATH } from './web-socket.ts';

/** Both push servers on one HTTP server. */
export interface PushServer {
  /** Closes every push socket, and the HTTP server with them. */
  close(): Promise<void>;
}

/** Adds socket.io under /socket.io and the plain WebSocket under /push; other upgrades are rejected. */
export function attachPush(server: HttpServer, parts: PushParts): PushServer {
  const io = attachSocketIo(server, parts);
  const webSockets = createWebSocketPush(parts);
  server.on('upgrade', (req, socket, head) => {
    const [path = ''] = (req.url ?? '').split('?');
    if (path.startsWith(SOCKET_IO_PATH)) return;
    // Once a socket is upgraded, nothing else handles its errors, and an unhandled one ends the process.
    socket.on('error', () => socket.destroy());
    parts.logHandshake(req);
    if (path === WEB_SOCKET_PATH) webSockets.accept(req, socket, head);
    else socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  });
  return { close: () => io.close() };
}
