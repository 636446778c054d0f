import { WebSocket, type RawData } from 'ws';
import type { PushSettings } from '../../config.ts';
import { headersWith, KEY_NAME, queryWith } from './placement.ts';
import type { Connect } from './reconnect.ts';

/** Largest accepted message, in bytes. */
export const MAX_PUSH_BYTES = 1024 * 1024;
/** Timeout of a handshake, in milliseconds. */
export const HANDSHAKE_TIMEOUT_MS = 5_000;
const PING_INTERVAL_MS = 15_000;

/** Connects to a push socket that sends JSON messages over a plain WebSocket. */
export function webSocketConnection(settings: PushSettings, apiKey: string): Connect {
  return ({ onOpen, onMessage, onClose }) => {
    const socket = new WebSocket(addressOf(settings, apiKey), {
      headers: headersWith(apiKey, settings),
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxPayload: MAX_PUSH_BYTES,
      perMessageDeflate: false,
      followRedirects: false,
    });
    const stopPinging = pinging(socket);
    socket.on('open', () => {
      if (settings.auth.includes('message')) socket.send(JSON.stringify({ [KEY_NAME]: apiKey }));
      onOpen();
    });
    socket.on('message', (data, isBinary) => {
      if (!isBinary) onMessage(textOf(data));
    });
    // The `close` event that follows handles the failure.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      stopPinging();
      onClose();
    });
    return { close: () => socket.terminate() };
  };
}

function addressOf(settings: PushSettings, apiKey: string): URL {
  const url = new URL(settings.url);
  for (const [name, value] of Object.entries(queryWith(apiKey, settings))) url.searchParams.set(name, value);
  return url;
}

// Nothing else is sent to the peer, so without pings its silent disappearance would go unnoticed.
function pinging(socket: WebSocket): () => void {
  let isAlive = true;
  socket.on('pong', () => (isAlive = true));
  const timer = setInterval(() => {
    if (socket.readyState !== socket.OPEN) return;
    if (!isAlive) socket.terminate();
    isAlive = false;
    socket.ping();
  }, PING_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function textOf(data: RawData): string {
  return Buffer.isBuffer(data) ? data.toString('utf8') : '';
}
