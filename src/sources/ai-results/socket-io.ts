import type * as SocketIo from 'socket.io-client';
import type { PushSettings } from '../../config/live-results.ts';
import { headersWith, KEY_NAME, queryWith } from './placement.ts';
import type { Connect } from './reconnect.ts';
import { HANDSHAKE_TIMEOUT_MS, MAX_PUSH_BYTES } from './web-socket.ts';
import { load } from '../../load.ts';

/** Connects to a push socket that speaks socket.io; a path in the address is a namespace, as everywhere in socket.io. */
export function socketIoConnection(settings: PushSettings, apiKey: string): Connect {
  // Loaded by the first that connects: most services push nothing.
  const { io } = load('socket.io-client') as typeof SocketIo;
  return ({ onOpen, onMessage, onClose }) => {
    const options: Parameters<typeof io>[1] & { readonly maxPayload: number } = {
      transports: ['websocket'],
      forceNew: true,
      // The library's own pauses don't hold where the server turns a handshake away.
      reconnection: false,
      timeout: HANDSHAKE_TIMEOUT_MS,
      extraHeaders: headersWith(apiKey, settings),
      query: queryWith(apiKey, settings),
      auth: settings.auth.includes('auth') ? { [KEY_NAME]: apiKey, 'x-api-key': apiKey } : {},
      // Passed on to the WebSocket beneath, which the library's types leave out.
      maxPayload: MAX_PUSH_BYTES,
    };
    const socket = io(settings.url.href, options);
    let hasEnded = false;
    const end = (): void => {
      if (hasEnded) return;
      hasEnded = true;
      socket.disconnect();
      onClose();
    };
    socket.on('connect', () => {
      if (settings.auth.includes('message')) socket.send({ [KEY_NAME]: apiKey });
      onOpen();
    });
    // Under whatever name an event comes: its last argument may be a result, but for the means to acknowledge it.
    socket.onAny((_event: string, ...parts: readonly unknown[]) => {
      const last = parts.at(-1);
      onMessage(typeof last === 'function' ? parts.at(-2) : last);
      if (typeof last === 'function') last();
    });
    socket.on('connect_error', end);
    socket.on('disconnect', end);
    return { close: end };
  };
}
