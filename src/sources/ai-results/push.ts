import type { io } from 'socket.io-client';
import { WebSocket } from 'ws';
import type { PushSettings } from '../../config.ts';
import { aiText, cleanResult, hasText } from '../current/openai.ts';
import type { Origin } from '../drift.ts';
import { parseJson } from '../json.ts';
import { readable } from '../view.ts';
import type { IncomingResult } from './history.ts';

// The service's push socket as a result feed. Its address, protocol and messages are undocumented and therefore
// configurable; a message may carry somebody else's result.

/** Receives the results that arrive at a socket. */
export interface PushListener {
  readonly onResult: (result: IncomingResult) => void;
  /** Called when the socket has connected or disconnected. */
  readonly onState: (isUp: boolean) => void;
}

/** A connection, or something that keeps one. */
interface Closable {
  close(): void;
}

/** Listens to the push socket with one credential, until the feed is closed. */
export function openPushFeed(
  settings: PushSettings,
  { apiKey, onDrift }: { readonly apiKey: string; readonly onDrift: Origin['onDrift'] },
  { onResult, onState }: PushListener,
): Closable {
  const isPlain = settings.url.protocol === 'ws:' || settings.url.protocol === 'wss:';
  const connection = isPlain ? webSocketConnection : socketIoConnection;
  // The interface leaves the socket unnamed.
  const origin: Origin = { surface: 'current', endpoint: 'AI result socket', onDrift };
  return keepConnected(connection(settings, apiKey), {
    onOpen: () => onState(true),
    onClose: () => onState(false),
    onMessage(message) {
      for (const wire of resultsIn(message)) {
        const record = aiText(wire, origin);
        const contentId = readable(() => record.contentId);
        if (contentId !== null) onResult({ contentId, wire, hasText: hasText(record), isProven: false });
      }
    },
  });
}

/** The events of one connection. */
export interface ConnectionEvents {
  readonly onOpen: () => void;
  readonly onMessage: (message: unknown) => void;
  /** The connection could not be opened, or has ended. Called once, as the last event. */
  readonly onClose: () => void;
}

/** Opens one connection. */
export type Connect = (events: ConnectionEvents) => Closable;

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** After a connection has lasted this long, the pauses start again from the first. */
const GOOD_AFTER_MS = 10_000;

/** Returns the milliseconds before the next attempt: exponential backoff, randomly reduced by up to half. */
export function pauseBefore(attempt: number): number {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
  return longest * (1 - Math.random() / 2);
}

/** Keeps one connection open until it is closed, with growing pauses between attempts. */
export function keepConnected(connect: Connect, { onOpen, onMessage, onClose }: ConnectionEvents): Closable {
  let attempts = 0;
  let timer: NodeJS.Timeout | undefined;
  let connection: Closable | undefined;
  let isClosed = false;
  const open = (): void => {
    let openedAt = Number.POSITIVE_INFINITY;
    connection = connect({
      onOpen() {
        openedAt = performance.now();
        if (!isClosed) onOpen();
      },
      onMessage(message) {
        if (!isClosed) onMessage(message);
      },
      onClose() {
        if (isClosed) return;
        if (performance.now() - openedAt > GOOD_AFTER_MS) attempts = 0;
        timer = setTimeout(open, pauseBefore(attempts)).unref();
        attempts += 1;
        onClose();
      },
    });
  };
  open();
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      connection?.close();
    },
  };
}

/** Largest accepted message, in bytes. */
const MAX_PUSH_BYTES = 1024 * 1024;
/** Timeout of a handshake, in milliseconds. */
const HANDSHAKE_TIMEOUT_MS = 5_000;
const PING_INTERVAL_MS = 15_000;
/** The name of the key wherever the service's own header name cannot be meant. */
const KEY_NAME = 'apiKey';

/** Returns the handshake headers that contain the key, if it is sent in a header. */
function headersWith(apiKey: string, { auth }: PushSettings): Record<string, string> {
  return auth.includes('header') ? { 'x-api-key': apiKey } : {};
}

/** Returns the address of the socket, with the key if it is sent in the query. */
function addressWith(apiKey: string, { url, auth }: PushSettings): string {
  const address = new URL(url);
  if (auth.includes('query')) address.searchParams.set(KEY_NAME, apiKey);
  return address.href;
}

/** Connects to a push socket that sends JSON messages over a plain WebSocket. */
export function webSocketConnection(settings: PushSettings, apiKey: string): Connect {
  return ({ onOpen, onMessage, onClose }) => {
    const socket = new WebSocket(addressWith(apiKey, settings), {
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
      // The data of a text is a Buffer, unless another `binaryType` is asked for.
      if (!isBinary) onMessage((data as Buffer).toString('utf8'));
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

/** Connects to a push socket that uses socket.io; a path in the URL is a namespace, as usual in socket.io. */
export function socketIoConnection(settings: PushSettings, apiKey: string): Connect {
  return (events) => {
    let connection: Closable | undefined;
    let isClosed = false;
    // Loaded on the first connection, because most deployments use no push socket.
    void import('socket.io-client').then(
      ({ io: connect }) =>
        (connection = isClosed ? undefined : openSocketIo(connect, { settings, apiKey }, events)),
    );
    return {
      close() {
        isClosed = true;
        connection?.close();
      },
    };
  };
}

function openSocketIo(
  connect: typeof io,
  { settings, apiKey }: { readonly settings: PushSettings; readonly apiKey: string },
  { onOpen, onMessage, onClose }: ConnectionEvents,
): Closable {
  const options: Parameters<typeof io>[1] & { readonly maxPayload: number } = {
    transports: ['websocket'],
    forceNew: true,
    // The library's own backoff is not effective if the server rejects the handshake.
    reconnection: false,
    timeout: HANDSHAKE_TIMEOUT_MS,
    extraHeaders: headersWith(apiKey, settings),
    auth: settings.auth.includes('auth') ? { [KEY_NAME]: apiKey, 'x-api-key': apiKey } : {},
    // Passed to the underlying WebSocket; missing from the library's types.
    maxPayload: MAX_PUSH_BYTES,
  };
  const socket = connect(addressWith(apiKey, settings), options);
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

/** Maximum depth at which results are found in a message. */
const MAX_DEPTH = 6;
/** Maximum number of results read from one message. */
const MAX_RESULTS = 100;

/** Properties that may enclose a result. */
const ENCLOSURES = ['response', 'data', 'payload'] as const;

/**
 * Returns the results in a message of the push socket, without their secrets. The service does not document its
 * messages: a result may be bare, enclosed, JSON within a string, or in an array with other values.
 */
export function resultsIn(message: unknown): unknown[] {
  const results: unknown[] = [];
  // socket.io parses its messages itself, and leaves half characters in them.
  collect(typeof message === 'string' ? message : parsed(message), MAX_DEPTH, results);
  return results.map(cleanResult);
}

/** Parses JSON, or what was JSON before; null if it is none. */
function parsed(message: unknown): unknown {
  try {
    return parseJson(Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)));
  } catch {
    return null;
  }
}

function collect(value: unknown, depth: number, results: unknown[]): void {
  if (depth === 0 || results.length >= MAX_RESULTS) return;
  if (typeof value === 'string') {
    // Other strings are texts, not results.
    if (/^\s*[[{"]/.test(value)) collect(parsed(value), depth - 1, results);
  } else if (Array.isArray(value)) {
    for (const element of value) collect(element, depth - 1, results);
  } else if (typeof value === 'object' && value !== null) collectFromObject(value, depth, results);
}

function collectFromObject(value: object, depth: number, results: unknown[]): void {
  if ('contentId' in value && value.contentId != null && value.contentId !== '') {
    results.push(value);
    return;
  }
  for (const name of ENCLOSURES) {
    if (Object.hasOwn(value, name)) collect((value as Record<string, unknown>)[name], depth - 1, results);
  }
}
