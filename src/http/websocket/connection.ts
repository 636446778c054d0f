import type { IncomingMessage } from 'node:http';
import type { Server } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { SocketLimits } from '../../config.ts';
import type { Log } from '../../observability/log.ts';
import { limitAge, watchPeer } from './lifetime.ts';
import { createMessageRate } from './message-rate.ts';
import { createSocketOperations, type SocketOperations } from './operations.ts';
import { CloseCode, MessageType, stringifyMessage } from './packages.ts';
import type { Caller } from './protocol.ts';
import type { Seat } from './seats.ts';
import { createSending } from './sending.ts';

/** Close code for a client that breaks a rule and would break it again; clients do not reconnect. */
const POLICY_VIOLATION = 1008;

/** The settings shared by all sockets. */
export interface SocketRules {
  readonly protocol: Server<Caller>;
  readonly limits: SocketLimits;
  readonly pingIntervalMs: number;
  readonly log: Log;
}

/** A new socket. */
export interface Arrival {
  /** The request that became the socket. */
  readonly request: IncomingMessage;
  readonly seat: Seat;
}

type Deliver = Parameters<Parameters<Server<Caller>['opened']>[0]['onMessage']>[0];

/** Connects one socket to the protocol, within the limits of a socket. Returns its activity. */
export function connect(
  socket: WebSocket,
  { request, seat }: Arrival,
  rules: SocketRules,
): Pick<SocketOperations, 'isExecuting'> {
  const { protocol, limits, pingIntervalMs, log } = rules;
  const operations = createSocketOperations();
  const sending = createSending(socket);
  const failed = (error: unknown): void => log.info({ err: error }, 'a WebSocket failed');
  socket.on('error', failed);
  watchPeer(socket, pingIntervalMs);
  limitAge(socket, limits.maxAgeMs, () => operations.isExecuting);
  const comesInTime = limitRate(socket, limits);
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send: (text) => sending.send(operations.forClient(text)),
      close: (code, reason) => socket.close(code, reason),
      onPing: (payload) =>
        sending.sendInPassing(stringifyMessage({ type: MessageType.Pong, ...(payload && { payload }) })),
      onMessage: (deliver) => {
        const receive = receiver(socket, deliver, operations);
        socket.on('message', (data: Buffer) => {
          if (!comesInTime()) return;
          receive(data.toString()).catch((error: unknown) => {
            log.error({ err: error }, 'failed to handle a WebSocket message');
            socket.close(CloseCode.InternalServerError, 'Internal server error');
          });
        });
      },
    },
    {
      request,
      seat,
      operations,
      hangUp: sending.hangUp,
      shutOut: () => socket.close(CloseCode.Unauthorized, 'Unauthorized'),
      keys: new Set(),
      hasRevokedKey: false,
    },
  );
  socket.once('close', (code, reason) => {
    operations.abortAll();
    closed(code, String(reason)).catch(failed);
  });
  return operations;
}

/** Closes a socket whose messages, pings and pongs arrive too fast. Messages during the close are ignored. */
function limitRate(socket: WebSocket, limits: SocketLimits): () => boolean {
  const isInTime = createMessageRate(limits);
  const comesInTime = (): boolean => {
    if (socket.readyState !== socket.OPEN) return false;
    if (isInTime()) return true;
    socket.close(POLICY_VIOLATION, 'Too many messages');
    return false;
  };
  socket.on('ping', comesInTime);
  socket.on('pong', comesInTime);
  return comesInTime;
}

/** Passes the client's messages to the protocol, under this server's names for the operations. */
function receiver(
  socket: WebSocket,
  deliver: Deliver,
  operations: SocketOperations,
): (text: string) => Promise<void> {
  // The protocol's library accepts messages parsed or not, and closes the socket if it cannot use one.
  const pass = (message: unknown): Promise<void> => deliver(message as string);
  return async (text) => {
    const message = parse(text);
    if (isServers(message)) return socket.close(CloseCode.BadRequest, 'Invalid message received');
    if (!isNamed(message)) return await pass(text);
    if (message.type === 'complete') {
      return await pass({ ...message, id: operations.cancel(message.id) ?? message.id });
    }
    const name = operations.begin(message.id);
    if (name === null) socket.close(CloseCode.SubscriberAlreadyExists, reasonOfTaken(message.id));
    else await pass({ ...message, id: name }).finally(() => operations.end(name));
  };
}

/** The reason of a close is limited to 123 bytes. */
const LONGEST_ID_BYTES = 64;

function reasonOfTaken(id: string): string {
  return Buffer.byteLength(id) > LONGEST_ID_BYTES
    ? 'Subscriber already exists'
    : `Subscriber for ${id} already exists`;
}

interface NamedMessage {
  readonly id: string;
  readonly type: 'subscribe' | 'complete';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Whether a message is one that only servers send, for which the protocol's library has no close code. */
function isServers(message: unknown): boolean {
  if (typeof message !== 'object' || message === null || !('type' in message)) return false;
  return ['connection_ack', 'next', 'error'].includes(String(message.type));
}

function isNamed(message: unknown): message is NamedMessage {
  if (typeof message !== 'object' || message === null || !('type' in message) || !('id' in message))
    return false;
  const { id, type } = message;
  return (type === 'subscribe' || type === 'complete') && typeof id === 'string' && id !== '';
}
