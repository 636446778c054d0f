import { expect, onTestFinished, test, vi } from 'vitest';
import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import { cases } from '../support/depth.ts';
import { startGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';
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

// Every test sends all five mutations that take a key, each with a key of its own: one server remembers all of them.

const graph = shareGraph();
const CALLERS_AT_ONCE = cases(20, 100);
let keys = 0;

/** An input of each mutation with a key that no other test uses. */
function keyedInputs(): Readonly<Record<KeyedName, Input>> {
  keys += 1;
  // The tests share one plan, which must not be used up before the last of them.
  Object.assign(graph.sandbox.state.owner('harbour'), { creditsRemaining: 1_000, queueLimit: 1_000 });
  return each((name) => ({ ...EXAMPLES[name], idempotencyKey: `order-${keys}-${name}` }));
}

/** One value for each mutation, under its name: what a failing comparison shows. */
function each<T>(valueOf: (name: KeyedName) => T): Record<KeyedName, T> {
  return Object.fromEntries(KEYED.map((name) => [name, valueOf(name)])) as Record<KeyedName, T>;
}

type Payloads = Readonly<Record<KeyedName, WritePayload>>;

/** Sends each mutation once, all at the same time. */
async function writeEach(
  inputs: Readonly<Record<KeyedName, Input>>,
  headers?: Readonly<Record<string, string>>,
): Promise<Payloads> {
  const payloads = await Promise.all(
    KEYED.map((name) => write(graph, name, inputs[name], headers ? { headers } : {})),
  );
  return Object.fromEntries(KEYED.map((name, index) => [name, payloads[index]])) as unknown as Payloads;
}

const verdictOf = (payload: WritePayload): string[] => [payload.outcome, ...problemsOf(payload)];
const verdictsOf = (payloads: Payloads) => each((name) => verdictOf(payloads[name]));
const replayed = (payloads: Payloads) => each((name) => ({ ...payloads[name], replayed: true }));
const sends = () => each((name) => graph.sandbox.requests.count(KEYED_CALLS[name]));
const states = (payloads: Payloads) =>
  each((name) => [payloads[name].outcome, payloads[name].replayed ? 'replayed' : 'done']);

/** Lets one fault strike each mutation's call once. */
function strikeEach(fault: FaultKind): void {
  for (const name of KEYED) graph.sandbox.faults.add({ ...fault, endpoint: KEYED_CALLS[name] });
}

const DONE = each(() => ['COMPLETED', 'done']);
const REPLAYED = each(() => ['COMPLETED', 'replayed']);

test('a mutation with a key is done once, and its payload is replayed without asking the service', async () => {
  const inputs = keyedInputs();
  const first = await writeEach(inputs);
  expect(states(first)).toEqual(DONE);
  graph.sandbox.requests.clear();
  expect(await writeEach(inputs)).toEqual(replayed(first));
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('a mutation with a key is done once by many calls at the same time', async () => {
  const inputs = keyedInputs();
  strikeEach({ kind: 'delay', ms: 60 });
  const all = await Promise.all(Array.from({ length: CALLERS_AT_ONCE }, () => writeEach(inputs)));
  expect(sends()).toEqual(each(() => 1));
  for (const name of KEYED) {
    const payloads = all.map((one) => one[name]);
    const done = payloads.filter(({ outcome }) => outcome === 'COMPLETED');
    expect(
      done.filter((payload) => !payload.replayed),
      name,
    ).toHaveLength(1);
    const others = payloads.filter(({ outcome }) => outcome !== 'COMPLETED');
    for (const other of others)
      expect(verdictOf(other), name).toEqual(['UNKNOWN', 'IDEMPOTENCY_IN_PROGRESS']);
  }
  expect(states(await writeEach(inputs))).toEqual(REPLAYED);
  expect(sends()).toEqual(each(() => 1));
});

test('a mutation is refused when its key was used for another input', async () => {
  const inputs = keyedInputs();
  await writeEach(inputs);
  graph.sandbox.requests.clear();
  const changed = each((name) => {
    const others = { text: 'Other', tone: 'Other', title: 'Other', accountIds: idsFor(name, 410_202) };
    const given = Object.entries(others).filter(([field]) => field in EXAMPLES[name]);
    return { ...inputs[name], ...Object.fromEntries(given) };
  });
  expect(verdictsOf(await writeEach(changed))).toEqual(
    each(() => ['REJECTED', 'IDEMPOTENCY_KEY_REUSED input.idempotencyKey']),
  );
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('a mutation with an unknown outcome is replayed as such, and never sent again', async () => {
  const inputs = keyedInputs();
  strikeEach({ kind: 'reset-before-headers' });
  const first = await writeEach(inputs);
  expect(verdictsOf(first)).toEqual(each(() => ['UNKNOWN', 'OUTCOME_UNKNOWN']));
  expect(await writeEach(inputs)).toEqual(replayed(first));
  expect(sends()).toEqual(each(() => 1));
});

test.each<[string, FaultKind, string]>([
  ['asks for a pause', { kind: 'status', status: 429 }, 'RATE_LIMITED'],
  ['does not accept the credential', { kind: 'status', status: 401 }, 'CREDENTIAL_REJECTED'],
])('a mutation is not remembered when the service %s', async (_, fault, code) => {
  const inputs = keyedInputs();
  strikeEach(fault);
  expect(verdictsOf(await writeEach(inputs))).toEqual(each(() => ['REJECTED', code]));
  expect(states(await writeEach(inputs))).toEqual(DONE);
});

test('a mutation is remembered when the service refused it', async () => {
  const inputs = keyedInputs();
  strikeEach({ kind: 'status', status: 400 });
  const first = await writeEach(inputs);
  expect(verdictsOf(first)).toEqual(each(() => ['REJECTED', 'UPSTREAM_REJECTED']));
  expect(await writeEach(inputs)).toEqual(replayed(first));
  expect(sends()).toEqual(each(() => 1));
});

test('a mutation without a credential is not remembered', async () => {
  const inputs = keyedInputs();
  expect(verdictsOf(await writeEach(inputs, {}))).toEqual(each(() => ['REJECTED', 'CREDENTIAL_MISSING']));
  expect(states(await writeEach(inputs))).toEqual(DONE);
});

test('a key means something else for another caller', async () => {
  const [, { apiKey, accessToken }] = graph.sandbox.owners;
  const headers = { 'x-api-key': apiKey, authorization: `Bearer ${accessToken}` };
  const inputs = keyedInputs();
  await writeEach(inputs);
  const own = each((name) =>
    'accountIds' in EXAMPLES[name] ? { ...inputs[name], accountIds: idsFor(name, 730_501) } : inputs[name],
  );
  expect(states(await writeEach(own, headers))).toEqual(DONE);
  expect(states(await writeEach(own, headers))).toEqual(REPLAYED);
  expect(sends()).toEqual(each(() => 2));
});

test('a mutation without a key is done as often as it is sent', async () => {
  const examples = each((name) => EXAMPLES[name]);
  const [first, second] = await Promise.all([writeEach(examples), writeEach(examples)]);
  expect([states(first), states(second)]).toEqual([DONE, DONE]);
  expect(sends()).toEqual(each(() => 2));
});

function idsFor(name: KeyedName, loginId: number): readonly string[] {
  return [name === 'createStatusUpdate' ? legacyAccount(loginId) : account(loginId)];
}

test('a key that was used for another mutation is refused', async () => {
  const { createDraft } = keyedInputs();
  await write(graph, 'createDraft', createDraft);
  graph.sandbox.requests.clear();
  const { idempotencyKey } = createDraft;
  for (const name of ['createPost', 'createLibraryItem', 'generateAiText'] as const) {
    const payload = await write(graph, name, { ...EXAMPLES[name], idempotencyKey });
    expect(verdictOf(payload), name).toEqual(['REJECTED', 'IDEMPOTENCY_KEY_REUSED input.idempotencyKey']);
  }
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('a key belongs to the credential of its own surface, whatever comes with it and by whatever transport', async () => {
  const { createDraft } = keyedInputs();
  const first = await write(graph, 'createDraft', createDraft);
  const { key } = graph.caller;
  const alone = await write(graph, 'createDraft', createDraft, { headers: key });
  expect(alone).toEqual({ ...first, replayed: true });
  const socket = connectSocket(graph.url, { connectionParams: key });
  const { data } = await socket.run({
    query: documentOf('createDraft'),
    variables: { input: createDraft },
  });
  expect(data).toEqual({ createDraft: { ...first, replayed: true } });
  expect(sends().createDraft).toBe(1);
});

test('an input that is refused before anything is sent is not remembered', async () => {
  const { createPost } = keyedInputs();
  const refused = await write(graph, 'createPost', { ...createPost, variants: [] });
  expect(refused.outcome).toBe('REJECTED');
  expect(await write(graph, 'createPost', createPost)).toMatchObject({
    outcome: 'COMPLETED',
    replayed: false,
  });
});

test('a post whose time has passed since is replayed all the same', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2031, 0, 1, 12) });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const inUtc = await startGraph({ environment: { SERVICE_TIME_ZONE: 'UTC' } });
  const idempotencyKey = 'a-key';
  const post = { ...EXAMPLES.createPost, idempotencyKey, timing: { scheduledAtLocal: ['2031-01-01T12:05'] } };
  const update = {
    ...EXAMPLES.createStatusUpdate,
    idempotencyKey,
    timing: { scheduledAtLocal: '2031-01-01T12:05' },
  };
  expect(await write(inUtc, 'createPost', post)).toMatchObject({ outcome: 'COMPLETED' });
  expect(await write(inUtc, 'createStatusUpdate', update)).toMatchObject({ outcome: 'COMPLETED' });
  vi.setSystemTime(Date.UTC(2031, 0, 1, 12, 10));
  const replay = { outcome: 'COMPLETED', replayed: true };
  expect(await write(inUtc, 'createPost', post)).toMatchObject(replay);
  expect(await write(inUtc, 'createStatusUpdate', update)).toMatchObject(replay);
});
