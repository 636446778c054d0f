import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Server as SocketIoServer, type Socket as SocketIoSocket } from 'socket.io';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { resultRecord, startLive } from '../support/live.ts';

// Push servers of other makes than the sandbox's.

interface PushServer {
  readonly http: Server;
  /** Origin, without its scheme. */
  readonly host: string;
  /** Connections that are open. */
  readonly connections: ReadonlySet<Socket>;
  /** The requests that it got, upgrades included. */
  readonly requests: readonly IncomingMessage[];
}

async function listen(): Promise<PushServer> {
  const http = createServer();
  const connections = new Set<Socket>();
  const requests: IncomingMessage[] = [];
  http.on('connection', (socket) => {
    connections.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => connections.delete(socket));
  });
  http.on('request', (request) => requests.push(request));
  http.on('upgrade', (request) => requests.push(request));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of connections) socket.destroy();
    http.close();
  });
  return { http, host: `127.0.0.1:${(http.address() as AddressInfo).port}`, connections, requests };
}

async function plainServer(onSocket: (socket: WebSocket) => void): Promise<PushServer> {
  const server = await listen();
  new WebSocketServer({ server: server.http }).on('connection', onSocket);
  return server;
}

async function socketIoServer(onSocket: (socket: SocketIoSocket) => void, path = '/'): Promise<PushServer> {
  const server = await listen();
  const io = new SocketIoServer(server.http);
  onTestFinished(async () => await io.close());
  io.of(path).on('connection', onSocket);
  return server;
}

/** Waits for a generation whose result such a server is to push. */
async function waitAt(url: string, environment: Readonly<Record<string, string>> = {}) {
  const graph = await startLive('history', { environment: { AI_SOCKET_URL: url, ...environment } });
  const { contentId } = await graph.ask();
  const { ownerId } = graph.sandbox.state.owner('harbour');
  const reading = graph.watch(contentId);
  await reading.received(1);
  return { graph, reading, contentId, result: resultRecord(contentId, { ownerId }) };
}

/** Gives the sockets that come, as they come. */
function arrivals<T>() {
  const sockets: T[] = [];
  const next = async (count = 1): Promise<T> => {
    await expect.poll(() => sockets.length).toBeGreaterThanOrEqual(count);
    return sockets[count - 1] as T;
  };
  return { add: (socket: T) => void sockets.push(socket), next, sockets };
}

describe('a plain WebSocket', () => {
  test.each<[string, (socket: WebSocket) => void]>([
    ['binary', (socket) => socket.send(Buffer.from([0, 255, 254, 1]))],
    ['an empty message', (socket) => socket.send('')],
    ['100,000 levels', (socket) => socket.send('['.repeat(100_000) + ']'.repeat(100_000))],
    ['100,000 open objects', (socket) => socket.send('{"data":'.repeat(100_000))],
    ['numbers beyond all bounds', (socket) => socket.send(`{"contentId":${'9'.repeat(5_000)}}`)],
    ['a ping', (socket) => socket.ping()],
    ['a thousand pieces', (socket) => sendInPieces(socket, `"${'x'.repeat(1_000)}"`)],
  ])('that sends %s goes on to bring the result', async (_name, misbehave) => {
    const { add, next, sockets } = arrivals<WebSocket>();
    const { host } = await plainServer(add);
    const { reading, result } = await waitAt(`ws://${host}`);
    const socket = await next();
    misbehave(socket);
    socket.send(JSON.stringify(result));
    await reading.ended();
    expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
    expect(sockets).toHaveLength(1);
  });

  test.each<[string, (socket: WebSocket, raw?: Socket) => void]>([
    [
      'sends a text that is no UTF-8',
      (socket) => socket.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false }),
    ],
    ['sends more than a mebibyte', (socket) => socket.send('x'.repeat(1024 * 1024 + 1))],
    ['breaks the protocol', (_socket, raw) => raw?.write(Buffer.from([0xff, 0xff, 0xff, 0xff]))],
  ])('that %s is opened again', async (_name, misbehave) => {
    const { add, next } = arrivals<WebSocket>();
    const { host, connections } = await plainServer(add);
    const { reading, result } = await waitAt(`ws://${host}`);
    misbehave(await next(), [...connections].at(-1));
    (await next(2)).send(JSON.stringify(result));
    await reading.ended();
    expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
  });

  test('that leads elsewhere is not followed: the key goes nowhere else', async () => {
    const elsewhere = await listen();
    const server = await listen();
    server.http.on('upgrade', (_request, socket) => {
      socket.end(`HTTP/1.1 302 Found\r\nlocation: ws://${elsewhere.host}/\r\ncontent-length: 0\r\n\r\n`);
    });
    const { graph, reading, contentId } = await waitAt(`ws://${server.host}`);
    await expect.poll(() => server.requests.length).toBeGreaterThanOrEqual(2);
    expect(server.requests[0]?.headers['x-api-key']).toBe(graph.keyOf());
    graph.sandbox.generations.finish(contentId);
    await reading.ended();
    expect(elsewhere.requests).toEqual([]);
  });
});

function sendInPieces(socket: WebSocket, text: string): void {
  for (let at = 0; at < text.length; at += 1) socket.send(text.charAt(at), { fin: at === text.length - 1 });
}

describe('socket.io', () => {
  test('may ask for an acknowledgement, and gets it', async () => {
    const { add, next } = arrivals<SocketIoSocket>();
    const { host } = await socketIoServer(add);
    const { reading, result } = await waitAt(`http://${host}`);
    const socket = await next();
    const acknowledged = socket.timeout(3_000).emitWithAck('aiResponse', 'for you', result);
    await reading.ended();
    expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
    await expect(acknowledged).resolves.not.toThrow();
  });

  test('may send bytes, events without arguments and broken packets', async () => {
    const { add, next } = arrivals<SocketIoSocket>();
    const { host } = await socketIoServer(add);
    const { reading, result } = await waitAt(`http://${host}`);
    const socket = await next();
    socket.emit('bytes', Buffer.alloc(100_000), { nested: Buffer.from('{"contentId":"x"}') });
    socket.emit('nothing');
    socket.conn.write('2["aiResponse",{"contentId":');
    (await next(2)).emit('aiResponse', result);
    await reading.ended();
    expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
  });

  test('may live in a namespace, which is the path of the address', async () => {
    const { add, next } = arrivals<SocketIoSocket>();
    const { host } = await socketIoServer(add, '/ai');
    const { reading, result } = await waitAt(`http://${host}/ai`);
    (await next()).emit('aiResponse', 'for you', result);
    await reading.ended();
    expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
  });

  test('may be shown the key as the first message', async () => {
    const { add, next } = arrivals<SocketIoSocket>();
    const messages: unknown[] = [];
    const { host } = await socketIoServer((socket) => {
      socket.on('message', (message) => {
        messages.push(message);
        add(socket);
      });
    });
    const { graph, reading, result } = await waitAt(`http://${host}`, { AI_SOCKET_AUTH: 'message' });
    const socket = await next();
    expect(messages).toEqual([{ apiKey: graph.keyOf() }]);
    expect(
      JSON.stringify([socket.handshake.headers, socket.handshake.auth, socket.handshake.query]),
    ).not.toContain(graph.keyOf());
    socket.emit('aiResponse', result);
    await reading.ended();
  });

  test('that puts the client out is entered again', async () => {
    const { add, next } = arrivals<SocketIoSocket>();
    const { host } = await socketIoServer(add);
    const { reading, result } = await waitAt(`http://${host}`);
    (await next()).disconnect();
    (await next(2)).emit('aiResponse', result);
    await reading.ended();
    expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
  });
});

test('a push server that says nothing does not keep the history from being read, and is left alone in the end', async () => {
  const servers = await Promise.all(
    ['ws', 'http'].map(async (scheme) => {
      const server = await listen();
      server.http.on('upgrade', (_request, socket) => socket.on('end', () => socket.end()).resume());
      const { graph, reading, contentId } = await waitAt(`${scheme}://${server.host}`);
      await expect.poll(() => server.requests.length).toBe(1);
      graph.sandbox.generations.finish(contentId);
      await reading.ended();
      expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
      return server;
    }),
  );
  for (const { connections } of servers) await expect.poll(() => connections.size).toBe(0);
});
