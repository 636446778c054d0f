import { expect, test } from 'vitest';
import { startGraph } from '../../support/graph.ts';
import { openRawWebSocket, upgradeStatus, type RawWebSocket } from '../../support/raw-web-socket.ts';
import { LOCAL_QUERY, startServer } from '../../support/server.ts';
import { openBareSocket, type BareSocket } from '../../support/web-sockets.ts';

const KEY = { 'x-api-key': 'any-key' };
const TOKEN = { authorization: 'Bearer any-token' };
/** Asks each surface. */
const LIST =
  '{ current: accounts(surface: CURRENT) { totalCount } legacy: accounts(surface: LEGACY) { totalCount } }';

const openMany = (count: number, url: string, headers = {}): Promise<RawWebSocket[]> =>
  Promise.all(Array.from({ length: count }, () => openRawWebSocket(url, headers)));

async function init(url: string, payload: object = {}): Promise<BareSocket> {
  const socket = await openBareSocket(url);
  socket.send({ type: 'connection_init', payload });
  return socket;
}

const acknowledged = { type: 'connection_ack' };

test('the twenty-first socket of an address without an accepted credential gets 503, with the hint to wait', async () => {
  const { url, log } = await startServer();
  const [first] = await openMany(20, url);
  expect(await upgradeStatus(url)).toBe(503);
  await expect(openRawWebSocket(url)).rejects.toThrow(/503[^]*retry-after: \d/);
  expect(log.some((line) => line.includes('"status":503'))).toBe(true);
  expect(await upgradeStatus(url, KEY)).toBe(503);
  first?.connection.destroy();
  await expect.poll(() => upgradeStatus(url)).toBe(101);
});

test('a socket that presents an accepted credential in its init frees its seat of the address', async () => {
  const graph = await startGraph({ environment: { MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '1' } });
  const { url, caller } = graph;
  await graph.query(LIST, { headers: caller.both });
  for (const payload of [caller.key, caller.token, caller.both]) {
    const socket = await init(url, payload);
    expect(await socket.next()).toEqual(acknowledged);
  }
  const anonymous = await init(url, KEY);
  expect(await anonymous.next()).toEqual(acknowledged);
  expect(await upgradeStatus(url)).toBe(503);
});

test('the hundred-and-first socket with a credential gets 503 at the upgrade, 4403 at the init', async () => {
  const { url } = await startServer({ MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '200' });
  await openMany(99, url, KEY);
  const [last] = await openMany(1, url, KEY);
  expect(await upgradeStatus(url, KEY)).toBe(503);
  const refused = await init(url, KEY);
  expect(await refused.closed).toEqual({ code: 4403, reason: 'Forbidden' });
  const other = await init(url, { 'x-api-key': 'another-key' });
  expect(await other.next()).toEqual(acknowledged);
  last?.connection.destroy();
  await expect
    .poll(async () => {
      const again = await init(url, KEY);
      return await Promise.race([again.next(), again.closed]);
    })
    .toEqual(acknowledged);
});

test('each credential of a socket counts, wherever it came by', async () => {
  const { url } = await startServer({ MAX_SOCKETS_PER_CREDENTIAL: '1' });
  const both = await init(url, { ...KEY, ...TOKEN });
  expect(await both.next()).toEqual(acknowledged);
  expect(await upgradeStatus(url, KEY)).toBe(503);
  expect(await upgradeStatus(url, TOKEN)).toBe(503);
  expect(await upgradeStatus(url, { 'x-api-key': 'any-token' })).toBe(101);
});

function subscribe(headers: object, query = LOCAL_QUERY): object {
  return {
    id: '1',
    type: 'subscribe',
    payload: { query, extensions: { headers: { ...headers } } },
  };
}

test('the explorer’s socket, which presents its credentials with each operation, counts from the first accepted one on', async () => {
  const graph = await startGraph({
    environment: { MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '1', MAX_SOCKETS_PER_CREDENTIAL: '1' },
  });
  const first = await init(graph.url);
  expect(await first.next()).toEqual(acknowledged);
  expect(await upgradeStatus(graph.url)).toBe(503);
  first.send(subscribe({ 'x-api-key': 'made-up' }, LIST));
  expect(await first.next()).toMatchObject({
    type: 'next',
    payload: { errors: expect.any(Array) as object[] },
  });
  expect(await first.next()).toMatchObject({ type: 'complete' });
  expect(await upgradeStatus(graph.url)).toBe(503);
  first.send(subscribe(graph.caller.key, LIST));
  expect(await first.next()).toMatchObject({ type: 'next' });
  expect(await first.next()).toMatchObject({ type: 'complete' });

  const second = await init(graph.url);
  expect(await second.next()).toEqual(acknowledged);
  second.send(subscribe(graph.caller.key));
  expect(await second.next()).toMatchObject({
    type: 'error',
    payload: [{ extensions: { code: 'LIMIT_EXCEEDED' } }],
  });
  second.send(subscribe({}));
  expect(await second.next()).toMatchObject({ type: 'next' });
});

test('the process has so many sockets and no more, whoever asks', async () => {
  const { url } = await startServer({ MAX_SOCKETS: '3' });
  const [first] = await openMany(3, url, KEY);
  expect(await upgradeStatus(url)).toBe(503);
  expect(await upgradeStatus(url, TOKEN)).toBe(503);
  first?.connection.destroy();
  await expect.poll(() => upgradeStatus(url)).toBe(101);
});

test('an upgrade that fails for another reason keeps no seat', async () => {
  const { url } = await startServer({ MAX_SOCKETS: '1' });
  const broken = [
    { 'sec-websocket-key': 'short' },
    { 'sec-websocket-version': '7' },
    { 'sec-websocket-protocol': ',' },
  ];
  for (const headers of broken) {
    expect(await upgradeStatus(url, headers), JSON.stringify(headers)).toBe(400);
    await expect.poll(() => upgradeStatus(url, { 'sec-websocket-version': '7' })).toBe(400);
  }
  expect(await upgradeStatus(url, { origin: 'https://evil.example' })).toBe(403);
  expect(await upgradeStatus(url, { upgrade: 'h2c' })).toBe(405);
  await expect.poll(() => upgradeStatus(url)).toBe(101);
});

test('no credential is written anywhere', async () => {
  const { url, log } = await startServer({ MAX_SOCKETS_PER_CREDENTIAL: '1' });
  for (const _ of [1, 2]) await upgradeStatus(url, { ...KEY, ...TOKEN });
  await (
    await init(url, KEY)
  ).closed;
  expect(log.join('')).not.toMatch(/any-key|any-token/);
});
