import { once } from 'node:events';
import { Server } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { holdAnswers } from '../../support/sandbox.ts';
import { holdTimers } from '../../support/clock.ts';
import { openConnection, send } from '../../support/http.ts';
import {
  closePayload,
  frame,
  OPCODE,
  openRawWebSocket,
  upgradeRequest,
  type RawWebSocket,
  watchServerSockets,
  INIT,
  openGreeted,
  subscribe,
} from '../../support/web-sockets.ts';
import { LOCAL_QUERY, startServer } from '../../support/server.ts';
import { shareGraph } from '../../support/graph.ts';
import { documentOf, EXAMPLES } from '../../support/writes.ts';

const graph = shareGraph({
  environment: {
    WS_MESSAGE_BURST: '100000',
    WS_MESSAGES_PER_SECOND: '100000',
    MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '1000',
  },
});

/** Speaks the protocol, and answers pings or not. */
async function openAnswering(url: string, isAnswering: boolean): Promise<RawWebSocket> {
  const socket = await openRawWebSocket(url);
  socket.write(frame({ opcode: OPCODE.text, payload: JSON.stringify(INIT) }));
  socket.connection.on('data', () => {
    for (const { opcode } of socket.frames.splice(0))
      if (opcode === OPCODE.ping && isAnswering) socket.write(frame({ opcode: OPCODE.pong }));
  });
  return socket;
}

test('a peer that answers no ping is disconnected and frees its seat, and one that answers stays', async () => {
  const sockets = watchServerSockets();
  const { url } = await startServer({ MAX_SOCKETS: '2' }, { pingIntervalMs: 1_000 });
  const there = await openAnswering(url, true);
  const gone = await openAnswering(url, false);
  expect(await gone.ended).toBe(null);
  await expect.poll(() => sockets.map(({ readyState }) => readyState)).toEqual([1, 3]);
  expect(there.connection.destroyed).toBe(false);
  await expect.poll(() => openRawWebSocket(url).then(() => 'open', String)).toBe('open');
});

/** Lets sockets that are opened from now on reach their greatest age when the test says so. */
function holdAges(): () => void {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
  onTestFinished(() => random.mockRestore());
  const timers = holdTimers();
  timers.hold(3_600_000, 'age');
  return () => timers.fire('age');
}

test('a socket that has reached MAX_SOCKET_AGE is closed with 1012, and a graphql-ws client reconnects', async () => {
  const endAges = holdAges();
  const socket = await openGreeted(graph.url);
  let opened = 0;
  const client = createClient({
    url: `${graph.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    lazy: false,
    onNonLazyError: () => undefined,
    retryWait: async () => await nextTurn(),
    on: { connected: () => (opened += 1) },
  });
  onTestFinished(async () => await client.dispose());
  await expect.poll(() => opened).toBe(1);
  endAges();
  expect((await socket.closed).code).toBe(1012);
  await expect.poll(() => opened).toBe(2);
});

test('a socket that has reached MAX_SOCKET_AGE is not closed before its running write has ended', async () => {
  const endAges = holdAges();
  const writing = holdAnswers(graph.sandbox, { endpoint: 'POST /draft/create', effect: 'done' });
  const socket = await openGreeted(graph.url, graph.caller.key);
  const payload = { query: documentOf('createDraft'), variables: { input: EXAMPLES.createDraft } };
  socket.send({ id: '1', type: 'subscribe', payload });
  await writing.arrived();
  endAges();
  writing.release();
  expect(await socket.next()).toMatchObject({ payload: { data: { createDraft: { outcome: 'COMPLETED' } } } });
  expect(await socket.next()).toEqual({ id: '1', type: 'complete' });
  expect((await socket.closed).code).toBe(1012);
});

test('a server that closes waits for a client that agrees to the close, and two seconds for any other', async () => {
  const { url, close } = await startServer();
  const [polite, rude] = [await openRawWebSocket(url), await openRawWebSocket(url)];
  const timers = holdTimers();
  timers.hold(2_000, 'close');
  const closed = close();
  for (const socket of [polite, rude]) expect((await socket.next())?.payload.readUInt16BE()).toBe(1012);
  polite.write(frame({ opcode: OPCODE.close, payload: closePayload(1012) }));
  expect(await polite.ended).toBe(1012);
  expect(rude.connection.destroyed).toBe(false);
  timers.fire('close');
  await closed;
  expect(await rude.ended).toBe(1012);
});

const OTHER_PATH = upgradeRequest('http://127.0.0.1').replace('/graphql', '/other');

test('a client that resets its connection as it is refused does not end the process', async () => {
  const { url } = await startServer({ MAX_SOCKETS: '0' });
  const refused = [OTHER_PATH, upgradeRequest(url), upgradeRequest(url, { origin: 'null' })];
  for (const request of [...refused, ...refused])
    for (const at of ['data', 'drain']) {
      const connection = openConnection(url);
      await once(connection, 'connect');
      connection.write(request, () => connection.emit('drain'));
      connection.once(at, () => connection.resetAndDestroy());
      await once(connection, 'close');
    }
  expect((await send(`${url}/health`)).status).toBe(200);
});

test('a refused client that keeps its side of the connection open does not keep the server from closing', async () => {
  const { url, close } = await startServer();
  const connection = openConnection(url, { allowHalfOpen: true });
  connection.write(OTHER_PATH);
  expect(String((await once(connection, 'data'))[0])).toMatch(/^HTTP\/1\.1 404 /);
  const cut = vi.spyOn(Server.prototype, 'closeAllConnections');
  onTestFinished(() => cut.mockRestore());
  await close();
  // After 20 seconds, every connection would be closed anyway.
  expect(cut).not.toHaveBeenCalled();
});

test('operations that have ended leave no listener on their socket', async () => {
  const sockets = watchServerSockets();
  const socket = await openGreeted(graph.url);
  const listeners = () => sockets[0]?.eventNames().map((name) => [name, sockets[0]?.listenerCount(name)]);
  const before = listeners();
  for (let index = 0; index < 50; index += 1) {
    socket.send(subscribe('given up', LOCAL_QUERY));
    socket.send({ id: 'given up', type: 'complete' });
    socket.send(subscribe(String(index), LOCAL_QUERY));
    const last = JSON.stringify({ id: String(index), type: 'complete' });
    // What was given up may have been answered already.
    while (JSON.stringify(await socket.next()) !== last);
  }
  expect(listeners()).toEqual(before);
});
