import { once } from 'node:events';
import { Server } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createClient, type Client } from 'graphql-ws';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { startGraph } from '../../support/graph.ts';
import { send } from '../../support/raw-http.ts';
import {
  closePayload,
  frame,
  OPCODE,
  openRawWebSocket,
  upgradeRequest,
  UPGRADE_HEADERS,
  type RawWebSocket,
} from '../../support/raw-web-socket.ts';
import { LOCAL_QUERY, startServer } from '../../support/server.ts';
import { watchServerSockets } from '../../support/server-sockets.ts';
import { openBareSocket, type BareSocket } from '../../support/web-sockets.ts';

const INIT = { type: 'connection_init' };
const RAISED = {
  WS_MESSAGE_BURST: '100000',
  WS_MESSAGES_PER_SECOND: '100000',
  MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '1000',
};
const subscribe = (id: string, query = LOCAL_QUERY) => ({ id, type: 'subscribe', payload: { query } });

/** Speaks the protocol, and answers pings for as long as it is told to. */
async function openAnswering(url: string, isAnswering: () => boolean): Promise<RawWebSocket> {
  const socket = await openRawWebSocket(url);
  socket.write(frame({ opcode: OPCODE.text, payload: JSON.stringify(INIT) }));
  socket.connection.on('data', () => {
    for (const { opcode } of socket.frames.splice(0)) {
      if (opcode === OPCODE.ping && isAnswering()) socket.write(frame({ opcode: OPCODE.pong }));
    }
  });
  return socket;
}

test('a peer that answers no ping is disconnected and frees its seat, and one that answers stays', async () => {
  const sockets = watchServerSockets();
  const { url } = await startServer({ ...RAISED, MAX_SOCKETS: '2' }, { pingIntervalMs: 1_000 });
  const gone = await openAnswering(url, () => false);
  const there = await openAnswering(url, () => true);
  expect(await gone.ended).toBe(null);
  await expect.poll(() => sockets.map(({ readyState }) => readyState)).toEqual([3, 1]);
  expect(there.connection.destroyed).toBe(false);
  await expect.poll(() => openRawWebSocket(url).then(() => 'open', String)).toBe('open');
});

test('a socket that has reached MAX_SOCKET_AGE is closed with 1012', async () => {
  const { url } = await startServer({ MAX_SOCKET_AGE: '1' });
  const socket = await openBareSocket(url);
  socket.send(INIT);
  expect((await socket.closed).code).toBe(1012);
});

/** What the protocol's own client makes of a close, as a subscriber sees it. */
function clientMeets(url: string, meet: (client: Client) => void): { readonly opened: number } {
  let opened = 0;
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    lazy: false,
    onNonLazyError: () => undefined,
    retryWait: async () => await nextTurn(),
    on: { connected: () => (opened += 1) === 1 && meet(client) },
  });
  onTestFinished(async () => await client.dispose());
  return {
    get opened() {
      return opened;
    },
  };
}

test('a graphql-ws client reconnects after MAX_SOCKET_AGE', async () => {
  const { url } = await startServer({ MAX_SOCKET_AGE: '1' });
  const client = clientMeets(url, () => undefined);
  await expect.poll(() => client.opened).toBeGreaterThan(1);
});

test('a graphql-ws client does not reconnect after it was closed for sending too much', async () => {
  const { url } = await startServer({ WS_MESSAGE_BURST: '5' });
  const ended = new Promise((resolve) => {
    clientMeets(url, (client) => {
      for (let index = 0; index < 50; index += 1) {
        client.subscribe(
          { query: LOCAL_QUERY },
          { next: () => undefined, error: resolve, complete: () => undefined },
        );
      }
    });
  });
  expect(await ended).toMatchObject({ code: 1008 });
});

test('a socket that has reached MAX_SOCKET_AGE is not closed before its running write has ended', async () => {
  const graph = await startGraph({ environment: { MAX_SOCKET_AGE: '3' } });
  // Longer than the socket may live, which is long enough to send the write on a busy machine.
  graph.sandbox.faults.add({ kind: 'delay', ms: 4_500, endpoint: 'POST /draft/create' });
  const socket = await openBareSocket(graph.url, { headers: graph.caller.key });
  socket.send(INIT);
  await socket.next();
  const input = '{ accountIds: ["MWFjOjQxMDIwMQ"], variants: [{ text: "Hello" }] }';
  socket.send(subscribe('1', `mutation { createDraft(input: ${input}) { outcome } }`));
  expect(await socket.next()).toMatchObject({ payload: { data: { createDraft: { outcome: 'COMPLETED' } } } });
  expect(await socket.next()).toEqual({ id: '1', type: 'complete' });
  expect((await socket.closed).code).toBe(1012);
});

test('a client that never agrees to a close is disconnected, and one that agrees is not waited for', async () => {
  const [agreeing, silent] = await Promise.all([startServer(), startServer()]);
  const polite = await openRawWebSocket(agreeing.url);
  const rude = await openRawWebSocket(silent.url);
  const first = agreeing.close().then(() => 'the one that agrees');
  expect((await polite.next())?.payload.readUInt16BE()).toBe(1012);
  polite.write(frame({ opcode: OPCODE.close, payload: closePayload(1012) }));
  const second = silent.close().then(() => 'the one that does not');
  expect(await Promise.race([first, second])).toBe('the one that agrees');
  await second;
  expect(await rude.ended).toBe(1012);
});

const OTHER_PATH = upgradeRequest('http://127.0.0.1').replace('/graphql', '/other');

test('a client that resets its connection as it is refused does not end the process', async () => {
  const { url } = await startServer({ MAX_SOCKETS: '0' });
  const { hostname, port } = new URL(url);
  const refused = [OTHER_PATH, upgradeRequest(url), upgradeRequest(url, { origin: 'null' })];
  const resets = Array.from({ length: 3 }, () => refused)
    .flat()
    .flatMap((request) => [
      { request, at: 'data' },
      { request, at: 'drain' },
    ]);
  for (const { request, at } of resets) {
    const connection = connect(Number(port), hostname);
    connection.on('error', () => undefined);
    await once(connection, 'connect');
    connection.write(request, () => connection.emit('drain'));
    connection.once(at, () => connection.resetAndDestroy());
    await once(connection, 'close');
  }
  expect((await send(`${url}/health`)).status).toBe(200);
});

test('a refused client that keeps its side of the connection open does not keep the server from closing', async () => {
  const { url, close } = await startServer();
  const { hostname, port } = new URL(url);
  const connection = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  onTestFinished(() => void connection.destroy());
  connection.on('error', () => undefined);
  connection.write(OTHER_PATH);
  await once(connection, 'data');
  const cut = vi.spyOn(Server.prototype, 'closeAllConnections');
  onTestFinished(() => cut.mockRestore());
  await close();
  // After 20 seconds, every connection would be closed anyway.
  expect(cut).not.toHaveBeenCalled();
});

test('compression that a client offers is not agreed on', async () => {
  const { url } = await startServer();
  const { hostname, port } = new URL(url);
  for (const offer of [
    'permessage-deflate',
    'permessage-deflate; client_max_window_bits',
    'x-webkit-deflate-frame',
  ]) {
    const connection = connect(Number(port), hostname);
    onTestFinished(() => void connection.destroy());
    connection.write(upgradeRequest(url, { ...UPGRADE_HEADERS, 'sec-websocket-extensions': offer }));
    const [answer] = (await once(connection, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 101/);
    expect(answer.toString().toLowerCase()).not.toContain('sec-websocket-extensions');
  }
});

async function nextOf(socket: BareSocket, expected: object): Promise<void> {
  const wanted = JSON.stringify(expected);
  while (JSON.stringify(await socket.next()) !== wanted);
}

const listenersOf = (socket: WebSocket | undefined) =>
  socket?.eventNames().map((name) => [name, socket.listenerCount(name)]);

test('idle sockets that close are forgotten, and operations that have ended leave no listener on their socket', async () => {
  const sockets = watchServerSockets();
  const { url } = await startServer(RAISED);
  const idle = await Promise.all(Array.from({ length: 20 }, () => openBareSocket(url)));
  const busy = await openBareSocket(url);
  busy.send(INIT);
  await busy.next();
  const before = listenersOf(sockets.at(-1));

  for (let index = 0; index < 50; index += 1) {
    busy.send(subscribe('given up'));
    busy.send({ id: 'given up', type: 'complete' });
    busy.send(subscribe(String(index)));
    // What was given up may have been answered already.
    await nextOf(busy, { id: String(index), type: 'complete' });
  }

  expect(listenersOf(sockets.at(-1))).toEqual(before);
  for (const socket of idle) socket.close();
  await expect.poll(() => sockets.filter(({ readyState }) => readyState === 3).length).toBe(20);
});
