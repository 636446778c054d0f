import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { FaultKind } from '../../../packages/sandbox/src/faults/fault.ts';
import { hashOf } from '../../../src/journal/journal.ts';
import { EventStreams, Seats, type SeatLimits } from '../../../src/http/seats.ts';
import type { Credentials } from '../../../src/operation/credentials.ts';
import { AcceptedCredentials } from '../../../src/sources/accepted-credentials.ts';
import { startGraph, type RunningGraph } from '../../support/graph.ts';
import { FOLLOW, startStream } from '../../support/http.ts';
import {
  upgradeAnswer,
  upgradeStatus,
  ACK,
  INIT,
  openBareSocket,
  type BareSocket,
} from '../../support/web-sockets.ts';
import { LOCAL_QUERY, startServer } from '../../support/server.ts';

// Anybody can make up a credential. It gets its holder more seats once a call with it has succeeded.

const KEY = { 'x-api-key': 'any-key' };
const TOKEN = { authorization: 'Bearer any-token' };
const CURRENT = '{ accounts(surface: CURRENT) { totalCount } }';
const LEGACY = '{ accounts(surface: LEGACY) { totalCount } }';
const BOTH = `{ current: ${CURRENT.slice(2, -2)} legacy: ${LEGACY.slice(2, -2)} }`;

const perAddress = (seats: number) => ({ MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: String(seats) });

let made = 0;
const madeUp = (): { readonly 'x-api-key': string } => ({ 'x-api-key': `made-up-${(made += 1)}` });

async function greet(url: string, payload: object = {}): Promise<BareSocket> {
  const socket = await openBareSocket(url);
  socket.send({ ...INIT, payload });
  return socket;
}

async function succeeded(take: () => Promise<boolean>): Promise<number> {
  let taken = 0;
  for (let tries = 0; tries < 5; tries += 1) if (await take()) taken += 1;
  return taken;
}

test.each<[string, (graph: RunningGraph) => Promise<boolean>]>([
  ['at the upgrade', async ({ url }) => (await upgradeStatus(url, madeUp())) === 101],
  [
    'in the greeting',
    async ({ url }) => {
      const socket = await greet(url, madeUp()).catch(() => null);
      return socket !== null && (await Promise.race([socket.next(), socket.closed])) !== undefined;
    },
  ],
  [
    'of a stream of events',
    async ({ url }) => (await startStream(url, FOLLOW, madeUp()).answer).status === 200,
  ],
])('made-up keys %s get one address no more seats than it has', async (_, take) => {
  const graph = await startGraph({ environment: perAddress(3) });
  expect(await succeeded(() => take(graph))).toBe(3);
  expect(await upgradeStatus(graph.url, madeUp(), '127.0.0.2')).toBe(101);
});

test('a quarter of all seats is kept for credentials that the service has accepted', async () => {
  const graph = await startGraph({ environment: { MAX_SOCKETS: '8', ...perAddress(4) } });
  const { url, caller } = graph;
  for (const [address, left] of [
    ['127.0.0.2', 4],
    ['127.0.0.3', 2],
    ['127.0.0.4', 0],
  ] as const)
    expect(await succeeded(async () => (await upgradeStatus(url, madeUp(), address)) === 101)).toBe(left);
  expect(await upgradeStatus(url, caller.key)).toBe(503);
  await graph.query(CURRENT, { headers: caller.key });
  expect(await succeeded(async () => (await upgradeStatus(url, caller.key)) === 101)).toBe(2);
});

test.each([perAddress(2), { MAX_SOCKETS: '2' }])(
  'with %j, a third socket is 503 with the hint to wait, until another has closed',
  async (environment) => {
    const { url, log } = await startServer(environment);
    const [first] = [await openBareSocket(url, { headers: KEY }), await openBareSocket(url)];
    expect(await upgradeAnswer(url, TOKEN)).toMatch(/^HTTP\/1\.1 503 [^]*\r\nretry-after: \d/);
    expect(log.some((line) => line.includes('"status":503'))).toBe(true);
    first?.close();
    await expect.poll(() => upgradeStatus(url)).toBe(101);
  },
);

test('a socket that presents an accepted credential in its greeting frees its seat of the address', async () => {
  const graph = await startGraph({ environment: perAddress(1) });
  const { url, caller } = graph;
  await graph.query(BOTH);
  for (const payload of [caller.key, caller.token, caller.both, KEY])
    expect(await (await greet(url, payload)).next()).toEqual(ACK);
  expect(await upgradeStatus(url)).toBe(503);
});

test('a socket too many for its credential gets 503 at the upgrade, 4403 at the greeting', async () => {
  const { url, log } = await startServer({ MAX_SOCKETS_PER_CREDENTIAL: '2' });
  const both = [KEY, { ...KEY, ...TOKEN }];
  const [first] = await Promise.all(both.map((headers) => openBareSocket(url, { headers })));
  expect(await upgradeStatus(url, KEY)).toBe(503);
  expect(await (await greet(url, KEY)).closed).toEqual({ code: 4403, reason: 'Forbidden' });
  expect(await (await greet(url, { 'x-api-key': 'another-key' })).next()).toEqual(ACK);
  // The same text for the other surface is another credential, and each one of a socket counts.
  expect(await (await greet(url, { 'x-api-key': 'any-token' })).next()).toEqual(ACK);
  expect(await (await greet(url, TOKEN)).next()).toEqual(ACK);
  expect(await upgradeStatus(url, TOKEN)).toBe(503);
  first?.close();
  await expect.poll(() => upgradeStatus(url, KEY)).toBe(101);
  expect(log.join('')).not.toMatch(/any-key|any-token/);
});

/** Runs an operation with headers of its own; gives the first message of its answer. */
async function run(socket: BareSocket, headers: object, query = LOCAL_QUERY): Promise<unknown> {
  socket.send({ id: '1', type: 'subscribe', payload: { query, extensions: { headers } } });
  const answer = (await socket.next()) as { readonly type: string };
  if (answer.type === 'next') await socket.next();
  return answer;
}

test('a socket that presents its credentials with each operation counts from the first accepted one on', async () => {
  const environment = { ...perAddress(1), MAX_SOCKETS_PER_CREDENTIAL: '1' };
  const { url, caller } = await startGraph({ environment });
  const first = await greet(url);
  expect(await first.next()).toEqual(ACK);
  expect(await run(first, madeUp(), CURRENT)).toMatchObject({ payload: { errors: [{}] } });
  expect(await upgradeStatus(url)).toBe(503);
  expect(await run(first, caller.key, CURRENT)).toMatchObject({ payload: { data: { accounts: {} } } });

  const second = await greet(url);
  expect(await second.next()).toEqual(ACK);
  const payload = [{ extensions: { code: 'LIMIT_EXCEEDED' } }];
  expect(await run(second, caller.key)).toMatchObject({ type: 'error', payload });
  expect(await run(second, {})).toMatchObject({ type: 'next' });
});

test('an upgrade that fails for another reason keeps no seat', async () => {
  const { url } = await startServer(perAddress(1));
  for (const headers of [
    { 'sec-websocket-key': 'short' },
    { 'sec-websocket-version': '7' },
    { 'sec-websocket-protocol': ',' },
  ])
    await expect.poll(() => upgradeStatus(url, headers)).toBe(400);
  expect(await upgradeStatus(url, { origin: 'https://evil.example' })).toBe(403);
  expect(await upgradeStatus(url, { upgrade: 'h2c' })).toBe(405);
  await expect.poll(() => upgradeStatus(url)).toBe(101);
});

test('only a success accepts a credential, and a later refusal ends it', async () => {
  const graph = await startGraph({ environment: perAddress(0) });
  const { url, sandbox, caller } = graph;
  const failures: FaultKind[] = [
    { kind: 'status', status: 500 },
    { kind: 'status', status: 429 },
    { kind: 'status', status: 400 },
    { kind: 'malformed-json' },
  ];
  for (const fault of failures) {
    sandbox.faults.add({ ...fault, endpoint: 'GET /accounts/list' });
    expect((await graph.query(CURRENT, { headers: caller.key })).errors).toHaveLength(1);
    expect(await upgradeStatus(url, caller.key), JSON.stringify(fault)).toBe(503);
  }
  const refused = madeUp();
  await graph.query(CURRENT, { headers: refused });
  expect(await upgradeStatus(url, refused)).toBe(503);
  // The legacy surface refuses in ways of its own.
  for (const status of [200, 400, 401]) {
    const body = { error: 1, msg: 'The access token is not valid.' };
    sandbox.faults.add({ kind: 'status', status, body, endpoint: 'GET /oauth/accounts' });
    expect((await graph.query(LEGACY, { headers: caller.token })).errors).toHaveLength(1);
    expect(await upgradeStatus(url, caller.token)).toBe(503);
  }
  // Each surface accepts its own credential.
  await graph.query(CURRENT);
  expect(await upgradeStatus(url, caller.key)).toBe(101);
  expect(await upgradeStatus(url, caller.token)).toBe(503);
  await graph.query(LEGACY);
  expect(await upgradeStatus(url, caller.token)).toBe(101);
  sandbox.faults.add({ kind: 'status', status: 401, endpoint: 'GET /accounts/list' });
  await graph.query(CURRENT);
  expect(await upgradeStatus(url, caller.key)).toBe(503);
});

const NOBODY: Credentials = { current: { state: 'missing' }, legacy: { state: 'missing' } };
const key = (value: string): Credentials => ({ ...NOBODY, current: { state: 'given', value } });
const hashCredential = (...parts: readonly string[]): string => hashOf(['a secret', ...parts]);

/** Seats, where the service has accepted some API keys; `take` takes one at an address. */
function seatsOf(limits: Partial<SeatLimits> = {}, ...keys: readonly string[]) {
  const accepted = new AcceptedCredentials();
  const all = { maxSockets: 10, maxPerCredential: 3, maxAnonymousPerAddress: 2, ...limits };
  const seats = new Seats(all, { hashCredential, acceptedCredentials: accepted });
  const accept = (value: string): void => accepted.note(hashCredential('current', value), true);
  for (const one of keys) accept(one);
  const take = (credentials = NOBODY, address = '10.0.0.1') => seats.take(address, credentials);
  return { seats, accept, take };
}

test('when a credential is accepted, its seats are freed at the address, and stay free', () => {
  const { take, accept } = seatsOf();
  const [one, two] = [take(key('a')), take()];
  two?.claim(key('a'));
  expect(take()).toBe(null);
  accept('a');
  expect([take(), take()]).not.toContain(null);
  expect(take()).toBe(null);
  for (const seat of [one, two]) seat?.leave();
  expect(take()).toBe(null);
  for (const _ of [1, 2, 3]) expect(take(key('a'))).not.toBe(null);
});

test('a seat that was left is not counted when its credential is accepted, nor freed again', () => {
  const { take, accept } = seatsOf({ maxSockets: 2, maxAnonymousPerAddress: 1 });
  const left = take(key('a'));
  left?.leave();
  left?.leave();
  expect(left?.claim(key('b'))).toBe(true);
  expect(take()).not.toBe(null);
  accept('a');
  expect(take()).toBe(null);
  expect(take(key('a'))).not.toBe(null);
  expect(take(key('a'))).toBe(null);
});

test('an unusable credential is none, and a caller with too many seats keeps the one it has', () => {
  const { take } = seatsOf({ maxPerCredential: 1, maxAnonymousPerAddress: 1 }, 'a', 'b');
  const unusable: Credentials = { current: { state: 'unusable' }, legacy: { state: 'unusable' } };
  take(key('a'));
  const seat = take(unusable);
  expect([seat?.claim(unusable), seat?.claim(key('a'))]).toEqual([true, false]);
  expect(take()).toBe(null);
  expect(seat?.claim(key('b'))).toBe(true);
  expect(take()).not.toBe(null);
});

test('a stream that begins when the others have been ended is ended, too, so that its reader comes back', () => {
  const { seats, take } = seatsOf({ maxSockets: 1 });
  const streams = new EventStreams(seats);
  streams.close();
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  expect([streams.enter(response, '10.0.0.1', NOBODY), response.destroyed]).toEqual([false, true]);
  expect(take()).not.toBe(null);
});

test.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:1:2:3', true],
  ['2001:db8::1', '2001:db8:0:0:9::', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['fe80::1%eth0', 'fe80::2%eth1', true],
  ['::1', '::2', true],
  ['10.0.0.1', '::ffff:10.0.0.1', true],
  ['::ffff:10.0.0.1', '::ffff:10.0.0.2', false],
])('%s and %s are the same network: %s', (one, other, isSame) => {
  const { take } = seatsOf({ maxAnonymousPerAddress: 1 });
  take(NOBODY, one);
  expect(take(NOBODY, other) === null).toBe(isSame);
});
