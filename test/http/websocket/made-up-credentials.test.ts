import { expect, onTestFinished, test } from 'vitest';
import type { FaultKind } from '../../../packages/sandbox/src/faults/fault.ts';
import { startGraph, type RunningGraph } from '../../support/graph.ts';
import { upgradeStatus } from '../../support/raw-web-socket.ts';
import { connectSocket, openBareSocket } from '../../support/web-sockets.ts';

// Anybody can make up a credential. It gets its holder more seats once a call with it has succeeded.

const CURRENT = '{ accounts(surface: CURRENT) { totalCount } }';
const LEGACY = '{ accounts(surface: LEGACY) { totalCount } }';
const FOLLOW = 'subscription { aiGenerationFinished { id } }';

let made = 0;
const madeUp = (): { readonly 'x-api-key': string } => ({ 'x-api-key': `made-up-${(made += 1)}` });

/** Opens a socket that shows a key when it begins; gives whether it was let in. */
async function showsAtInit(url: string): Promise<boolean> {
  const socket = await openBareSocket(url).catch(() => null);
  if (socket === null) return false;
  socket.send({ type: 'connection_init', payload: madeUp() });
  const { type } = ((await socket.next()) ?? {}) as { readonly type?: string };
  return type === 'connection_ack';
}

/** A stream that nobody refers to would be cancelled. */
const streams = new Set<Response>();

/** Follows live results over server-sent events until the test ends; gives the status. */
async function follow({ url }: RunningGraph, headers: Readonly<Record<string, string>>): Promise<number> {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
    body: JSON.stringify({ query: FOLLOW }),
    signal: leaving.signal,
  });
  streams.add(answer);
  onTestFinished(() => void streams.delete(answer));
  return answer.status;
}

/** How many of many tries to take a seat succeed. */
async function succeeded(count: number, take: () => Promise<boolean>): Promise<number> {
  let taken = 0;
  for (let tries = 0; tries < count; tries += 1) if (await take()) taken += 1;
  return taken;
}

test.each<[string, (graph: RunningGraph) => Promise<boolean>]>([
  ['at the upgrade', async ({ url }) => (await upgradeStatus(url, madeUp())) === 101],
  ['at its init', ({ url }) => showsAtInit(url)],
  ['of a stream of events', async (graph) => (await follow(graph, madeUp())) === 200],
])('made-up keys %s get one address no more seats than it has', async (_, take) => {
  const graph = await startGraph({ environment: { MAX_SOCKETS: '60' } });
  expect(await succeeded(60, () => take(graph))).toBe(20);
  expect(await upgradeStatus(graph.url, madeUp(), '127.0.0.2')).toBe(101);

  // The control: where an address may have more, as many of them get in.
  const weak = await startGraph({
    environment: { MAX_SOCKETS: '60', MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '60' },
  });
  expect(await succeeded(60, () => take(weak))).toBe(45);
  expect(await upgradeStatus(weak.url, madeUp(), '127.0.0.2')).toBe(503);
});

test('of all seats, a quarter is kept for credentials that the service has accepted', async () => {
  const graph = await startGraph({
    environment: { MAX_SOCKETS: '20', MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '5' },
  });
  const { url, caller } = graph;
  for (const [address, left] of [
    ['127.0.0.2', 5],
    ['127.0.0.3', 5],
    ['127.0.0.4', 5],
    ['127.0.0.5', 0],
  ] as const)
    expect(await succeeded(6, async () => (await upgradeStatus(url, madeUp(), address)) === 101)).toBe(left);
  expect(await upgradeStatus(url, caller.key)).toBe(503);
  await graph.query(CURRENT, { headers: caller.key });
  for (let count = 0; count < 5; count += 1) expect(await upgradeStatus(url, caller.key)).toBe(101);
  expect(await upgradeStatus(url, caller.key)).toBe(503);
});

test('a socket whose credential is accepted makes room for another one of its address', async () => {
  const { url, caller } = await startGraph({ environment: { MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '1' } });
  const socket = connectSocket(url, { connectionParams: { ...caller.key } });
  expect(await socket.run({ query: '{ surfaces { surface } }' })).toMatchObject({ data: {} });
  expect(await upgradeStatus(url)).toBe(503);
  expect(await socket.run({ query: CURRENT })).toMatchObject({ data: { accounts: {} } });
  expect(await upgradeStatus(url)).toBe(101);
  expect(await upgradeStatus(url)).toBe(503);
});

const NO_SEATS = { environment: { MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '0' } };

test.each<[string, FaultKind | null]>([
  ['a refusal of the credential', null],
  ['a failure', { kind: 'status', status: 500 }],
  ['a pause that is asked for', { kind: 'status', status: 429 }],
  ['a refusal of the call', { kind: 'status', status: 400 }],
  ['something that is not documented', { kind: 'malformed-json' }],
])('%s accepts no credential', async (_, fault) => {
  const graph = await startGraph(NO_SEATS);
  const { url, sandbox, caller } = graph;
  const headers = fault === null ? madeUp() : caller.key;
  if (fault) sandbox.faults.add({ ...fault, endpoint: 'GET /accounts/list' });
  expect((await graph.query(CURRENT, { headers })).errors).toHaveLength(1);
  expect(await upgradeStatus(url, { ...headers })).toBe(503);
});

test.each(['current', 'legacy'] as const)('a success of the %s surface accepts its own', async (surface) => {
  const graph = await startGraph(NO_SEATS);
  const { url, caller } = graph;
  await graph.query(surface === 'current' ? CURRENT : LEGACY, { headers: caller.both });
  expect(await upgradeStatus(url, { ...caller.key })).toBe(surface === 'current' ? 101 : 503);
  expect(await upgradeStatus(url, { ...caller.token })).toBe(surface === 'current' ? 503 : 101);
});

test('a token that the legacy surface refuses in its own way is not accepted', async () => {
  const graph = await startGraph(NO_SEATS);
  const { url, sandbox, caller } = graph;
  const body = { error: 1, msg: 'The access token is not valid.' };
  for (const status of [200, 400, 401]) {
    sandbox.faults.add({ kind: 'status', status, body, endpoint: 'GET /oauth/accounts' });
    expect((await graph.query(LEGACY, { headers: caller.token })).errors).toHaveLength(1);
    expect(await upgradeStatus(url, { ...caller.token })).toBe(503);
  }
});

test('a credential that is refused later is bound by its address again', async () => {
  const graph = await startGraph(NO_SEATS);
  const { url, sandbox, caller } = graph;
  await graph.query(CURRENT, { headers: caller.key });
  expect(await upgradeStatus(url, { ...caller.key })).toBe(101);
  sandbox.faults.add({ kind: 'status', status: 401, endpoint: 'GET /accounts/list' });
  await graph.query(CURRENT, { headers: caller.key });
  expect(await upgradeStatus(url, { ...caller.key })).toBe(503);
});
