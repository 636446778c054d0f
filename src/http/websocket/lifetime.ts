import type { WebSocket } from 'ws';

/** Close code for a server that goes away and comes back: clients connect again. */
export const SERVICE_RESTART = 1012;

/** How often a client is asked whether it is still there, in milliseconds. */
export const PING_INTERVAL_MS = 12_000;

/**
 * Finds out that a peer is gone without a goodbye: a ping must be answered before the next one is due, so that it takes
 * two intervals at most.
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
/** How often a socket that is old enough may ask for a little longer; the longest operation takes 75 seconds. */
const MAX_RETRIES = 80;

/**
 * Closes a socket that is old enough, give or take a tenth, so that sockets that were opened together do not come back
 * together. While something is being executed it waits: a client that loses its socket sends everything again when it
 * comes back, mutations too.
 */
export function limitAge(socket: WebSocket, maxAgeMs: number, isExecuting: () => boolean): void {
  let retries = 0;
  const close = (): void => {
    retries += 1;
    if (isExecuting() && retries <= MAX_RETRIES) timer = setTimeout(close, RETRY_MS).unref();
    else socket.close(SERVICE_RESTART, 'Old enough; connect again');
  };
  let timer = setTimeout(close, maxAgeMs * (0.9 + Math.random() * 0.2)).unref();
  socket.once('close', () => clearTimeout(timer));
}
