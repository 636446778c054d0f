import type { IncomingMessage, Server as HttpServer } from 'node:http';
import { Server } from 'socket.io';
import type { Socket } from 'socket.io';
import type { Credentials } from '../credentials.ts';
import type { Owner } from '../data/model.ts';
import type { PushHub } from './hub.ts';

export type SocketIo = Server;

/** The dependencies of a push server. */
export interface PushParts {
  readonly hub: PushHub;
  readonly credentials: Credentials;
  /** Writes a handshake to the request log. */
  readonly logHandshake: (req: IncomingMessage) => void;
}

/**
 * Adds the socket.io push server.
 *
 * The API key is sent in the header `x-api-key`, or as `apiKey` or `x-api-key` in `auth` or in the query.
 */
export function attachSocketIo(server: HttpServer, { hub, credentials, logHandshake }: PushParts): Server {
  const io = new Server(server, {
    serveClient: false,
    destroyUpgrade: false,
    allowRequest: (req, decide) => {
      logHandshake(req);
      decide(hub.refusing ? 'no new sockets' : null, !hub.refusing);
    },
  });
  io.use((socket, next) => {
    next(ownerOf(socket, credentials) ? undefined : new Error('The API key is missing or invalid.'));
  });
  io.on('connection', (socket) => {
    const owner = ownerOf(socket, credentials);
    if (!owner) return;
    const leave = hub.join({
      owner,
      send: (event, message) => socket.emit(event, message),
      kill: () => socket.conn.close(true),
    });
    socket.once('disconnect', leave);
  });
  return io;
}

function ownerOf({ handshake }: Socket, credentials: Credentials): Owner | null {
  const auth: Record<string, unknown> = handshake.auth;
  const { query } = handshake;
  const places = [
    handshake.headers['x-api-key'],
    auth['apiKey'],
    auth['x-api-key'],
    query['apiKey'],
    query['x-api-key'],
  ];
  const key = places.find((place) => typeof place === 'string');
  return credentials.ownerOfKey(typeof key === 'string' ? key : null);
}
