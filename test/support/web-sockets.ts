import {
  createClient,
  type ConnectionInitMessage,
  type ExecutionResult,
  type SubscribePayload,
} from 'graphql-ws';
import { expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';

/** What a socket is opened with. */
export interface SocketOptions {
  /** Headers of the upgrade request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly connectionParams?: ConnectionInitMessage['payload'];
}

/** A graphql-ws client on a server's GraphQL endpoint, for one test. */
export interface SocketClient {
  /** Runs an operation to its end and gives its only result. Rejects with the errors when it ends with an Error. */
  run(payload: SubscribePayload): Promise<ExecutionResult>;
  /** Starts an operation and gives what ends it from this side. */
  start(payload: SubscribePayload): () => void;
  /** How many sockets this client has opened. */
  readonly opened: number;
}

/** Connects the graphql-ws client; its socket is closed when the test ends. */
export function connectSocket(
  url: string,
  { headers = {}, connectionParams = {} }: SocketOptions = {},
): SocketClient {
  class WebSocketWithHeaders extends WebSocket {
    constructor(address: string, protocols: string | string[]) {
      super(address, protocols, { headers });
    }
  }
  let opened = 0;
  const client = createClient({
    url: socketAddress(url),
    webSocketImpl: WebSocketWithHeaders,
    connectionParams,
    retryAttempts: 0,
    lazyCloseTimeout: 60_000,
    on: { opened: () => (opened += 1) },
  });
  onTestFinished(async () => await client.dispose());
  return {
    run: (payload) =>
      new Promise((resolve, reject) => {
        let result: ExecutionResult = {};
        client.subscribe(payload, {
          next: (value) => (result = value as ExecutionResult),
          error: reject,
          complete: () => resolve(result),
        });
      }),
    start: (payload) =>
      client.subscribe(payload, { next: () => undefined, error: () => undefined, complete: () => undefined }),
    get opened() {
      return opened;
    },
  };
}

/** A bare socket that speaks whatever a test wants. */
export interface BareSocket {
  send(message: unknown): void;
  /** Sends a part of a message. */
  sendFragment(part: string, isLast: boolean): void;
  /** Goes without a goodbye. */
  close(): void;
  /** The extensions that were agreed on. */
  readonly extensions: string;
  /** The next message that has not been taken yet. */
  next(): Promise<unknown>;
  /** How many messages have come and were not taken. */
  readonly waiting: number;
  /** Close code and reason. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

/** Opens a bare socket and waits until it is open; it is ended with the test. */
export async function openBareSocket(
  url: string,
  {
    protocol = 'graphql-transport-ws',
    headers = {},
  }: { readonly protocol?: string; readonly headers?: object } = {},
): Promise<BareSocket> {
  const socket = new WebSocket(socketAddress(url), protocol, { headers: { ...headers } });
  onTestFinished(() => socket.terminate());
  const messages: unknown[] = [];
  const waiting: ((message: unknown) => void)[] = [];
  socket.on('message', (data) => {
    const message: unknown = JSON.parse((data as Buffer).toString());
    const taker = waiting.shift();
    if (taker) taker(message);
    else messages.push(message);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return {
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    sendFragment: (part, isLast) => socket.send(part, { fin: isLast }),
    close: () => socket.terminate(),
    extensions: socket.extensions,
    get waiting() {
      return messages.length;
    },
    next: () =>
      new Promise((resolve) => {
        if (messages.length > 0) resolve(messages.shift());
        else waiting.push(resolve);
      }),
    closed,
  };
}

/** The greeting of a client, and what the server answers. */
export const INIT = { type: 'connection_init' } as const;
export const ACK = { type: 'connection_ack' } as const;

/** The message that begins an operation. */
export const subscribe = (id: string, query: string) => ({ id, type: 'subscribe', payload: { query } });

/** Opens a bare socket whose greeting the server has acknowledged. */
export async function openGreeted(url: string, headers: object = {}): Promise<BareSocket> {
  const socket = await openBareSocket(url, { headers });
  socket.send(INIT);
  expect(await socket.next()).toEqual(ACK);
  return socket;
}

function socketAddress(url: string): string {
  return `${url.replace('http', 'ws')}/graphql`;
}
