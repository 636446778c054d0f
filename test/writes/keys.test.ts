import type { Socket } from 'node:net';
import { getNamedType, isInputObjectType } from 'graphql';
import { describe, expect, test, vi } from 'vitest';
import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import { JournalFull, journalKeyOf, LEASE_MS } from '../../src/journal/journal.ts';
import { MemoryJournal } from '../../src/journal/memory.ts';
import { schema } from '../../src/schema/index.ts';
import { Upstream } from '../../src/sources/upstream/call.ts';
import { UNDOCUMENTED } from '../../src/writes/write.ts';
import { cases } from '../support/depth.ts';
import { startGraph, type CallerHeaders, shareGraph } from '../support/graph.ts';
import { holdAnswers, changingRecord } from '../support/sandbox.ts';
import { holdDeadlines } from '../support/clock.ts';
import { connectSocket } from '../support/web-sockets.ts';
import {
  account,
  documentOf,
  EXAMPLES,
  KEYED,
  KEYED_CALLS,
  legacyAccount,
  legacyGroup,
  verdictOf,
  write,
  type Input,
  type KeyedName,
  type WritePayload,
} from '../support/writes.ts';

// What an idempotency key promises. One server remembers all writes of this file, each test has keys of its own.

const graph = shareGraph();
const CREATE = 'POST /posts/create';
const UNKNOWN = ['UNKNOWN', 'OUTCOME_UNKNOWN'];
const IN_PROGRESS = ['UNKNOWN', 'IDEMPOTENCY_IN_PROGRESS'];
const ANEW = { outcome: 'COMPLETED', replayed: false };
const REUSED = ['REJECTED', 'IDEMPOTENCY_KEY_REUSED input.idempotencyKey'];
let keys = 0;

function newKey(): string {
  keys += 1;
  // The tests share one plan, which must not be used up before the last of them.
  Object.assign(graph.sandbox.state.owner('harbour'), { creditsRemaining: 1_000, queueLimit: 1_000 });
  return `order-${keys}`;
}

/** One value for each mutation, under its name: what a failing comparison shows. */
function each<T>(valueOf: (name: KeyedName) => T): Record<KeyedName, T> {
  return Object.fromEntries(KEYED.map((name) => [name, valueOf(name)])) as Record<KeyedName, T>;
}

type Payloads = Readonly<Record<KeyedName, WritePayload>>;
type Inputs = Readonly<Record<KeyedName, Input>>;

function keyedInputs(): Inputs {
  const key = newKey();
  return each((name) => ({ ...EXAMPLES[name], idempotencyKey: `${key}-${name}` }));
}

async function writeEach(inputs: Inputs, headers?: CallerHeaders): Promise<Payloads> {
  const send = (name: KeyedName) => write(graph, name, inputs[name], headers ? { headers } : {});
  const payloads = await Promise.all(KEYED.map(async (name) => [name, await send(name)] as const));
  return Object.fromEntries(payloads) as Record<KeyedName, WritePayload>;
}

const verdictsOf = (payloads: Payloads) => each((name) => verdictOf(payloads[name]));
const replayed = (payloads: Payloads) => each((name) => ({ ...payloads[name], replayed: true }));
const sends = () => each((name) => graph.sandbox.requests.count(KEYED_CALLS[name]));
const states = (payloads: Payloads) =>
  each((name) => [payloads[name].outcome, payloads[name].replayed ? 'replayed' : 'done']);

function strikeEach(fault: FaultKind): void {
  for (const name of KEYED) graph.sandbox.faults.add({ ...fault, endpoint: KEYED_CALLS[name] });
}

const DONE = each(() => ['COMPLETED', 'done']);
const REPLAYED = each(() => ['COMPLETED', 'replayed']);
const idsFor = (name: KeyedName, loginId: number): readonly string[] => [
  name === 'createStatusUpdate' ? legacyAccount(loginId) : account(loginId),
];

describe('each mutation with a key', () => {
  test('is done once by many calls at the same time', async () => {
    const inputs = keyedInputs();
    strikeEach({ kind: 'delay', ms: 60 });
    const all = await Promise.all(Array.from({ length: cases(8, 100) }, () => writeEach(inputs)));
    expect(sends()).toEqual(each(() => 1));
    for (const name of KEYED) {
      const payloads = all.map((one) => one[name]);
      const done = payloads.filter(({ outcome }) => outcome === 'COMPLETED');
      expect(done.filter((payload) => !payload.replayed).length, name).toBe(1);
      for (const other of payloads.filter((payload) => !done.includes(payload)))
        expect(verdictOf(other), name).toEqual(IN_PROGRESS);
    }
    expect(states(await writeEach(inputs))).toEqual(REPLAYED);
    expect(sends()).toEqual(each(() => 1));
  });

  test('is done once: its payload is replayed, and another input is refused, without asking the service', async () => {
    const inputs = keyedInputs();
    const first = await writeEach(inputs);
    expect(states(first)).toEqual(DONE);
    graph.sandbox.requests.clear();
    expect(await writeEach(inputs)).toEqual(replayed(first));
    const changed = each((name) => {
      const others = { text: 'Other', tone: 'Other', title: 'Other', accountIds: idsFor(name, 410_202) };
      const given = Object.entries(others).filter(([field]) => field in EXAMPLES[name]);
      return { ...inputs[name], ...Object.fromEntries(given) };
    });
    expect(verdictsOf(await writeEach(changed))).toEqual(each(() => REUSED));
    expect(graph.sandbox.requests.count()).toBe(0);
  });

  test('tells null from absence in each field of undocumented shape', () => {
    const inputs = Object.values(schema.getTypeMap()).filter(isInputObjectType);
    const fields = inputs.flatMap((input) => Object.values(input.getFields()));
    const undocumented = fields.filter(({ type }) => getNamedType(type).name === 'JSON');
    expect(new Set(undocumented.map(({ name }) => name))).toEqual(UNDOCUMENTED);
  });

  test.each<[what: string, fault: FaultKind, verdict: string[], isRemembered: boolean]>([
    ['is lost', { kind: 'reset-before-headers' }, UNKNOWN, true],
    ['refuses it', { kind: 'status', status: 400 }, ['REJECTED', 'UPSTREAM_REJECTED'], true],
    ['asks for a pause', { kind: 'status', status: 429 }, ['REJECTED', 'RATE_LIMITED'], false],
    ['rejects the credential', { kind: 'status', status: 401 }, ['REJECTED', 'CREDENTIAL_REJECTED'], false],
  ])('whose response %s is remembered if it was sent, and only then', async (...row) => {
    const [, fault, verdict, isRemembered] = row;
    const inputs = keyedInputs();
    strikeEach(fault);
    const first = await writeEach(inputs);
    expect(verdictsOf(first)).toEqual(each(() => verdict));
    const second = await writeEach(inputs);
    if (isRemembered) expect(second).toEqual(replayed(first));
    else expect(states(second)).toEqual(DONE);
    expect(sends()).toEqual(each(() => (isRemembered ? 1 : 2)));
  });

  test('is not remembered without a credential', async () => {
    const inputs = keyedInputs();
    expect(verdictsOf(await writeEach(inputs, {}))).toEqual(each(() => ['REJECTED', 'CREDENTIAL_MISSING']));
    expect(states(await writeEach(inputs))).toEqual(DONE);
  });
});

const reversed = (input: Input): Input => Object.fromEntries(Object.entries(input).toReversed());
const advert = (adDetails: object, more: Input = {}): Input => ({ variants: [{ adDetails, ...more }] });

describe('a key', () => {
  test('that was used for another mutation is refused', async () => {
    const { createDraft } = keyedInputs();
    await write(graph, 'createDraft', createDraft);
    graph.sandbox.requests.clear();
    const { idempotencyKey } = createDraft;
    for (const name of ['createPost', 'createLibraryItem', 'generateAiText'] as const)
      expect(verdictOf(await write(graph, name, { ...EXAMPLES[name], idempotencyKey })), name).toEqual(
        REUSED,
      );
    expect(graph.sandbox.requests.count()).toBe(0);
  });

  test('belongs to the credential of its own surface, whatever comes with it and by whatever transport', async () => {
    const { createDraft } = keyedInputs();
    const first = await write(graph, 'createDraft', createDraft);
    const { key } = graph.caller;
    const alone = await write(graph, 'createDraft', createDraft, { headers: key });
    expect(alone).toEqual({ ...first, replayed: true });
    const socket = connectSocket(graph.url, { connectionParams: key });
    const variables = { input: createDraft };
    const { data } = await socket.run({ query: documentOf('createDraft'), variables });
    expect(data).toEqual({ createDraft: { ...first, replayed: true } });
    expect(sends().createDraft).toBe(1);
  });

  test('is not spent by an input that is refused before anything is sent', async () => {
    const { createPost } = keyedInputs();
    const refused = await write(graph, 'createPost', { ...createPost, variants: [] });
    expect(refused.outcome).toBe('REJECTED');
    expect(await write(graph, 'createPost', createPost)).toMatchObject(ANEW);
  });

  test('has an id of its own for each caller, however caller and key join', () => {
    const pairs = [
      ['a', 'bc'],
      ['ab', 'c'],
      ['1:a', '2:b'],
      ['1:a2:b', ''],
    ] as const;
    expect(new Set(pairs.map(([scope, key]) => journalKeyOf(scope, key).id)).size).toBe(pairs.length);
  });

  const AUDIENCE = { facebookAudience: { limitAudience: { a: 1 } } };
  const VARIANT = { variant: 'ORIGINAL', text: 'Hi', place: null, facebookAction: null, ...AUDIENCE };
  const accountIds = [account(410_201), account(410_202)];
  const { place, facebookAction, ...bare } = VARIANT;
  const RETYPED = { facebookAudience: { limitAudience: { a: '1' } } };
  const INPUTS = {
    createPost: { ...EXAMPLES.createPost, accountIds, variants: [VARIANT] },
    createDraft: { ...EXAMPLES.createDraft, ...advert({ b: null, at: [{ place: 1 }] }) },
  };
  test.each<[name: keyof typeof INPUTS, what: string, changes: Input, isSame: boolean]>([
    ['createPost', 'in another order of names', reversed(INPUTS.createPost), true],
    ['createPost', 'with nulls', { utmSetId: null, variants: [{ ...VARIANT, title: null }] }, true],
    ['createPost', 'in another order of a list', { accountIds: accountIds.toReversed() }, false],
    ['createPost', 'with another type', { variants: [{ ...VARIANT, ...RETYPED }] }, false],
    // The service tells null from absence here.
    ['createPost', 'without null for a place', { variants: [{ ...bare, facebookAction }] }, false],
    ['createPost', 'without null for an action', { variants: [{ ...bare, place }] }, false],
    ['createDraft', 'with nulls', advert({ at: [{ place: 1 }], b: null }, { place: null }), true],
    ['createDraft', 'without null in JSON', advert({ at: [{ place: 1 }] }), false],
    ['createDraft', 'with null in JSON', advert({ b: null, at: [{ place: 1, name: null }] }), false],
  ])('of %s means the same input %s only where that says the same', async (name, _what, changes, isSame) => {
    const input = { ...INPUTS[name], idempotencyKey: newKey() };
    await write(graph, name, input);
    const payload = await write(graph, name, { ...input, ...changes });
    if (isSame) expect(payload).toMatchObject({ outcome: 'COMPLETED', replayed: true });
    else expect(verdictOf(payload)).toEqual(REUSED);
    expect(sends()[name]).toBe(1);
  });
});

test.each([
  ['PARTIAL', { postIds: ['1'] }],
  ['REJECTED', { postIds: [] }],
])('a post of the outcome %s is replayed', async (outcome, response) => {
  const accountIds = [account(), account(410_202)];
  const input = { ...EXAMPLES.createPost, accountIds, idempotencyKey: newKey() };
  const change = () => ({ message: 'Success', response });
  graph.sandbox.faults.add({ kind: 'rewrite', endpoint: CREATE, change });
  const first = await write(graph, 'createPost', input);
  expect(verdictOf(first)).toEqual([outcome, 'LIMIT_REACHED']);
  expect(await write(graph, 'createPost', input)).toEqual({ ...first, replayed: true });
  expect(graph.sandbox.requests.count(CREATE)).toBe(1);
});

/** Lets the time of day stand still until the test ends; all other clocks go on. */
function stopTime(now = Date.now()): (ms: number) => void {
  vi.useFakeTimers({ toFake: ['Date'], now });
  return (ms) => void vi.setSystemTime(now + ms);
}

test('what is scheduled and whose time has passed since is replayed all the same, and refused for other input', async () => {
  const setTime = stopTime(Date.UTC(2031, 0, 1, 12));
  const inUtc = await startGraph({ environment: { SERVICE_TIME_ZONE: 'UTC' } });
  const at = '2031-01-01T12:05';
  for (const name of ['createPost', 'createStatusUpdate'] as const) {
    const timing = { scheduledAtLocal: name === 'createPost' ? [at] : at };
    const input = { ...EXAMPLES[name], idempotencyKey: 'k', timing };
    const first = await write(inUtc, name, input);
    expect(first.outcome).toBe('COMPLETED');
    setTime(600_000);
    expect(await write(inUtc, name, input)).toEqual({ ...first, replayed: true });
    const other = { ...input, accountIds: idsFor(name, 410_202) };
    expect(verdictOf(await write(inUtc, name, other))).toEqual(REUSED);
    setTime(0);
  }
});

describe('while a write is under way', () => {
  test('the same one is told to ask again, and once it has taken too long, that nobody knows', async () => {
    stopTime();
    const input = { ...EXAMPLES.createPost, idempotencyKey: newKey() };
    const call = holdAnswers(graph.sandbox, { endpoint: CREATE, effect: 'done' });
    const first = write(graph, 'createPost', input);
    await call.arrived();
    // Waiting for the call may have moved the clock.
    const { data: begun } = await outcomeOf(input.idempotencyKey);
    const startedAt = Date.parse(begun.writeOutcome.startedAt);
    for (const ms of [0, 1, LEASE_MS, -LEASE_MS, LEASE_MS + 1, -LEASE_MS - 1]) {
      vi.setSystemTime(startedAt + ms);
      const isUnderWay = Math.abs(ms) <= LEASE_MS;
      const again = await write(graph, 'createPost', input);
      const { data } = await outcomeOf(input.idempotencyKey);
      expect(verdictOf(again), String(ms)).toEqual(isUnderWay ? IN_PROGRESS : UNKNOWN);
      expect(data.writeOutcome).toMatchObject({
        mutation: 'createPost',
        isUnderWay,
        payload: isUnderWay ? null : { outcome: 'UNKNOWN' },
      });
      if (isUnderWay) expect(again.userErrors[0]?.retryable).toBe(true);
      else expect(again.userErrors[0]?.message).toContain('Look for the post in the queue');
    }
    vi.setSystemTime(startedAt);
    call.release();
    expect((await first).outcome).toBe('COMPLETED');
    expect(await write(graph, 'createPost', input)).toEqual({ ...(await first), replayed: true });
    expect(graph.sandbox.requests.count(CREATE)).toBe(1);
  });

  test('what another call has found of it stays true, though it ends without knowing', async () => {
    const reading = await startGraph({ environment: { READ_BEFORE_WRITES: 'on' } });
    const { faults, requests } = reading.sandbox;
    const setTime = stopTime();
    // It waits in the queue, however far the time jumps.
    const timing = { scheduledAtLocal: ['2035-03-01T09:00'] };
    const input = { ...EXAMPLES.createPost, timing, idempotencyKey: 'k' };
    const sockets: Socket[] = [];
    const hold = (request: { readonly socket: Socket }): void => void sockets.push(request.socket);
    faults.add({ kind: 'raw', effect: 'done', endpoint: CREATE, write: hold });
    const slow = write(reading, 'createPost', input);
    await expect.poll(() => sockets.length).toBe(1);
    setTime(2 * LEASE_MS);
    const found = await write(reading, 'createPost', input);
    expect(found).toMatchObject({ outcome: 'COMPLETED', replayed: true });
    faults.add({ kind: 'status', status: 500, endpoint: 'GET /posts/queued', times: 9 });
    for (const socket of sockets) socket.destroy();
    expect(await slow).toEqual({ ...found, replayed: false });
    expect(await write(reading, 'createPost', input)).toEqual(found);
    expect(requests.count(CREATE)).toBe(1);
  });

  test('a mistake of this server leaves it as sent: it is not sent again', async () => {
    const setTime = stopTime();
    const input = { ...EXAMPLES.createDraft, idempotencyKey: newKey() };
    vi.spyOn(Upstream.prototype, 'send').mockRejectedValueOnce(new Error('a mistake'));
    const { errors } = await graph.query(documentOf('createDraft'), { variables: { input } });
    expect(errors).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }]);
    setTime(LEASE_MS + 1);
    expect(verdictOf(await write(graph, 'createDraft', input))).toEqual(UNKNOWN);
    expect(sends().createDraft).toBe(0);
  });
});

function failing(method: 'begin' | 'finish' | 'forget', error = new Error('no journal')): void {
  vi.spyOn(MemoryJournal.prototype, method).mockRejectedValue(error);
}

describe('a journal that fails', () => {
  const draft = (): Input => ({ ...EXAMPLES.createDraft, idempotencyKey: newKey() });

  test.each([
    ['is full', new JournalFull(), 'are remembered at the moment'],
    ['is away', new Error('no journal'), 'unavailable at the moment'],
  ])('because it %s lets nothing be sent, and says so', async (_what, error, words) => {
    failing('begin', error);
    const payload = await write(graph, 'createDraft', draft());
    expect(verdictOf(payload)).toEqual(['REJECTED', 'IDEMPOTENCY_UNAVAILABLE']);
    expect(payload.userErrors).toMatchObject([{ retryable: true, message: expect.stringContaining(words) }]);
    expect(sends().createDraft).toBe(0);
  });

  test('after the write does not keep its result from the caller', async () => {
    failing('finish');
    failing('forget');
    expect(await write(graph, 'createDraft', draft())).toMatchObject(ANEW);
    strikeEach({ kind: 'status', status: 429 });
    expect(verdictOf(await write(graph, 'createDraft', draft()))).toEqual(['REJECTED', 'RATE_LIMITED']);
  });
});

// A status update looks its accounts and groups up before it is sent. What fails there was not sent: that is certain, it
// is no unknown outcome, and it is not remembered.
describe('a look-up before a status update', () => {
  const SEND = 'POST /oauth/post/update';
  const LOOKUPS = ['GET /oauth/accounts', 'GET /oauth/groups'] as const;
  const update = (): Input => ({
    ...EXAMPLES.createStatusUpdate,
    accountGroupIds: [legacyGroup(5_101)],
    idempotencyKey: newKey(),
  });

  async function expectForgotten(input: Input): Promise<void> {
    expect(graph.sandbox.requests.count(SEND)).toBe(0);
    graph.sandbox.faults.clear();
    expect(await write(graph, 'createStatusUpdate', input)).toMatchObject(ANEW);
    expect(graph.sandbox.requests.count(SEND)).toBe(1);
  }

  test.each<[fault: FaultKind, code: string]>([
    [{ kind: 'status', status: 500 }, 'SURFACE_UNAVAILABLE'],
    [{ kind: 'status', status: 429 }, 'RATE_LIMITED'],
    [{ kind: 'status', status: 401 }, 'CREDENTIAL_REJECTED'],
    [{ kind: 'status', status: 200, body: { error: 1, msg: 'Later' } }, 'UPSTREAM_REJECTED'],
    [{ kind: 'never-answer' }, 'SURFACE_UNAVAILABLE'],
    [{ kind: 'malformed-json' }, 'SURFACE_UNAVAILABLE'],
  ])('that ends in %j sends nothing, and nothing is remembered', async (fault, code) => {
    const deadlines = fault.kind === 'never-answer' ? holdDeadlines(LOOKUPS) : null;
    for (const endpoint of LOOKUPS) {
      graph.sandbox.requests.clear();
      const input = update();
      graph.sandbox.faults.add({ ...fault, endpoint, times: Number.POSITIVE_INFINITY });
      const payload = write(graph, 'createStatusUpdate', input);
      await graph.sandbox.requests.waitFor(endpoint, 1);
      deadlines?.pass(endpoint);
      expect(verdictOf(await payload), endpoint).toEqual(['REJECTED', code]);
      await expectForgotten(input);
    }
  });

  test.each([
    ['GET /oauth/accounts', 'id', {}],
    ['GET /oauth/accounts', 'id', true],
    ['GET /oauth/groups', 'id', {}],
    ['GET /oauth/groups', 'accounts', 'none'],
  ] as const)('by %s with a damaged record (%s is %j) leaves no outcome unknown', async (...row) => {
    const [endpoint, wire, value] = row;
    const input = update();
    graph.sandbox.faults.add(changingRecord(endpoint, wire, value));
    const payload = await write(graph, 'createStatusUpdate', input);
    expect(payload.outcome).not.toBe('UNKNOWN');
    if (payload.outcome === 'REJECTED') await expectForgotten(input);
    else expect(graph.sandbox.requests.count(SEND)).toBe(1);
  });

  test('that finds no such account is not remembered: it may be there by the next call', async () => {
    const input = update();
    const owner = graph.sandbox.state.owner('harbour');
    owner.removeAccount(410_201);
    const first = await write(graph, 'createStatusUpdate', input);
    expect(verdictOf(first)).toEqual(['REJECTED', 'UNKNOWN_ACCOUNT input.accountIds.0']);
    owner.insertAccount(0, { id: 410_201 });
    expect(await write(graph, 'createStatusUpdate', input)).toMatchObject(ANEW);
  });

  test('that finds no account of a group sends nothing, which the service would tell as a success', async () => {
    const member = { id: 999_999, nickname: 'Gone' };
    graph.sandbox.faults.add(changingRecord('GET /oauth/groups', 'accounts', [member]));
    const input = { ...update(), accountIds: null };
    const first = await write(graph, 'createStatusUpdate', input);
    expect(verdictOf(first)).toEqual(['REJECTED', 'UNKNOWN_ACCOUNT input.accountGroupIds.0']);
    await expectForgotten(input);
  });
});

const OUTCOME = `query ($key: String!) { writeOutcome(idempotencyKey: $key) { mutation startedAt isUnderWay payload {
  __typename outcome userErrors { code message }
  ... on CreatePostPayload { postIds replayed }
  ... on CreateDraftPayload { draftId }
  ... on CreateLibraryItemPayload { libraryItem { title } }
  ... on CreateStatusUpdatePayload { postId }
  ... on GenerateAiTextPayload { aiGeneration { contentId } }
} } }`;

const outcomeOf = (key: string, headers = graph.caller.both) =>
  graph.query(OUTCOME, { variables: { key }, headers });

describe('the outcome of a write, looked up by its key,', () => {
  test('is the payload that each mutation had, and nothing is sent', async () => {
    const inputs = keyedInputs();
    const payloads = await writeEach(inputs);
    const before = sends();
    for (const name of KEYED) {
      const { data, errors } = await outcomeOf(String(inputs[name]['idempotencyKey']));
      expect(errors).toEqual([]);
      const typeName = `${name.charAt(0).toUpperCase()}${name.slice(1)}Payload`;
      const { outcome, postIds } = payloads[name];
      const post = name === 'createPost' ? { postIds, replayed: true } : {};
      const payload = { __typename: typeName, outcome, ...post };
      expect(data.writeOutcome).toMatchObject({ mutation: name, isUnderWay: false, payload });
    }
    expect(sends()).toEqual(before);
  });

  test('is null where the key was never sent, or was sent with another credential', async () => {
    const { createPost } = keyedInputs();
    await write(graph, 'createPost', createPost);
    const [, { apiKey }] = graph.sandbox.owners;
    const answers = [
      await outcomeOf('never'),
      await outcomeOf(String(createPost['idempotencyKey']), { 'x-api-key': apiKey }),
    ];
    expect(answers.map(({ data }) => data)).toEqual([{ writeOutcome: null }, { writeOutcome: null }]);
  });

  test('says how to find out where it is unknown', async () => {
    const { createPost } = keyedInputs();
    strikeEach({ kind: 'reset-before-headers' });
    await write(graph, 'createPost', createPost);
    const { data } = await outcomeOf(String(createPost['idempotencyKey']));
    const message: unknown = expect.stringContaining('same idempotency key');
    const userErrors = [{ code: 'OUTCOME_UNKNOWN', message }];
    expect(data.writeOutcome.payload).toMatchObject({ outcome: 'UNKNOWN', userErrors });
  });

  test.each([
    ['createDraft', 'createStatusUpdate'],
    ['createStatusUpdate', 'createDraft'],
  ] as const)('is that of %s no more once the key is used on the other surface by %s', async (...names) => {
    const setTime = stopTime();
    const idempotencyKey = newKey();
    for (const [index, name] of names.entries()) {
      setTime(index);
      await write(graph, name, { ...EXAMPLES[name], idempotencyKey });
      expect((await outcomeOf(idempotencyKey)).data.writeOutcome.mutation).toBe(name);
    }
  });

  test('can’t be read while what processes share is away, and that passes', async () => {
    const environment = { REDIS_URL: 'redis://127.0.0.1:9', REDIS_SECRET: 'x'.repeat(32) };
    const own = await startGraph({ environment });
    const { data, errors } = await own.query(OUTCOME, { variables: { key: 'any' } });
    expect(data).toEqual({ writeOutcome: null });
    const message = 'The stored writes cannot be read at the moment.';
    expect(errors).toMatchObject([{ message, extensions: { code: 'OVERLOADED', retryable: true } }]);
  });

  test.each(['', ' ', 'ä', 'x'.repeat(256)])('is not looked for by what can’t be a key (%j)', async (key) => {
    const { errors } = await outcomeOf(key);
    expect(errors).toMatchObject([
      { message: expect.stringMatching(/^idempotencyKey must be/), extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });
});

test('a replay of a generation is what it was when the history can’t be read', async () => {
  const prompt = 'Write this slowly, and never end';
  const input = { ...EXAMPLES.generateAiText, prompt, idempotencyKey: newKey() };
  const generate = () =>
    write(graph, 'generateAiText', input, { selection: 'replayed aiGeneration { contentId status }' });
  const first = await generate();
  const endpoint = 'GET /openai/historyList';
  graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint, times: Number.POSITIVE_INFINITY });
  expect(await generate()).toEqual({ ...first, replayed: true });
});
