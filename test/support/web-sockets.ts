import {
  createClient,
  type Client,
  type ClientOptions,
  type ConnectionInitMessage,
  type ExecutionResult,
  type SubscribePayload,
} from 'graphql-ws';
import { expect, onTestFinished, vi } from 'vitest';
import { WebSocket, WebSocketServer, type ServerOptions } from 'ws';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { openConnection } from './http.ts';

interface SocketOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly connectionParams?: ConnectionInitMessage['payload'];
}

/** The graphql-ws client as it is; it is disposed of when the test ends. */
export function openClient(
  url: string,
  { headers = {}, ...options }: Partial<ClientOptions> & Pick<SocketOptions, 'headers'>,
): Client {
  class WebSocketWithHeaders extends WebSocket {
    constructor(address: string, protocols: string | string[]) {
      super(address, protocols, { headers });
    }
  }
  const settings = { webSocketImpl: WebSocketWithHeaders, retryAttempts: 0, ...options };
  const client = createClient({ url: socketAddress(url), ...settings });
  onTestFinished(async () => await client.dispose());
  return client;
}

/** Connects the graphql-ws client; its socket is closed when the test ends. */
export function connectSocket(url: string, { headers = {}, connectionParams = {} }: SocketOptions = {}) {
  let opened = 0;
  const on = { opened: () => (opened += 1) };
  const client = openClient(url, { headers, connectionParams, lazyCloseTimeout: 60_000, on });
  return {
    /** Runs an operation to its end and gives its only result. Rejects with the errors when it ends with an Error. */
    run: (payload: SubscribePayload) =>
      new Promise<ExecutionResult>((resolve, reject) => {
        let result: ExecutionResult = {};
        client.subscribe(payload, {
          next: (value) => (result = value as ExecutionResult),
          error: reject,
          complete: () => resolve(result),
        });
      }),
    /** Starts an operation and gives what ends it from this side. */
    start: (payload: SubscribePayload) =>
      client.subscribe(payload, { next: () => undefined, error: () => undefined, complete: () => undefined }),
    get opened() {
      return opened;
    },
  };
}

/** Starts a server of WebSockets on 127.0.0.1, and gives its port; it ends with the test. */
export async function startSocketServer(
  onConnection: (socket: WebSocket) => void,
  options: ServerOptions = {},
): Promise<number> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', ...options });
  server.on('connection', onConnection);
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A bare socket that speaks whatever a test wants. */
export type BareSocket = Awaited<ReturnType<typeof openBareSocket>>;

/** Opens a bare socket and waits until it is open; it is ended with the test. */
export async function openBareSocket(
  url: string,
  { headers = {}, ...options }: { readonly headers?: object; readonly autoPong?: boolean } = {},
) {
  const upgraded = { headers: { ...headers }, ...options };
  const socket = new WebSocket(socketAddress(url), 'graphql-transport-ws', upgraded);
  onTestFinished(() => socket.terminate());
  let stream: Socket | undefined;
  socket.once('upgrade', (response) => (stream = response.socket));
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
    socket,
    send: (message: unknown) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    /** Sends bytes as they are, in the place of frames. */
    write: (...bytes: readonly Buffer[]) => void stream?.write(Buffer.concat(bytes)),
    /** Goes without a goodbye. */
    close: () => socket.terminate(),
    next: () =>
      new Promise<unknown>((resolve) => {
        if (messages.length > 0) resolve(messages.shift());
        else waiting.push(resolve);
      }),
    closed,
  };
}

/** The greeting of a client, and what the server answers. */
export const INIT = { type: 'connection_init' } as const;
export const ACK = { type: 'connection_ack' } as const;

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

/** Headers of an upgrade that every server would accept. */
const UPGRADE_HEADERS = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-protocol': 'graphql-transport-ws',
} as const;

/** A request to upgrade, as text. */
export function upgradeRequest(url: string, headers: Readonly<Record<string, string>> = {}): string {
  const all = { host: new URL(url).host, ...UPGRADE_HEADERS, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `GET /graphql HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** The answer to a request to upgrade, from an address of this machine, as text; the connection is destroyed when the test ends. */
export async function upgradeAnswer(url: string, headers: SocketOptions['headers'] = {}, from?: string) {
  const connection = openConnection(url, { ...(from && { localAddress: from }) });
  connection.write(upgradeRequest(url, headers));
  const [answer] = (await once(connection, 'data')) as [Buffer];
  return answer.toString();
}

/** Its status. */
export async function upgradeStatus(...request: Parameters<typeof upgradeAnswer>): Promise<number> {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(await upgradeAnswer(...request))?.[1]);
}

type Upgrade = WebSocketServer['handleUpgrade'];

/** The server's ends of the sockets that are opened from now on, as long as the test goes on. */
export function watchServerSockets(): readonly WebSocket[] {
  const sockets: WebSocket[] = [];
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its own server as `this`
  const original = WebSocketServer.prototype.handleUpgrade;
  vi.spyOn(WebSocketServer.prototype, 'handleUpgrade').mockImplementation(function watched(
    this: WebSocketServer,
    ...[request, stream, head, connected]: Parameters<Upgrade>
  ) {
    original.call(this, request, stream, head, (socket, of) => {
      sockets.push(socket);
      connected(socket, of);
    });
  });
  return sockets;
}
