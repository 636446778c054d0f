import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Server as SocketIoServer, type Socket as SocketIoSocket } from 'socket.io';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { askAndWatch, handshakes, only, resultRecord, saidBy, SOCKETS, startLive } from '../support/live.ts';

// The service's push socket is undocumented: what it may send, how it may behave, and how it is shown the key. What a
// message may contain has tests of its own, in test/sources.

const DONE = ['PENDING', 'COMPLETE'];

describe.each(SOCKETS)('a push socket by %s', (way) => {
  test('may send results in events of any name', async () => {
    const graph = await startLive(way);
    const { push, state } = graph.sandbox;
    for (const event of ['message', 'ai:done', 'openai/response']) {
      const { contentId, reading } = await askAndWatch(graph, way);
      push.send('harbour', resultRecord(contentId, { ownerId: state.owner('harbour').ownerId }), event);
      expect(await saidBy(reading), event).toEqual(DONE);
    }
    expect(handshakes(graph)).toBe(1);
  });

  test('is closed and opened again after a message that is too large', async () => {
    const graph = await startLive(way);
    const { generations, push } = graph.sandbox;
    const { contentId, reading } = await askAndWatch(graph, way);
    push.send('harbour', 'x'.repeat(2 * 1024 * 1024));
    await push.waitForOpen(0);
    await push.waitForOpen(1);
    expect(reading.said).toEqual(['PENDING']);
    generations.finish(contentId, { history: false });
    expect(await saidBy(reading)).toEqual(DONE);
  });
});

const KEYLESS = { header: false, query: false };

test.each([
  { way: 'socket.io', auth: undefined, opens: true, shown: { ...KEYLESS, header: true } },
  { way: 'socket.io', auth: 'auth', opens: true, shown: KEYLESS },
  { way: 'socket.io', auth: 'query', opens: true, shown: { ...KEYLESS, query: true } },
  { way: 'socket.io', auth: 'header,query', opens: true, shown: { header: true, query: true } },
  { way: 'socket.io', auth: 'message', opens: false, shown: KEYLESS },
  { way: 'socket.io', auth: 'none', opens: false, shown: KEYLESS },
  { way: 'WebSocket', auth: undefined, opens: true, shown: { ...KEYLESS, header: true } },
  { way: 'WebSocket', auth: 'query', opens: true, shown: { ...KEYLESS, query: true } },
  { way: 'WebSocket', auth: 'message', opens: true, shown: KEYLESS },
  { way: 'WebSocket', auth: 'auth', opens: false, shown: KEYLESS },
  { way: 'WebSocket', auth: 'none', opens: false, shown: KEYLESS },
] as const)(
  'the API key by $auth over $way opens the socket: $opens',
  async ({ way, auth, opens, shown }) => {
    const graph = await startLive(way, { environment: { AI_SOCKET_AUTH: auth } });
    const { contentId, reading } = await askAndWatch(graph, opens ? way : 'history');
    await expect.poll(() => handshakes(graph)).toBeGreaterThanOrEqual(1);
    graph.sandbox.generations.finish(contentId, opens ? only(way) : {});
    expect(await saidBy(reading)).toEqual(DONE);
    expect(graph.sandbox.push.open()).toBe(opens ? 1 : 0);
    const handshake = graph.sandbox.requests.all.find(({ endpoint }) => endpoint === null);
    expect({
      header: handshake?.headers['x-api-key'] === graph.keyOf(),
      query: [...(handshake?.query.values() ?? [])].includes(graph.keyOf()),
    }).toEqual(shown);
    expect(graph.log.join('\n')).not.toContain(graph.keyOf());
    expect(graph.log.length).toBeGreaterThan(0);
  },
);

// Push servers of other makes than the sandbox's.

async function listen<T = never>() {
  const http = createServer();
  const connections = new Set<Socket>();
  const requests: IncomingMessage[] = [];
  const sockets: T[] = [];
  http.on('connection', (socket) => {
    connections.add(socket);
    socket.on('error', () => undefined).once('close', () => connections.delete(socket));
  });
  for (const event of ['request', 'upgrade']) http.on(event, (request) => requests.push(request));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of connections) socket.destroy();
    http.close();
  });
  return {
    http,
    /** Origin, without its scheme. */
    host: `127.0.0.1:${(http.address() as AddressInfo).port}`,
    connections,
    /** The requests that it got, upgrades included. */
    requests,
    sockets,
    /** Gives a socket once it has come, by its number from 1. */
    socket: async (number: number): Promise<T> => {
      await expect.poll(() => sockets.length).toBeGreaterThanOrEqual(number);
      return sockets[number - 1] as T;
    },
  };
}

async function socketIoServer(path = '/') {
  const server = await listen<SocketIoSocket>();
  const messages: unknown[] = [];
  const io = new SocketIoServer(server.http);
  onTestFinished(async () => await io.close());
  io.of(path).on('connection', (socket) => {
    server.sockets.push(socket);
    socket.on('message', (message) => messages.push(message));
  });
  return { ...server, messages };
}

/** Waits for a generation whose result such a server is to push. */
async function waitAt(url: string, environment: Readonly<Record<string, string>> = {}) {
  const graph = await startLive('history', { environment: { AI_SOCKET_URL: url, ...environment } });
  const asked = await askAndWatch(graph, 'history');
  const { ownerId } = graph.sandbox.state.owner('harbour');
  return { graph, ...asked, result: resultRecord(asked.contentId, { ownerId }) };
}

describe('a plain WebSocket', () => {
  test('that breaks the protocol, here with a text that is no UTF-8, is opened again', async () => {
    const { http, host, sockets, socket } = await listen<WebSocket>();
    new WebSocketServer({ server: http }).on('connection', (one) => sockets.push(one));
    const { reading, result } = await waitAt(`ws://${host}`);
    (await socket(1)).send(Buffer.from([0x22, 0xff, 0x22]), { binary: false });
    (await socket(2)).send(JSON.stringify(result));
    expect(await saidBy(reading)).toEqual(DONE);
  });

  test('that redirects is not followed: the key goes nowhere else', async () => {
    const [elsewhere, server] = [await listen(), await listen()];
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

describe('a server of socket.io', () => {
  test('may send bytes, events without arguments and broken packets, and ask for an acknowledgement', async () => {
    const { host, socket } = await socketIoServer();
    const { reading, result } = await waitAt(`http://${host}`);
    const first = await socket(1);
    first.emit('bytes', Buffer.alloc(100_000), { nested: Buffer.from('{"contentId":"x"}') });
    first.emit('nothing');
    first.conn.write('2["aiResponse",{"contentId":');
    const second = await socket(2);
    const acknowledged = second.timeout(30_000).emitWithAck('aiResponse', 'for you', result);
    expect(await saidBy(reading)).toEqual(DONE);
    await expect(acknowledged).resolves.not.toThrow();
  });

  test('may have a namespace, which is the path of the address', async () => {
    const { host, socket } = await socketIoServer('/ai');
    const { reading, result } = await waitAt(`http://${host}/ai`);
    (await socket(1)).emit('aiResponse', 'for you', result);
    expect(await saidBy(reading)).toEqual(DONE);
  });

  test('may be shown the key as the first message, and disconnect the client, which comes back', async () => {
    const { host, socket, messages } = await socketIoServer();
    const { graph, reading, result } = await waitAt(`http://${host}`, { AI_SOCKET_AUTH: 'message' });
    await expect.poll(() => messages).toEqual([{ apiKey: graph.keyOf() }]);
    (await socket(1)).disconnect();
    const second = await socket(2);
    const { headers, auth, query } = second.handshake;
    expect(JSON.stringify([headers, auth, query])).not.toContain(graph.keyOf());
    second.emit('aiResponse', result);
    expect(await saidBy(reading)).toEqual(DONE);
  });
});

test('a push server that says nothing does not keep the history from being read, and is left alone in the end', async () => {
  for (const scheme of ['ws', 'http']) {
    const { http, host, requests, connections } = await listen();
    http.on('upgrade', (_request, socket) => socket.on('end', () => socket.end()).resume());
    const { graph, reading, contentId } = await waitAt(`${scheme}://${host}`);
    await expect.poll(() => requests.length).toBe(1);
    graph.sandbox.generations.finish(contentId);
    expect(await saidBy(reading)).toEqual(DONE);
    await expect.poll(() => connections.size).toBe(0);
  }
});
