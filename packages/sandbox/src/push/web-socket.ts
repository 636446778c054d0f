import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import type { Credentials } from '../credentials.ts';
import type { Owner } from '../data/model.ts';
import { toJson } from '../wire/json.ts';
import type { PushHub } from './hub.ts';
import type { PushParts } from './socket-io.ts';

/** Path of the plain WebSocket. */
export const WEB_SOCKET_PATH = '/push';

const FIRST_MESSAGE_MS = 5_000;
const UNAUTHORIZED = 4401;

/** Takes over upgrades to the plain WebSocket; messages are JSON text. */
export interface WebSocketPush {
  /** Upgrades a request, or rejects it with an HTTP status. */
  accept(req: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/**
 * The plain WebSocket push server.
 *
 * The API key is sent in the header `x-api-key`, in the query (`apiKey` or `x-api-key`), or as the first message,
 * `{ "apiKey": ... }`. A wrong key in the handshake yields a 401; a wrong or missing first message closes with 4401.
 */
export function createWebSocketPush({ hub, credentials }: PushParts): WebSocketPush {
  const wss = new WebSocketServer({ noServer: true });
  return {
    accept(req, socket, head) {
      const key = handshakeKey(req);
      const owner = credentials.ownerOfKey(key);
      if (hub.refusing) return refuse(socket, '503 Service Unavailable');
      if (key !== null && !owner) return refuse(socket, '401 Unauthorized');
      wss.handleUpgrade(req, socket, head, (webSocket) => {
        // A peer that breaks the protocol; the `close` event that follows is enough.
        webSocket.on('error', () => undefined);
        if (owner) enter(webSocket, owner, hub);
        else awaitKey(webSocket, credentials, hub);
      });
    },
  };
}

function handshakeKey(req: IncomingMessage): string | null {
  const header = req.headers['x-api-key'];
  if (typeof header === 'string') return header;
  const { searchParams } = new URL(req.url ?? '/', 'http://localhost');
  return searchParams.get('apiKey') ?? searchParams.get('x-api-key');
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

function enter(webSocket: WebSocket, owner: Owner, hub: PushHub): void {
  const leave = hub.join({
    owner,
    send: (_event, message) => webSocket.send(toJson(message)),
    kill: () => webSocket.terminate(),
  });
  webSocket.once('close', leave);
}

function awaitKey(webSocket: WebSocket, credentials: Credentials, hub: PushHub): void {
  const timer = setTimeout(() => webSocket.close(UNAUTHORIZED, 'no API key'), FIRST_MESSAGE_MS);
  webSocket.once('close', () => clearTimeout(timer));
  webSocket.once('message', (data: Buffer) => {
    clearTimeout(timer);
    const owner = credentials.ownerOfKey(keyIn(data.toString('utf8')));
    if (owner) enter(webSocket, owner, hub);
    else webSocket.close(UNAUTHORIZED, 'wrong API key');
  });
}

function keyIn(text: string): string | null {
  try {
    const message: unknown = JSON.parse(text);
    const key =
      typeof message === 'object' && message !== null && 'apiKey' in message ? message.apiKey : null;
    return typeof key === 'string' ? key : null;
  } catch {
    // Invalid JSON contains no key; the socket is then closed.
    return null;
  }
}
