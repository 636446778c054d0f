import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { Connection, createMessageRate } from '../../../src/http/websocket/connection.ts';
import { holdTimers } from '../../support/clock.ts';
import { startGraph, shareGraph } from '../../support/graph.ts';
import { closeOf, openConnection, send as ask } from '../../support/http.ts';
import { holdAnswers } from '../../support/sandbox.ts';
import {
  watchServerSockets,
  INIT,
  openBareSocket,
  openClient,
  openGreeted,
  subscribe,
  upgradeRequest,
  upgradeStatus,
} from '../../support/web-sockets.ts';
import { LOCAL_QUERY, shareServer, startServer } from '../../support/server.ts';
import { DRAFT } from '../../support/writes.ts';

const FAST_ENOUGH = { WS_MESSAGE_BURST: '100000', WS_MESSAGES_PER_SECOND: '100000' };
/** A burst as by default, after which a busy machine doesn't allow many more. */
const slow = shareServer({ WS_MESSAGES_PER_SECOND: '1', MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '1000' });
const graph = shareGraph({ environment: { ...FAST_ENOUGH, MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '1000' } });
const MIB = 1024 * 1024;

/** The bytes of a frame with a mask that changes nothing, of which the first byte says what it is. */
const frame = (first: number, payload: string | readonly number[] = '') =>
  Buffer.from([first, 0x80 | payload.length, 0, 0, 0, 0, ...Buffer.from(payload as string)]);

/** Violations of RFC 6455, and closes that it allows. */
const VIOLATIONS: readonly (readonly [name: string, code: number, bytes: readonly Buffer[]])[] = [
  ['an unmasked text', 1002, [Buffer.from([0x81, 2, 0x7b, 0x7d])]],
  ['a text that is not UTF-8', 1007, [frame(0x81, [0xed, 0xa0, 0x80])]],
  ['a length of 2^63', 1009, [Buffer.from([0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0])]],
  // A close that is allowed is answered with its own code.
  ['a close with the code 4000', 4000, [frame(0x88, [0x0f, 0xa0])]],
  ['a close without a code', 1005, [frame(0x88)]],
  ['a close after a text that never ends', 1000, [frame(0x01, '{'), frame(0x88, [0x03, 0xe8])]],
];

test.each(VIOLATIONS)('%s ends its socket with %i, and no other socket', async (_name, code, bytes) => {
  const { url, log } = graph;
  const other = await openGreeted(url);
  const operating = await openGreeted(url);
  operating.send(subscribe('1', LOCAL_QUERY));
  const idle = await openBareSocket(url);
  for (const socket of [operating, idle]) {
    socket.write(...bytes);
    expect((await socket.closed).code).toBe(code);
  }
  other.send(subscribe('1', LOCAL_QUERY));
  expect(await other.next()).toMatchObject({ type: 'next' });
  expect(log.filter((line) => /"level":"(?:error|fatal)"/.test(line))).toEqual([]);
});

test('of 51 operations at once, the last gets an error of its own, and no other suffers', async () => {
  graph.sandbox.faults.add({ kind: 'never-answer', endpoint: 'GET /accounts/list', times: Infinity });
  const socket = await openGreeted(graph.url, graph.caller.key);
  const waiting = '{ accounts(first: 1, surface: CURRENT) { totalCount } }';
  for (let index = 1; index <= 51; index += 1) socket.send(subscribe(String(index), waiting));
  const payload = [{ extensions: { code: 'LIMIT_EXCEEDED', retryable: false } }];
  expect(await socket.next()).toMatchObject({ id: '51', type: 'error', payload });
  socket.send({ type: 'ping' });
  expect(await socket.next()).toEqual({ type: 'pong' });
  socket.send({ id: '7', type: 'complete' });
  await expect
    .poll(async () => {
      socket.send(subscribe('next', LOCAL_QUERY));
      const answer = (await socket.next()) as { type: string };
      if (answer.type === 'next') await socket.next();
      return answer.type;
    })
    .toBe('next');
});

test('an operation whose id is used again is logged as what it is, also if its client does not close the socket', async () => {
  const { url, caller, sandbox, log } = graph;
  const listing = holdAnswers(sandbox, { endpoint: 'GET /accounts/list' });
  const sockets = watchServerSockets();
  const socket = await openGreeted(url, caller.key);
  const [server] = sockets;
  const message = subscribe('1', '{ accounts { totalCount } node(id: "x") { id } }');
  socket.send(message);
  await listing.arrived();
  socket.socket.pause();
  socket.send(message);
  await expect.poll(() => server?.readyState).toBe(WebSocket.CLOSING);
  listing.release();
  const lines = () => log.filter((line) => !line.includes('"level":"debug"')).join('');
  await expect.poll(lines).not.toBe('');
  const failed = /^\{"level":"info".*"code":"BAD_USER_INPUT","count":1,"msg":"an operation failed"\}\n$/;
  expect(lines()).toMatch(failed);
});

test('a socket remembers no more keys than it has to, however many its client invents', async () => {
  const running = vi.spyOn(Connection.prototype, 'running', 'get');
  const socket = await openGreeted(graph.url);
  for (let count = 1; count <= 60; count += 1) {
    const message = subscribe('1', LOCAL_QUERY);
    const extensions = { headers: { 'x-api-key': `invented-${count}` } };
    socket.send({ ...message, payload: { ...message.payload, extensions } });
    expect(await socket.next()).toMatchObject({ type: 'next' });
    expect(await socket.next()).toMatchObject({ type: 'complete' });
  }
  const [connection] = running.mock.contexts as Connection[];
  expect(connection?.keys.size).toBeLessThanOrEqual(2);
});

test('a socket stays open if a subscription goes on after a call for one of its events was refused', async () => {
  const { url, caller, sandbox } = await startGraph({ environment: { WATCH_INTERVAL: '100ms' } });
  const socket = await openGreeted(url, caller.key);
  socket.send(subscribe('1', 'subscription { queueChanged { queuedPost { account { groups { name } } } } }'));
  expect(await socket.next()).toMatchObject({ type: 'next' });
  sandbox.faults.add({ kind: 'status', status: 401, endpoint: 'GET /accounts/view/{loginId}' });
  Object.assign(sandbox.state.owner('harbour').queue[0] ?? {}, { errorMsg: 'Oops' });
  const refused = { extensions: { code: 'CREDENTIAL_REJECTED', surface: 'CURRENT' } };
  expect(await socket.next()).toMatchObject({ id: '1', payload: { errors: [refused] } });
  socket.send(subscribe('2', LOCAL_QUERY));
  expect(await socket.next()).toMatchObject({ id: '2', type: 'next' });
  expect(await Promise.race([socket.next(), socket.closed])).toEqual({ id: '2', type: 'complete' });
});

test('the first message is free, a burst may follow, and then so many come in a second', () => {
  const limits = fc.record({
    messagesPerSecond: fc.integer({ min: 1, max: 1_000 }),
    messageBurst: fc.integer({ min: 1, max: 1_000 }),
  });
  fc.assert(
    fc.property(limits, fc.array(fc.nat({ max: 3_000 }), { maxLength: 20 }), (allowed, pauses) => {
      const clock = { ms: 0 };
      const isInTime = createMessageRate(allowed, () => clock.ms);
      const { messagesPerSecond, messageBurst } = allowed;
      const countNow = (): number => {
        let count = 0;
        while (count <= messageBurst + 1 && isInTime()) count += 1;
        return count;
      };
      expect(countNow()).toBe(messageBurst + 1);
      for (const pause of pauses) {
        // What is missing below zero for the message that was refused is made up first.
        clock.ms += pause + 1_000 / messagesPerSecond;
        const gained = (pause * messagesPerSecond) / 1_000;
        expect(Math.abs(countNow() - Math.min(messageBurst, gained))).toBeLessThanOrEqual(1);
      }
    }),
  );
});

const FLOODS: Readonly<Record<string, (socket: WebSocket) => void>> = {
  'pings of the protocol': (socket) => socket.send('{"type":"ping"}'),
  'pongs of the protocol': (socket) => socket.send('{"type":"pong"}'),
  'pings below the protocol': (socket) => socket.ping('x'),
  'pongs below the protocol': (socket) => socket.pong('x'),
  'ends of nothing': (socket) => socket.send('{"type":"complete","id":"x"}'),
};

test.each(Object.entries(FLOODS))('a flood of %s closes the socket with 1008', async (_name, send) => {
  const { socket, closed } = await openBareSocket(slow.url);
  for (let count = 0; count < 200; count += 1) send(socket);
  expect((await closed).code).toBe(1008);
});

test('of a flood of writes only a burst is executed, and other sockets are answered', async () => {
  const own = await startGraph({ environment: { WS_MESSAGE_BURST: '5', WS_MESSAGES_PER_SECOND: '1' } });
  const { sandbox, url, caller } = own;
  const socket = await openGreeted(url, caller.key);
  for (let index = 0; index < 40; index += 1)
    socket.send({ id: String(index), type: 'subscribe', payload: DRAFT });
  expect(await socket.closed).toEqual({ code: 1008, reason: 'Too many messages' });
  await sandbox.requests.waitFor('POST /draft/create', 5);
  await expect.poll(() => sandbox.requests.open).toBe(0);
  // One more is allowed for each second that the messages take.
  expect(sandbox.requests.count('POST /draft/create')).toBeLessThan(30);
  const other = await openGreeted(url);
  other.send(subscribe('1', LOCAL_QUERY));
  expect(await other.next()).toMatchObject({ id: '1', type: 'next' });
});

test('a client that does not read is disconnected before more than a mebibyte is buffered for it', async () => {
  const sockets = watchServerSockets();
  // Without pings, which would disconnect it as well, later.
  const { url } = await startServer(FAST_ENOUGH, { pingIntervalMs: 600_000 });
  const client = await openGreeted(url);
  client.socket.pause();
  const [socket] = sockets;
  if (!socket) throw new Error('the server has no socket');
  let most = 0;
  const sendOn = socket.send.bind(socket) as (...args: readonly unknown[]) => void;
  socket.send = ((...args: readonly unknown[]) => {
    sendOn(...args);
    most = Math.max(most, socket.bufferedAmount);
  }) as WebSocket['send'];
  const ping = { type: 'ping', payload: { x: 'x'.repeat(50 * 1024) } };
  for (let count = 0; count < 500; count += 1) client.send(ping);
  await expect.poll(() => socket.readyState).toBe(socket.CLOSED);
  expect(most).toBeGreaterThan(MIB / 2);
  expect(most).toBeLessThan(MIB + 60 * 1024);
});

test.each([
  ['1,000 pieces of a byte', 1_000, 'x'],
  ['100,000 empty pieces', 100_000, ''],
])('a message of %s is refused before it is whole', async (_what, count, payload) => {
  const socket = await openBareSocket(slow.url);
  socket.write(frame(0x01, payload), ...Array<Buffer>(count).fill(frame(0x00, payload)));
  expect([1008, 1006]).toContain((await socket.closed).code);
});

test('a peer that answers no ping is disconnected and frees its seat, and one that answers stays', async () => {
  const { url } = await startServer({ MAX_SOCKETS: '2' }, { pingIntervalMs: 1_000 });
  const there = await openGreeted(url);
  const gone = await openBareSocket(url, { autoPong: false });
  gone.send(INIT);
  expect((await gone.closed).code).toBe(1006);
  await expect.poll(() => upgradeStatus(url)).toBe(101);
  expect(there.socket.readyState).toBe(WebSocket.OPEN);
});

test('a socket that has reached MAX_SOCKET_AGE is closed with 1012, and a graphql-ws client reconnects', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  const timers = holdTimers();
  timers.hold(3_600_000, 'age');
  const socket = await openGreeted(graph.url);
  let opened = 0;
  openClient(graph.url, {
    lazy: false,
    onNonLazyError: () => undefined,
    retryAttempts: 5,
    retryWait: async () => await nextTurn(),
    on: { connected: () => (opened += 1) },
  });
  await expect.poll(() => opened).toBe(1);
  timers.fire('age');
  expect((await socket.closed).code).toBe(1012);
  await expect.poll(() => opened).toBe(2);
});

test('a socket whose key is revoked is not closed before its running write has ended', async () => {
  const { url, caller, sandbox } = await startGraph({ environment: { WATCH_INTERVAL: '100ms' } });
  const writing = holdAnswers(sandbox, { endpoint: 'POST /draft/create', effect: 'done' });
  const socket = await openGreeted(url, caller.key);
  socket.send(subscribe('1', 'subscription { queueChanged { kind } }'));
  expect(await socket.next()).toMatchObject({ id: '1', type: 'next' });
  socket.send({ id: '2', type: 'subscribe', payload: DRAFT });
  await writing.arrived();
  sandbox.faults.add({ kind: 'status', status: 401, endpoint: 'GET /posts/queued', times: Infinity });
  expect(await socket.next()).toMatchObject({ id: '1', payload: { data: { queueChanged: null } } });
  writing.release();
  const next = () => Promise.race([socket.next(), socket.closed]);
  expect(await next()).toEqual({ id: '1', type: 'complete' });
  expect(await next()).toMatchObject({ payload: { data: { createDraft: { outcome: 'COMPLETED' } } } });
  expect(await next()).toEqual({ id: '2', type: 'complete' });
  expect(await next()).toMatchObject({ code: 4401 });
});

test('a server that closes waits for a client that agrees to the close, and two seconds for any other', async () => {
  const { url, close } = await startServer();
  const [polite, rude] = [await openGreeted(url), await openGreeted(url)];
  rude.socket.pause();
  const timers = holdTimers();
  timers.hold(2_000, 'close');
  const closed = close();
  expect((await polite.closed).code).toBe(1012);
  let isClosed = false;
  void closed.then(() => (isClosed = true));
  await expect.poll(() => timers.names).toEqual(['close']);
  expect(isClosed).toBe(false);
  timers.fire('close');
  await closed;
  rude.socket.resume();
  expect((await rude.closed).code).toBe(1012);
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
      await closeOf(connection);
    }
  expect((await ask(`${url}/health`)).status).toBe(200);
});

test('a refused client that keeps its side of the connection open does not keep the server from closing', async () => {
  const { url, close } = await startServer();
  const connection = openConnection(url, { allowHalfOpen: true });
  connection.write(OTHER_PATH);
  expect(String((await once(connection, 'data'))[0])).toMatch(/^HTTP\/1\.1 404 /);
  const startedAt = performance.now();
  await close();
  // After 20 seconds, every connection would be closed anyway.
  expect(performance.now() - startedAt).toBeLessThan(15_000);
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
