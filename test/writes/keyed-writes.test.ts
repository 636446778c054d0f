import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { FaultKind } from '../../src/sandbox/faults/fault.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { connectSocket } from '../support/web-sockets.ts';
import {
  account,
  documentOf,
  EXAMPLES,
  KEYED,
  KEYED_CALLS,
  legacyAccount,
  problemsOf,
  write,
  type Input,
  type KeyedName,
  type WritePayload,
} from '../support/writes.ts';

const keyed = (name: KeyedName, changes: Input = {}): Input => ({
  ...EXAMPLES[name],
  idempotencyKey: 'order-7',
  ...changes,
});
const verdictOf = (payload: WritePayload): string[] => [payload.outcome, ...problemsOf(payload)];
const sendsOf = ({ sandbox }: RunningGraph, name: KeyedName): number =>
  sandbox.requests.count(KEYED_CALLS[name]);

describe.each(KEYED)('%s with a key', (name) => {
  test('is done once, and its payload replayed', async () => {
    const graph = await startGraph();
    const first = await write(graph, name, keyed(name));
    expect(first).toMatchObject({ outcome: 'COMPLETED', replayed: false });
    graph.sandbox.requests.clear();
    const again = await write(graph, name, keyed(name));
    expect(again).toEqual({ ...first, replayed: true });
    expect(graph.sandbox.requests.count()).toBe(0);
  });

  test('is done once by 100 calls at the same time', { timeout: 30_000 }, async () => {
    const graph = await startGraph();
    graph.sandbox.faults.add({ kind: 'delay', ms: 60, endpoint: KEYED_CALLS[name] });
    const payloads = await Promise.all(Array.from({ length: 100 }, () => write(graph, name, keyed(name))));
    expect(sendsOf(graph, name)).toBe(1);
    const done = payloads.filter(({ outcome }) => outcome === 'COMPLETED');
    expect(done.filter(({ replayed }) => !replayed)).toHaveLength(1);
    const others = payloads.filter(({ outcome }) => outcome !== 'COMPLETED');
    for (const other of others) {
      expect(verdictOf(other)).toEqual(['REJECTED', 'IDEMPOTENCY_IN_PROGRESS']);
    }
    expect(await write(graph, name, keyed(name))).toMatchObject({ outcome: 'COMPLETED', replayed: true });
    expect(sendsOf(graph, name)).toBe(1);
  });

  test('is refused when the key was used for another input', async () => {
    const graph = await startGraph();
    await write(graph, name, keyed(name));
    graph.sandbox.requests.clear();
    const changed = { text: 'Other', tone: 'Other', title: 'Other', accountIds: accountsOf(name) };
    const given = Object.entries(changed).filter(([field]) => field in EXAMPLES[name]);
    const other = await write(graph, name, keyed(name, Object.fromEntries(given)));
    expect(verdictOf(other)).toEqual(['REJECTED', 'IDEMPOTENCY_KEY_REUSED input.idempotencyKey']);
    expect(graph.sandbox.requests.count()).toBe(0);
  });

  test('of which nobody knows the outcome is replayed as such, and never sent again', async () => {
    const graph = await startGraph();
    const fault = graph.sandbox.faults.add({ kind: 'reset-before-headers', endpoint: KEYED_CALLS[name] });
    const first = await write(graph, name, keyed(name));
    expect([...verdictOf(first), fault.hits]).toEqual(['UNKNOWN', 'OUTCOME_UNKNOWN', 1]);
    expect(await write(graph, name, keyed(name))).toEqual({ ...first, replayed: true });
    expect(sendsOf(graph, name)).toBe(1);
  });

  test.each<[string, FaultKind, string]>([
    ['the service asks for a pause', { kind: 'status', status: 429 }, 'RATE_LIMITED'],
    ['the credential is not accepted', { kind: 'status', status: 401 }, 'CREDENTIAL_REJECTED'],
  ])('is not remembered when %s', async (_, fault, code) => {
    const graph = await startGraph();
    graph.sandbox.faults.add({ ...fault, endpoint: KEYED_CALLS[name] });
    expect(verdictOf(await write(graph, name, keyed(name)))).toEqual(['REJECTED', code]);
    expect(await write(graph, name, keyed(name))).toMatchObject({ outcome: 'COMPLETED', replayed: false });
  });

  test('is remembered when the service refused it', async () => {
    const graph = await startGraph();
    graph.sandbox.faults.add({ kind: 'status', status: 400, endpoint: KEYED_CALLS[name] });
    const first = await write(graph, name, keyed(name));
    expect(verdictOf(first)).toEqual(['REJECTED', 'UPSTREAM_REJECTED']);
    expect(await write(graph, name, keyed(name))).toEqual({ ...first, replayed: true });
    expect(sendsOf(graph, name)).toBe(1);
  });

  test('is not remembered without a credential', async () => {
    const graph = await startGraph();
    const missing = await write(graph, name, keyed(name), { headers: {} });
    expect(verdictOf(missing)).toEqual(['REJECTED', 'CREDENTIAL_MISSING']);
    expect(await write(graph, name, keyed(name))).toMatchObject({ outcome: 'COMPLETED', replayed: false });
  });

  test('is another caller’s own matter', async () => {
    const graph = await startGraph();
    const [, { apiKey, accessToken }] = graph.sandbox.owners;
    const headers = { 'x-api-key': apiKey, authorization: `Bearer ${accessToken}` };
    await write(graph, name, keyed(name));
    const ids = { accountIds: [name === 'createStatusUpdate' ? legacyAccount(730_501) : account(730_501)] };
    const own = keyed(name, 'accountIds' in EXAMPLES[name] ? ids : {});
    expect(await write(graph, name, own, { headers })).toMatchObject({
      outcome: 'COMPLETED',
      replayed: false,
    });
    expect(await write(graph, name, own, { headers })).toMatchObject({ replayed: true });
    expect(sendsOf(graph, name)).toBe(2);
  });

  test('is done as often as it is sent without one', async () => {
    const graph = await startGraph();
    const twice = await Promise.all([write(graph, name, EXAMPLES[name]), write(graph, name, EXAMPLES[name])]);
    expect(twice.map(({ replayed }) => replayed)).toEqual([false, false]);
    expect(sendsOf(graph, name)).toBe(2);
  });
});

function accountsOf(name: KeyedName): readonly string[] {
  return [name === 'createStatusUpdate' ? legacyAccount(410_202) : account(410_202)];
}

test('a key that was used for another mutation is refused', async () => {
  const graph = await startGraph();
  await write(graph, 'createDraft', keyed('createDraft'));
  graph.sandbox.requests.clear();
  for (const name of ['createPost', 'createLibraryItem', 'generateAiText'] as const) {
    const payload = await write(graph, name, keyed(name));
    expect(verdictOf(payload)).toEqual(['REJECTED', 'IDEMPOTENCY_KEY_REUSED input.idempotencyKey']);
  }
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('a key holds for the credential of its own side, whatever comes with it and by whatever transport', async () => {
  const graph = await startGraph();
  const first = await write(graph, 'createDraft', keyed('createDraft'));
  const { key } = graph.caller;
  const alone = await write(graph, 'createDraft', keyed('createDraft'), { headers: key });
  expect(alone).toEqual({ ...first, replayed: true });
  const socket = connectSocket(graph.url, { connectionParams: key });
  const variables = { input: keyed('createDraft') };
  const { data } = await socket.run({ query: documentOf('createDraft'), variables });
  expect(data).toEqual({ createDraft: { ...first, replayed: true } });
  expect(sendsOf(graph, 'createDraft')).toBe(1);
});

test('a check that fails is not remembered', async () => {
  const graph = await startGraph();
  await write(graph, 'createPost', keyed('createPost', { variants: [] }));
  expect(await write(graph, 'createPost', keyed('createPost'))).toMatchObject({ replayed: false });
});

test('a post whose time has passed since is replayed all the same', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2031, 0, 1, 12) });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const graph = await startGraph({ environment: { SERVICE_TIME_ZONE: 'UTC' } });
  const post = keyed('createPost', { timing: { at: ['2031-01-01T12:05'] } });
  const update = keyed('createStatusUpdate', { timing: { at: '2031-01-01T12:05' } });
  expect(await write(graph, 'createPost', post)).toMatchObject({ outcome: 'COMPLETED' });
  expect(await write(graph, 'createStatusUpdate', update)).toMatchObject({ outcome: 'COMPLETED' });
  vi.setSystemTime(Date.UTC(2031, 0, 1, 12, 10));
  expect(await write(graph, 'createPost', post)).toMatchObject({ outcome: 'COMPLETED', replayed: true });
  expect(await write(graph, 'createStatusUpdate', update)).toMatchObject({
    outcome: 'COMPLETED',
    replayed: true,
  });
});
