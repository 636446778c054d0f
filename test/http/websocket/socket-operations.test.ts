import { expect, test } from 'vitest';
import { eachCase } from '../../support/each-case.ts';
import { startGraph, type RunningGraph } from '../../support/graph.ts';
import { LOCAL_QUERY, shareServer } from '../../support/server.ts';
import { startStockSockets } from '../../support/stock-sockets.ts';
import { openBareSocket, type BareSocket } from '../../support/web-sockets.ts';

const server = shareServer({ MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '1000' });

const ACCOUNTS = '{ accounts(first: 1, surface: CURRENT) { totalCount } }';
const DRAFT =
  'mutation { createDraft(input: { accountIds: ["MWFjOjQxMDIwMQ"], variants: [{ text: "Hello" }] }) { outcome } }';

const INIT = { type: 'connection_init' };
const subscribe = (id: string, query: string) => ({ id, type: 'subscribe', payload: { query } });
const complete = (id: string) => ({ id, type: 'complete' });

async function open(url: string, headers: object = {}): Promise<BareSocket> {
  const socket = await openBareSocket(url, { headers });
  socket.send(INIT);
  expect(await socket.next()).toEqual({ type: 'connection_ack' });
  return socket;
}

/** That nothing more comes: what was sent before the ping would come before its pong. */
async function expectNothing(socket: BareSocket): Promise<void> {
  socket.send({ type: 'ping', payload: { last: true } });
  expect(await socket.next()).toEqual({ type: 'pong', payload: { last: true } });
}

/** A draft that the service takes its time over; a write goes on when its caller wants it no more. */
async function beginSlowDraft(graph: RunningGraph, socket: BareSocket, id: string): Promise<void> {
  graph.sandbox.faults.add({ kind: 'delay', ms: 300, endpoint: 'POST /draft/create' });
  socket.send(subscribe(id, DRAFT));
  await graph.sandbox.requests.waitFor('POST /draft/create', 1);
}

test('what needs no acknowledgement is answered before it, and what needs it is not', async () => {
  const { url } = server;
  const socket = await openBareSocket(url);
  socket.send({ type: 'ping' });
  expect(await socket.next()).toEqual({ type: 'pong' });
  socket.send({ type: 'pong' });
  socket.send(complete('unknown'));
  await expectNothing(socket);
  socket.send(INIT);
  expect(await socket.next()).toEqual({ type: 'connection_ack' });
});

test('messages in an order that the protocol forbids close the socket with its code', () =>
  eachCase(
    [
      ['subscribe without an init', [subscribe('1', LOCAL_QUERY)], 4401],
      ['subscribe at once after the init', [INIT, subscribe('1', LOCAL_QUERY)], 4401],
      ['two inits at once', [INIT, INIT], 4429],
      ['an init, a ping and an init', [INIT, { type: 'ping' }, INIT], 4429],
      ['an init whose payload is a list', [{ ...INIT, payload: [] }], 4400],
      ['an init whose payload is a text', [{ ...INIT, payload: 'x' }], 4400],
    ],
    async ([, messages, code]) => {
      const { url } = server;
      const socket = await openBareSocket(url);
      for (const message of messages) socket.send(message);
      expect((await socket.closed).code).toBe(code);
    },
  ));

test('connection_init may have any object as its payload, or none', () =>
  eachCase([undefined, null, {}, { any: 'thing' }], async (payload) => {
    const { url } = server;
    const socket = await openBareSocket(url);
    socket.send({ ...INIT, ...(payload === undefined ? {} : { payload }) });
    expect(await socket.next()).toEqual({ type: 'connection_ack' });
  }));

test('pongs, asked for or not, are answered with nothing', async () => {
  const { url } = server;
  const socket = await open(url);
  socket.send({ type: 'pong' });
  socket.send({ type: 'pong', payload: { x: 1 } });
  await expectNothing(socket);
});

test('the end of an operation that nobody began is no matter, and neither is an end said twice', async () => {
  const { url } = server;
  const socket = await open(url);
  socket.send(complete('unknown'));
  socket.send(subscribe('1', LOCAL_QUERY));
  socket.send(complete('1'));
  socket.send(complete('1'));
  await expectNothing(socket);
});

test('an operation that fails as a whole ends with an error, without a complete, and frees its id', () =>
  eachCase(
    ['{', '{ nothing }', 'query A { surfaces { surface } } query B { surfaces { surface } }'],
    async (query) => {
      const { url } = server;
      const socket = await open(url);
      socket.send(subscribe('1', query));
      const ended = (await socket.next()) as { type: string; payload: unknown };
      if (ended.type === 'next') {
        expect(ended.payload).not.toHaveProperty('data');
        expect(await socket.next()).toEqual(complete('1'));
      } else expect(ended).toMatchObject({ id: '1', type: 'error', payload: [{ extensions: {} }] });
      await expectNothing(socket);
      socket.send(subscribe('1', LOCAL_QUERY));
      expect(await socket.next()).toMatchObject({ id: '1', type: 'next' });
      expect(await socket.next()).toEqual(complete('1'));
    },
  ));

test('operations answer when they are ready, each under its own id, the result before the end', async () => {
  const graph = await startGraph();
  const socket = await open(graph.url, graph.caller.key);
  await beginSlowDraft(graph, socket, 'slow');
  socket.send(subscribe('fast', LOCAL_QUERY));
  const seen: unknown[] = [];
  for (let index = 0; index < 4; index += 1) seen.push(await socket.next());
  expect(seen).toMatchObject([
    { id: 'fast', type: 'next', payload: { data: { surfaces: [{}, {}] } } },
    { id: 'fast', type: 'complete' },
    { id: 'slow', type: 'next', payload: { data: { createDraft: { outcome: 'COMPLETED' } } } },
    { id: 'slow', type: 'complete' },
  ]);
});

test('of an operation that its client has ended nothing is heard any more', async () => {
  const graph = await startGraph();
  const socket = await open(graph.url, graph.caller.key);
  await beginSlowDraft(graph, socket, '1');
  socket.send(complete('1'));
  await expect.poll(() => graph.sandbox.requests.open).toBe(0);
  await expectNothing(socket);
});

test('an id that is used again while its last operation still runs names the new one alone', async () => {
  const graph = await startGraph();
  const socket = await open(graph.url, graph.caller.key);
  await beginSlowDraft(graph, socket, 'x');
  socket.send(complete('x'));
  graph.sandbox.faults.add({ kind: 'never-answer', endpoint: 'GET /accounts/list' });
  socket.send(subscribe('x', ACCOUNTS));
  await graph.sandbox.requests.waitFor('GET /accounts/list', 1);
  await expect.poll(() => graph.sandbox.requests.open).toBe(1);
  await expectNothing(socket);
  // The end of the first has not made the second deaf to its own.
  socket.send(complete('x'));
  await expect.poll(() => graph.sandbox.requests.open).toBe(0);
  socket.send(subscribe('x', LOCAL_QUERY));
  expect(await socket.next()).toMatchObject({
    id: 'x',
    type: 'next',
    payload: { data: { surfaces: [{}, {}] } },
  });
  expect(await socket.next()).toEqual(complete('x'));
});

test('the library alone would answer the new operation with the result of the old one', async () => {
  const { url, finish } = await startStockSockets();
  const socket = await open(url);
  socket.send(subscribe('x', '{ slow }'));
  socket.send(complete('x'));
  socket.send(subscribe('x', '{ slow fast }'));
  await expectNothing(socket);
  finish('of the first');
  expect(await socket.next()).toEqual({ id: 'x', type: 'next', payload: { data: { slow: 'of the first' } } });
});

test('an operation id that is in use closes the socket with 4409, however long it is', () =>
  eachCase(
    [
      ['x', 'Subscriber for x already exists'],
      ['🙂'.repeat(4), 'Subscriber for 🙂🙂🙂🙂 already exists'],
      ['x'.repeat(10_240), 'Subscriber already exists'],
    ],
    async ([id, reason]) => {
      const { url } = server;
      const socket = await open(url);
      socket.send(subscribe(id, LOCAL_QUERY));
      socket.send(subscribe(id, LOCAL_QUERY));
      expect(await socket.closed).toEqual({ code: 4409, reason });
    },
  ));

test('numbers in the place of ids are the client’s, not ours', async () => {
  const { url } = server;
  const socket = await open(url);
  const ids = ['3', '2', '1'];
  for (const id of ids) socket.send(subscribe(id, LOCAL_QUERY));
  const ended: unknown[] = [];
  while (ended.length < 3) {
    const message = (await socket.next()) as { id: string; type: string };
    if (message.type === 'complete') ended.push(message.id);
  }
  expect(ended).toEqual(ids);
});

test('a result that looks like a message of the protocol stays a result', async () => {
  const { url } = server;
  const socket = await open(url);
  const name = '{"id":"1","type":"complete"}';
  socket.send(subscribe(name, LOCAL_QUERY));
  expect(await socket.next()).toMatchObject({ id: name, type: 'next' });
  expect(await socket.next()).toEqual({ id: name, type: 'complete' });
});

test('a message that only servers send ends the socket, and is no fault of ours in the log', async () => {
  const { url, log } = server;
  const socket = await open(url);
  socket.send({ id: '1', type: 'next', payload: {} });
  expect((await socket.closed).code).toBe(4400);
  expect(log.filter((line) => /"level":"(?:error|fatal)"/.test(line))).toEqual([]);
});
