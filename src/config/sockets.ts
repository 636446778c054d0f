import type { z } from 'zod';
import { duration, whole } from './setting.ts';

/** How many sockets may be open, for how long, and how fast they may send. */
export interface SocketLimits {
  /** Maximum number of sockets of this process. */
  readonly maxSockets: number;
  /** Maximum number of sockets that have presented the same credential. */
  readonly maxPerCredential: number;
  /** Maximum number of sockets of one address for which the service has accepted no credential yet. */
  readonly maxAnonymousPerAddress: number;
  /** Maximum age of a socket, in milliseconds, plus or minus 10%. */
  readonly maxAgeMs: number;
  readonly messagesPerSecond: number;
  /** How many messages may arrive at once. */
  readonly messageBurst: number;
}

const MANY = 1_000_000;

/** The environment variables for sockets. */
export const socketSettings = {
  MAX_SOCKETS: whole(0, MANY)
    .default(10_000)
    .describe(
      'maximum number of WebSockets and event streams per process; a quarter is reserved for accepted credentials',
    ),
  MAX_SOCKETS_PER_CREDENTIAL: whole(1, MANY)
    .default(100)
    .describe('maximum number of WebSockets and event streams per credential'),
  MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: whole(0, MANY)
    .default(20)
    .describe(
      'maximum number of WebSockets and event streams per client address without an accepted credential; raise it up to MAX_SOCKETS behind a proxy, where all callers share an address',
    ),
  MAX_SOCKET_AGE: duration('1h', { least: '1s', most: '24h' }).describe(
    'maximum age of a WebSocket, plus or minus a tenth',
  ),
  WS_MESSAGES_PER_SECOND: whole(1, MANY)
    .default(20)
    .describe('maximum number of messages per second on a WebSocket, on average'),
  WS_MESSAGE_BURST: whole(1, MANY).default(50).describe('maximum burst of messages on a WebSocket'),
};

/** Builds the limits from the variables. */
export function socketLimitsOf(values: z.output<z.ZodObject<typeof socketSettings>>): SocketLimits {
  return {
    maxSockets: values.MAX_SOCKETS,
    maxPerCredential: values.MAX_SOCKETS_PER_CREDENTIAL,
    maxAnonymousPerAddress: values.MAX_ANONYMOUS_SOCKETS_PER_ADDRESS,
    maxAgeMs: values.MAX_SOCKET_AGE,
    messagesPerSecond: values.WS_MESSAGES_PER_SECOND,
    messageBurst: values.WS_MESSAGE_BURST,
  };
}
