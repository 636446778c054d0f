import type { io } from 'socket.io-client';
import type { PushSettings } from '../../config.ts';
import { headersWith, KEY_NAME, queryWith } from './placement.ts';
import type { Connect, ConnectionEvents } from './reconnect.ts';
import { HANDSHAKE_TIMEOUT_MS, MAX_PUSH_BYTES } from './web-socket.ts';

/** Connects to a push socket that uses socket.io; a path in the URL is a namespace, as usual in socket.io. */
export function socketIoConnection(settings: PushSettings, apiKey: string): Connect {
  return (events) => {
    let connection: ReturnType<Connect> | null = null;
    let isClosed = false;
    // Loaded on the first connection, because most deployments use no push socket.
    void import('socket.io-client').then(
      ({ io: connect }) => (connection = isClosed ? null : open(connect, { settings, apiKey }, events)),
    );
    return {
      close() {
        isClosed = true;
        connection?.close();
      },
    };
  };
}

function open(
  connect: typeof io,
  { settings, apiKey }: { readonly settings: PushSettings; readonly apiKey: string },
  { onOpen, onMessage, onClose }: ConnectionEvents,
): ReturnType<Connect> {
  const options: Parameters<typeof io>[1] & { readonly maxPayload: number } = {
    transports: ['websocket'],
    forceNew: true,
    // The library's own backoff is not effective if the server rejects the handshake.
    reconnection: false,
    timeout: HANDSHAKE_TIMEOUT_MS,
    extraHeaders: headersWith(apiKey, settings),
    query: queryWith(apiKey, settings),
    auth: settings.auth.includes('auth') ? { [KEY_NAME]: apiKey, 'x-api-key': apiKey } : {},
    // Passed to the underlying WebSocket; missing from the library's types.
    maxPayload: MAX_PUSH_BYTES,
  };
  const socket = connect(settings.url.href, options);
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
  // Any event may carry a result as its last argument, apart from an acknowledgement callback.
  socket.onAny((_event: string, ...parts: readonly unknown[]) => {
    const last = parts.at(-1);
    onMessage(typeof last === 'function' ? parts.at(-2) : last);
    if (typeof last === 'function') last();
  });
  socket.on('connect_error', end);
  socket.on('disconnect', end);
  return { close: end };
}
