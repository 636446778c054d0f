import { z } from 'zod';
import { duration, socketUrl } from './setting.ts';

/**
 * How the API key is sent to the push socket: in the header `x-api-key` of the handshake, in the `auth` of socket.io,
 * as the first message, in the query of the URL, or not at all.
 */
export const SOCKET_AUTHS = ['header', 'auth', 'message', 'query', 'none'] as const;
export type SocketAuth = (typeof SOCKET_AUTHS)[number];

/** The URL of the push socket, and how the key is sent to it. */
export interface PushSettings {
  /** `ws:` and `wss:` mean JSON messages over a plain WebSocket, `http:` and `https:` mean socket.io. */
  readonly url: URL;
  readonly auth: readonly SocketAuth[];
}

/** How live results are obtained: those of slow generations, and changes of lists. */
export interface LiveConfig {
  /** Where the service pushes AI results; null if they are only read from the history. */
  readonly aiSocket: PushSettings | null;
  /** How long to wait for a result, in milliseconds. */
  readonly aiResultMaxWaitMs: number;
  /** Shortest interval between reads of the AI history while waiting for a result, in milliseconds. */
  readonly aiPollIntervalMs: number;
  /** Shortest interval between reads of a watched list, in milliseconds. */
  readonly watchIntervalMs: number;
}

/** The environment variables for live results. */
export const liveSettings = {
  AI_SOCKET_URL: socketUrl().describe(
    'where the service pushes AI results: ws: or wss: for a plain WebSocket, http: or https: for socket.io',
  ),
  AI_SOCKET_AUTH: z
    .string()
    .default('header,auth')
    .transform((value) => value.split(',').map((name) => name.trim()))
    .pipe(z.array(z.enum(SOCKET_AUTHS, `is not a list of ${SOCKET_AUTHS.join(', ')}`)))
    .refine((names) => names.length === 1 || !names.includes('none'), 'cannot combine none with other values')
    .describe(`how the API key is sent to the push socket, separated by commas: ${SOCKET_AUTHS.join(', ')}`),
  AI_RESULT_MAX_WAIT: duration('10m', { least: '100ms', most: '24h' }).describe(
    'timeout for an AI result, such as 90s, 10m or 1h',
  ),
  AI_POLL_INTERVAL: duration('1s', { least: '50ms', most: '1h' }).describe(
    'minimum interval between reads of the AI history while waiting for a result; grows to ten times that',
  ),
  WATCH_INTERVAL: duration('5s', { least: '50ms', most: '1h' }).describe(
    'minimum interval between reads of the watched queue or accounts; grows to twelve times that while nothing changes',
  ),
};

/** Builds the configuration of live results from the variables. */
export function liveConfigOf(values: z.output<z.ZodObject<typeof liveSettings>>): LiveConfig {
  return {
    aiSocket: values.AI_SOCKET_URL && { url: values.AI_SOCKET_URL, auth: values.AI_SOCKET_AUTH },
    aiResultMaxWaitMs: values.AI_RESULT_MAX_WAIT,
    aiPollIntervalMs: values.AI_POLL_INTERVAL,
    watchIntervalMs: values.WATCH_INTERVAL,
  };
}
