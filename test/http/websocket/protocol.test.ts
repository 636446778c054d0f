import type { GraphQLFormattedError } from 'graphql';
import { expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { shareGraph } from '../../support/graph.ts';
import { holdTimers } from '../../support/clock.ts';
import { jsonOf, postJson } from '../../support/http.ts';
import { LOCAL_QUERY, shareServer } from '../../support/server.ts';
import {
  upgradeAnswer,
  ACK,
  connectSocket,
  INIT,
  openBareSocket,
  openGreeted,
  subscribe,
  type BareSocket,
} from '../../support/web-sockets.ts';
import { DRAFT } from '../../support/writes.ts';

const server = shareServer({ MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '1000' });
const graph = shareGraph();

const local = (id: string) => subscribe(id, LOCAL_QUERY);
const complete = (id: string) => ({ id, type: 'complete' });

/** That nothing more comes: what was sent before the ping would come before its pong. */
async function expectNothing(socket: BareSocket): Promise<void> {
  socket.send({ type: 'ping', payload: { last: true } });
  expect(await socket.next()).toEqual({ type: 'pong', payload: { last: true } });
}

test.each(['graphql-ws', 'anything', ''])('the subprotocol “%s” is refused', async (protocol) => {
  const socket = new WebSocket(server.endpoint.replace('http', 'ws'), protocol === '' ? [] : protocol);
  const ended = new Promise((resolve) => socket.on('error', resolve).on('close', resolve));
  expect([4406, new Error('Server sent no subprotocol')]).toContainEqual(await ended);
});

test('a socket that never sends connection_init is closed with 4408', async () => {
  const timers = holdTimers();
  timers.hold(3_000, 'init');
  const socket = await openBareSocket(server.url);
  await expect.poll(() => timers.names).toEqual(['init']);
  timers.fire('init');
  expect(await socket.closed).toEqual({ code: 4408, reason: 'Connection initialisation timeout' });
});

test.each([
  ['an operation without a greeting', [local('1')], 4401],
  ['an operation before the acknowledgement', [INIT, local('1')], 4401],
  ['two greetings', [INIT, { type: 'ping' }, INIT], 4429],
  ['a greeting whose payload is a list', [{ ...INIT, payload: [] }], 4400],
])('%s closes the socket', async (_what, messages, code) => {
  const socket = await openBareSocket(server.url);
  for (const message of messages) socket.send(message);
  expect((await socket.closed).code).toBe(code);
});

test.each([undefined, null, {}, { any: 'thing' }])('a greeting may have the payload %j', async (payload) => {
  const socket = await openBareSocket(server.url);
  socket.send({ ...INIT, ...(payload === undefined ? {} : { payload }) });
  expect(await socket.next()).toEqual(ACK);
});

test.each([
  'no JSON',
  'null',
  '[]',
  '{"type":7}',
  '{"type":"start","id":"1","payload":{"query":"{ x }"}}',
  '{"type":"subscribe","payload":{"query":"{ x }"}}',
  '{"id":"","type":"subscribe","payload":{"query":"{ x }"}}',
  '{"id":"1","type":"subscribe","payload":{"query":7}}',
  '{"id":"1","type":"subscribe","payload":{"query":"{ x }","variables":[]}}',
  '{"id":7,"type":"complete"}',
  '{"type":"ping","payload":7}',
  // What only servers send.
  '{"type":"connection_ack"}',
])('the message %s closes the socket with 4400, and is no error of the server', async (message) => {
  const socket = await openGreeted(server.url);
  socket.send(message);
  expect((await socket.closed).code).toBe(4400);
  expect(server.log.join('')).not.toMatch(/"level":"(?:error|fatal)"/);
});

test('pings are answered with their payload before and after the greeting, pongs and unknown ends with nothing', async () => {
  const socket = await openBareSocket(server.url);
  for (const greeting of [[], [INIT]]) {
    for (const message of greeting) socket.send(message);
    for (const _ of greeting) expect(await socket.next()).toEqual(ACK);
    socket.send({ type: 'ping' });
    expect(await socket.next()).toEqual({ type: 'pong' });
    socket.send({ type: 'pong', payload: { x: 1 } });
    socket.send(complete('unknown'));
    await expectNothing(socket);
  }
});

test('an operation ends with its result and a complete under its id, which is any text, and can be used again', async () => {
  const socket = await openGreeted(server.url);
  const texts = ['🙂', '\u0000', '"'].map((text) => text.repeat(10_240));
  const payload = { data: { surfaces: [{}, {}] } };
  for (const id of ['again', 'again', '{"id":"1","type":"complete"}', '__proto__', 'constructor', ...texts]) {
    socket.send(local(id));
    expect(await socket.next()).toMatchObject({ id, type: 'next', payload });
    expect(await socket.next()).toEqual(complete(id));
  }
});

test('an id that is in use closes the socket with 4409, however long it is', async () => {
  for (const [id, reason] of [
    ['🙂'.repeat(4), 'Subscriber for 🙂🙂🙂🙂 already exists'],
    ['x'.repeat(10_240), 'Subscriber already exists'],
  ] as const) {
    const socket = await openGreeted(server.url);
    for (const _ of [1, 2]) socket.send(local(id));
    expect(await socket.closed).toEqual({ code: 4409, reason });
  }
});

const LIMIT = 128 * 1024;
const padded = (bytes: number): string => {
  const message = JSON.stringify(local('1'));
  return message + ' '.repeat(bytes - message.length);
};

test('a message of 128 KiB is read; one byte more, also in pieces or as the greeting, closes the socket with 1009', async () => {
  const written = (['error', 'warn', 'log'] as const).map((name) => vi.spyOn(console, name));
  const socket = await openGreeted(server.url);
  socket.send(padded(LIMIT));
  expect(await socket.next()).toMatchObject({ type: 'next' });
  socket.send(padded(LIMIT + 1));
  const [greeting, pieces] = [await openBareSocket(server.url), await openBareSocket(server.url)];
  greeting.send({ ...INIT, payload: { x: 'x'.repeat(LIMIT) } });
  for (let index = 0; index < 3; index += 1) pieces.socket.send('x'.repeat(60 * 1024), { fin: false });
  for (const { closed } of [socket, greeting, pieces]) expect((await closed).code).toBe(1009);
  for (const spy of written) expect(spy).not.toHaveBeenCalled();
});

test('no compression is agreed on', async () => {
  const offer = { 'sec-websocket-extensions': 'permessage-deflate; client_max_window_bits' };
  const answer = await upgradeAnswer(server.url, offer);
  expect(answer).toMatch(/^HTTP\/1\.1 101/);
  expect(answer.toLowerCase()).not.toContain('sec-websocket-extensions');
});

/** A draft that the service takes its time over; a write continues when its caller has ended it. */
async function beginSlowDraft(socket: BareSocket, id: string): Promise<void> {
  graph.sandbox.faults.add({ kind: 'delay', ms: 300, endpoint: 'POST /draft/create' });
  socket.send({ id, type: 'subscribe', payload: DRAFT });
  await graph.sandbox.requests.waitFor('POST /draft/create', 1);
}

test('operations are answered when they are ready, each under its own id', async () => {
  const socket = await openGreeted(graph.url, graph.caller.key);
  await beginSlowDraft(socket, 'slow');
  socket.send(local('fast'));
  const seen: unknown[] = [];
  for (let index = 0; index < 4; index += 1) seen.push(await socket.next());
  expect(seen).toMatchObject([
    { id: 'fast', type: 'next' },
    { id: 'fast', type: 'complete' },
    { id: 'slow', type: 'next', payload: { data: { createDraft: { outcome: 'COMPLETED' } } } },
    { id: 'slow', type: 'complete' },
  ]);
});

test('an id that is used again while its last operation still runs names the new one alone', async () => {
  const { sandbox } = graph;
  const socket = await openGreeted(graph.url, graph.caller.key);
  await beginSlowDraft(socket, 'x');
  socket.send(complete('x'));
  sandbox.faults.add({ kind: 'never-answer', endpoint: 'GET /accounts/list' });
  socket.send(subscribe('x', '{ accounts(first: 1, surface: CURRENT) { totalCount } }'));
  await sandbox.requests.waitFor('GET /accounts/list', 1);
  await expect.poll(() => sandbox.requests.open).toBe(1);
  await expectNothing(socket);
  // The end of the first has not made the second deaf to its own.
  socket.send(complete('x'));
  await expect.poll(() => sandbox.requests.open).toBe(0);
  socket.send(local('x'));
  expect(await socket.next()).toMatchObject({ id: 'x', payload: { data: { surfaces: [{}, {}] } } });
  expect(await socket.next()).toEqual(complete('x'));
});

const withoutIds = (errors: readonly GraphQLFormattedError[]): unknown =>
  errors.map((error) => ({ ...error, extensions: { ...error.extensions, requestId: 'any' } }));

test.each([
  ['{ accounts {', 'GRAPHQL_PARSE_FAILED'],
  ['', 'GRAPHQL_PARSE_FAILED'],
  ['{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
  ['query ($id: ID!) { node(id: $id) { id } }', 'BAD_USER_INPUT'],
  ['query A { surfaces { surface } } query B { surfaces { surface } }', 'BAD_USER_INPUT'],
  ['subscription { anything }', 'GRAPHQL_VALIDATION_FAILED'],
])(
  'an operation that fails before it is executed ends alone, as over HTTP, and frees its id: %s',
  async (query, code) => {
    const socket = await openGreeted(server.url);
    socket.send(subscribe('1', query));
    const ended = (await socket.next()) as { type: string; payload: unknown };
    // A result without data, for what fails as late as its variables are read.
    if (ended.type === 'next') expect(await socket.next()).toEqual(complete('1'));
    const { errors } = ended.payload as { errors?: unknown };
    const payload = (ended.type === 'next' ? errors : ended.payload) as GraphQLFormattedError[];
    expect(ended.payload).not.toHaveProperty('data');
    expect(payload.map(({ extensions }) => extensions?.['code'])).toEqual([code]);
    const requestId = payload[0]?.extensions?.['requestId'];
    expect(requestId).toMatch(/^[\da-f-]{36}$/);
    expect(server.log.join('')).toContain(requestId);
    if (!/^(?:query A|subscription)/.test(query))
      expect(withoutIds(payload)).toEqual(
        withoutIds(jsonOf(await postJson(server.endpoint, { query })).errors),
      );
    socket.send(local('1'));
    expect(await socket.next()).toMatchObject({ id: '1', type: 'next' });
  },
);

const NAME = '{ accounts(first: 1, surface: CURRENT) { nodes { displayName } } }';
const nameIn = (list: unknown) => (list as { nodes: { displayName: string }[] }).nodes[0]?.displayName;
const key = (value: string) => ({ 'x-api-key': value });

test('a credential is taken from the message, else from the greeting, else from the upgrade', async () => {
  const [{ apiKey: ours }, { apiKey: theirs }] = graph.sandbox.owners;
  const cases: { message?: object; init?: object; upgrade?: Record<string, string> }[] = [
    { message: key(ours), init: key(theirs), upgrade: key('wrong') },
    { init: key(ours), upgrade: key(theirs) },
    { upgrade: key(ours) },
    { message: key(''), init: key(ours) },
    { message: { 'X-Api-Key': ours } },
    { init: { 'X-API-KEY': ours } },
  ];
  for (const { message, init = {}, upgrade = {} } of cases) {
    const socket = connectSocket(graph.url, { headers: upgrade, connectionParams: { ...init } });
    const { data } = await socket.run({ query: NAME, extensions: { headers: message } });
    expect(nameIn(data?.['accounts']), JSON.stringify([message, init, upgrade])).toBe('Kelpgate Roasters');
  }
});

test('each credential is looked up by itself', async () => {
  const [{ accessToken }, { apiKey }] = graph.sandbox.owners;
  const socket = connectSocket(graph.url, { connectionParams: { authorization: `Bearer ${accessToken}` } });
  const query = `{ current: ${NAME.slice(2, -2)} legacy: ${NAME.slice(2, -2).replace('CURRENT', 'LEGACY')} }`;
  const { data } = await socket.run({ query, extensions: { headers: key(apiKey) } });
  expect(Object.values(data ?? {}).map(nameIn)).toEqual(['Fernlight Books', 'Kelpgate Roasters']);
});

test.each([
  ['CREDENTIAL_REJECTED', 'a\r\nx-injected: 1'],
  ['CREDENTIAL_REJECTED', 'ключ'],
  ['CREDENTIAL_REJECTED', 'two, keys'],
  ['CREDENTIAL_REJECTED', 'x'.repeat(4_097)],
  ['CREDENTIAL_MISSING', '  \t '],
  ['CREDENTIAL_MISSING', ['demo-key-harbour']],
  ['CREDENTIAL_MISSING', { toString: 'demo-key-harbour' }],
])('%s: the key %j in a greeting is neither sent nor repeated', async (code, value) => {
  const socket = connectSocket(graph.url, { connectionParams: { 'x-api-key': value } });
  const { data, errors } = await socket.run({ query: NAME });
  expect(data).toEqual({ accounts: null });
  expect(errors?.map(({ extensions }) => extensions?.['code'])).toEqual([code]);
  expect(graph.sandbox.requests.count()).toBe(0);
  if (typeof value === 'string' && value.trim() !== '')
    expect(JSON.stringify(errors) + graph.log.join('')).not.toContain(value);
});
