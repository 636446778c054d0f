import {
  createClient,
  type Client,
  type ClientOptions,
  type ConnectionInitMessage,
  type ExecutionResult,
  type SubscribePayload,
} from 'graphql-ws';
import { expect, onTestFinished, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { openConnection } from './http.ts';

/** What a socket is opened with. */
interface SocketOptions {
  /** Headers of the upgrade request. */
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
  const client = createClient({
    url: socketAddress(url),
    webSocketImpl: WebSocketWithHeaders,
    retryAttempts: 0,
    ...options,
  });
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
    /** How many sockets this client has opened. */
    get opened() {
      return opened;
    },
  };
}

/** A bare socket that speaks whatever a test wants. */
export type BareSocket = Awaited<ReturnType<typeof openBareSocket>>;

/** Opens a bare socket and waits until it is open; it is ended with the test. */
export async function openBareSocket(
  url: string,
  {
    protocol = 'graphql-transport-ws',
    headers = {},
  }: { readonly protocol?: string; readonly headers?: object } = {},
) {
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
    send: (message: unknown) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    /** Sends a part of a message. */
    sendFragment: (part: string, isLast: boolean) => socket.send(part, { fin: isLast }),
    /** Goes without a goodbye. */
    close: () => socket.terminate(),
    /** The next message that has not been taken yet. */
    next: () =>
      new Promise<unknown>((resolve) => {
        if (messages.length > 0) resolve(messages.shift());
        else waiting.push(resolve);
      }),
    /** Close code and reason. */
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

/** A frame of RFC 6455, as wrong as a test wants it. */
export interface FrameOptions {
  readonly opcode: number;
  readonly payload?: Buffer | string;
  readonly isLast?: boolean;
  /** Clients have to mask what they send. */
  readonly isMasked?: boolean;
  /** The three reserved bits, as 0x40, 0x20 and 0x10. */
  readonly reserved?: number;
  /** A length to state in the place of the true one. */
  readonly statedLength?: bigint;
}

/** Opcodes of RFC 6455. */
export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

const MASK = Buffer.from([1, 2, 3, 4]);

/** The bytes of a frame. */
export function frame({ isLast = true, isMasked = true, reserved = 0, ...options }: FrameOptions): Buffer {
  const payload = Buffer.from(options.payload ?? '');
  const first = (isLast ? 0x80 : 0) | reserved | options.opcode;
  const length = lengthOf(options.statedLength ?? BigInt(payload.length), isMasked ? 0x80 : 0);
  if (!isMasked) return Buffer.concat([Buffer.from([first]), length, payload]);
  const masked = payload.map((byte, index) => byte ^ (MASK[index % 4] ?? 0));
  return Buffer.concat([Buffer.from([first]), length, MASK, masked]);
}

function lengthOf(length: bigint, maskBit: number): Buffer {
  if (length < 126n) return Buffer.from([maskBit | Number(length)]);
  if (length < 65_536n) return Buffer.from([maskBit | 126, Number(length >> 8n), Number(length & 255n)]);
  const bytes = Buffer.alloc(9);
  bytes[0] = maskBit | 127;
  bytes.writeBigUInt64BE(length, 1);
  return bytes;
}

/** The payload of a close frame with a code. */
export function closePayload(code: number, reason: string | Buffer = ''): Buffer {
  return Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(reason)]);
}

/** A frame that the server sent. */
interface ReceivedFrame {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** A WebSocket over a TCP connection that the test holds in its hands. */
export type RawWebSocket = ReturnType<typeof readFrames>;

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

/** Opens a WebSocket by hand; the connection is destroyed when the test ends. */
export async function openRawWebSocket(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawWebSocket> {
  const connection = askToUpgrade(url, headers);
  const rest = await answerTo(connection);
  return readFrames(connection, rest);
}

/** Asks for an upgrade, from an address of this machine, and gives the status of the answer; the connection is destroyed when the test ends. */
export async function upgradeStatus(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  localAddress?: string,
): Promise<number> {
  const answer = await upgradeAnswer(url, headers, localAddress);
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}

/** The answer to a request to upgrade, as text: its head, and the body of a refusal. */
export async function upgradeAnswer(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  localAddress?: string,
): Promise<string> {
  const connection = askToUpgrade(url, headers, localAddress);
  const [answer] = (await once(connection, 'data')) as [Buffer];
  return answer.toString();
}

function askToUpgrade(url: string, headers: Readonly<Record<string, string>>, localAddress?: string): Socket {
  const connection = openConnection(url, { ...(localAddress && { localAddress }) });
  connection.write(upgradeRequest(url, headers));
  return connection;
}

async function answerTo(connection: Socket): Promise<Buffer> {
  let received = Buffer.alloc(0);
  while (!received.includes('\r\n\r\n')) {
    const [chunk] = (await once(connection, 'data')) as [Buffer];
    received = Buffer.concat([received, chunk]);
  }
  if (!received.toString().startsWith('HTTP/1.1 101')) throw new Error(`refused: ${received.toString()}`);
  return received.subarray(received.indexOf('\r\n\r\n') + 4);
}

function readFrames(connection: Socket, rest: Buffer) {
  const frames: ReceivedFrame[] = [];
  const waiting: ((frame: ReceivedFrame | null) => void)[] = [];
  let pending = rest;
  let code: number | null = null;
  const take = (): void => {
    for (let one = firstFrame(pending); one; one = firstFrame(pending)) {
      pending = pending.subarray(one.size);
      if (one.opcode === OPCODE.close) code = one.payload.length < 2 ? 1005 : one.payload.readUInt16BE();
      const taker = waiting.shift();
      if (taker) taker(one);
      else frames.push(one);
    }
  };
  connection.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    take();
  });
  const ended = new Promise<number | null>((resolve) => {
    connection.once('close', () => {
      for (const taker of waiting) taker(null);
      resolve(code);
    });
  });
  take();
  return {
    connection,
    /** Frames that have come and were not taken. */
    frames,
    /** The code of the server's close frame once the connection has ended; null where it sent none. */
    ended,
    write: (...parts: readonly Buffer[]) => void connection.write(Buffer.concat(parts)),
    /** The next frame that was not taken yet; null when the connection ended before there was one. */
    next: () =>
      new Promise<ReceivedFrame | null>((resolve) => {
        const one = frames.shift();
        if (one) resolve(one);
        else if (connection.closed) resolve(null);
        else waiting.push(resolve);
      }),
  };
}

function firstFrame(bytes: Buffer): (ReceivedFrame & { readonly size: number }) | null {
  if (bytes.length < 2) return null;
  const short = (bytes[1] ?? 0) & 127;
  const start = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < start) return null;
  const length = start === 2 ? short : start === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  if (bytes.length < start + length) return null;
  return {
    opcode: (bytes[0] ?? 0) & 15,
    payload: bytes.subarray(start, start + length),
    size: start + length,
  };
}

type Upgrade = WebSocketServer['handleUpgrade'];

/** The server's ends of the sockets that are opened from now on, as long as the test goes on. */
export function watchServerSockets(): readonly WebSocket[] {
  const sockets: WebSocket[] = [];
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its own server as `this`
  const original = WebSocketServer.prototype.handleUpgrade;
  const spy = vi.spyOn(WebSocketServer.prototype, 'handleUpgrade');
  spy.mockImplementation(function watched(
    this: WebSocketServer,
    ...[request, stream, head, connected]: Parameters<Upgrade>
  ) {
    original.call(this, request, stream, head, (socket, of) => {
      sockets.push(socket);
      connected(socket, of);
    });
  });
  onTestFinished(() => spy.mockRestore());
  return sockets;
}
