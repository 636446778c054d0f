import type { WebSocket } from 'ws';

/** Close code for a server that restarts: clients reconnect. */
export const SERVICE_RESTART = 1012;

/** How often a client is pinged, in milliseconds. */
export const PING_INTERVAL_MS = 12_000;

/**
 * Terminates the connection of a peer that has silently disappeared: each ping must be answered before the next one, so
 * detection takes at most two intervals.
 */
export function watchPeer(socket: WebSocket, intervalMs: number): void {
  let isThere = true;
  const timer = setInterval(() => {
    if (!isThere) socket.terminate();
    isThere = false;
    if (socket.readyState === socket.OPEN) socket.ping();
  }, intervalMs).unref();
  socket.on('pong', () => (isThere = true));
  socket.once('close', () => clearInterval(timer));
}

const RETRY_MS = 1_000;
/** How often closing an old socket may be postponed; the longest operation takes 75 seconds. */
const MAX_RETRIES = 80;

/**
 * Closes a socket at its maximum age, varied by a tenth so that sockets opened together do not reconnect together.
 * Closing waits for running operations: a client that loses its socket sends everything again when it reconnects,
 * including mutations.
 */
export function limitAge(socket: WebSocket, maxAgeMs: number, isExecuting: () => boolean): void {
  let retries = 0;
  const close = (): void => {
    retries += 1;
    if (isExecuting() && retries <= MAX_RETRIES) timer = setTimeout(close, RETRY_MS).unref();
    else socket.close(SERVICE_RESTART, 'Maximum age reached; reconnect');
  };
  let timer = setTimeout(close, maxAgeMs * (0.9 + Math.random() * 0.2)).unref();
  socket.once('close', () => clearTimeout(timer));
}
