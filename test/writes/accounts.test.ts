import { array, assert, asyncProperty, boolean, constantFrom, record } from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import type { Fault, FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import { SourceError } from '../../src/sources/errors.ts';
import { createLegacyClient, type LegacyClient } from '../../src/sources/legacy/client.ts';
import { listLegacyGroups } from '../../src/sources/legacy/groups.ts';
import { setAccountPaused } from '../../src/writes/account-actions.ts';
import type { ActionContext } from '../../src/writes/context.ts';
import { cases } from '../support/depth.ts';
import { startGraph, type RunningGraph, shareGraph } from '../support/graph.ts';
import { landmarks } from '../support/landmarks.ts';
import { holdAnswers, changingEach, changingPage, changingRecord, MISSING } from '../support/sandbox.ts';
import { WRITE_FAULTS } from '../support/faults.ts';
import { openAt } from '../support/upstream.ts';
import {
  account,
  GROUP_ID,
  idOf,
  legacyAccount,
  legacyGroup,
  problemsOf,
  verdictOf,
  write,
  type Input,
  type WriteError,
  type WritePayload,
} from '../support/writes.ts';

// Pausing, resuming and deleting. The service can only toggle an account, so each toggle must be the right one.

const { plainId, pausedId, bigNetworkId, namelessId, impostorId, legacyOnlyId, emptyGroupId } = landmarks;
const TOGGLE = 'GET /oauth/account/status/:id';
const LIST = 'GET /oauth/accounts';
const GROUPS = 'GET /group/list';
const LEGACY_GROUPS = 'GET /oauth/groups';
const DELETE = 'GET /oauth/account/delete/:id';
const DELETE_GROUP = 'GET /oauth/group/delete/:id';
const UNKNOWN = ['UNKNOWN', 'OUTCOME_UNKNOWN'];
const UNREADABLE = ['REJECTED', 'SURFACE_UNAVAILABLE'];

const graph = shareGraph();
const harbour = ({ sandbox }: RunningGraph = graph) => sandbox.state.owner('harbour');
const toggles = (): number => graph.sandbox.requests.count(TOGGLE);
const currentGroup = (groupId: number): string => idOf('AccountGroup', 'current', groupId);

function setPaused(loginId: number, isPaused: boolean): void {
  for (const one of harbour().accounts) if (one.loginId === loginId) one.paused = isPaused;
}

const pausedIds = (of: RunningGraph = graph): number[] =>
  harbour(of)
    .accounts.filter(({ paused, surfaces }) => paused && surfaces.legacy)
    .map(({ loginId }) => loginId);
const isPaused = (loginId: number = plainId): boolean => pausedIds().includes(loginId);

beforeEach(() => {
  for (const one of harbour().accounts) one.paused = one.loginId === pausedId;
});

describe('the state that is wanted', () => {
  test.each([
    ['pauseAccount', pausedId, true],
    ['resumeAccount', plainId, false],
  ] as const)('is not toggled by %s when the account is in it already', async (name, loginId, state) => {
    const payload = await write(graph, name, { accountId: legacyAccount(loginId) });
    expect(payload).toMatchObject({ outcome: 'COMPLETED', userErrors: [], account: { isPaused: state } });
    expect(graph.sandbox.requests.all.map(({ endpoint }) => endpoint)).toEqual([LIST]);
  });

  test.each([
    ['pauseAccount', false, 'running'],
    ['resumeAccount', true, 'paused'],
  ] as const)(
    'by %s that crossed another change is told as what came of both',
    async (name, paused, state) => {
      setPaused(plainId, paused);
      const call = holdAnswers(graph.sandbox, { endpoint: TOGGLE, effect: 'none' });
      const sent = write(graph, name, { accountId: legacyAccount() });
      await call.arrived();
      setPaused(plainId, !paused);
      call.release();
      const payload = await sent;
      expect(verdictOf(payload)).toEqual(['PARTIAL', 'CONFLICT']);
      const message: unknown = expect.stringContaining(`it is now ${state}`);
      const userErrors = [{ retryable: false, message }];
      expect(payload).toMatchObject({ userErrors, account: { isPaused: paused } });
      expect([toggles(), isPaused()]).toEqual([1, paused]);
    },
  );

  test('is not toggled to from an unreadable status', async () => {
    for (const status of [MISSING, '', null]) {
      graph.sandbox.faults.clear();
      graph.sandbox.faults.add(changingEach(LIST, () => ({ status })));
      for (const name of ['pauseAccount', 'resumeAccount'] as const) {
        const payload = await write(graph, name, { accountId: legacyAccount() });
        expect(verdictOf(payload)).toEqual(UNREADABLE);
        expect(payload.userErrors[0]?.message).toContain(
          'does not report whether Kelpgate Roasters is paused',
        );
      }
    }
    expect(toggles()).toBe(0);
  });
});

describe('many at the same time', () => {
  test('act on one account one after the other: every answer is true, and nothing is toggled in vain', async () => {
    const wishes = Array.from({ length: cases(20, 50) }, (_, index) => ({
      name: index % 3 === 0 ? ('resumeAccount' as const) : ('pauseAccount' as const),
      accountId: index % 2 === 0 ? account() : legacyAccount(),
    }));
    const payloads = await Promise.all(wishes.map(({ name, ...input }) => write(graph, name, input)));
    expect(payloads.map(({ outcome }) => outcome)).toEqual(payloads.map(() => 'COMPLETED'));
    // Of the legacy surface the account is in hand, as it was at the end of its own turn.
    const states = payloads.map(({ account: one }) => (one as { readonly isPaused: boolean }).isPaused);
    for (const [index, { name, accountId }] of wishes.entries()) {
      if (accountId === legacyAccount()) expect(states[index]).toBe(name === 'pauseAccount');
    }
    expect(isPaused()).toBe(toggles() % 2 === 1);
    // Each toggle lies between two different wishes.
    const resumptions = wishes.filter(({ name }) => name === 'resumeAccount').length;
    expect(toggles()).toBeGreaterThan(0);
    expect(toggles()).toBeLessThanOrEqual(2 * resumptions + 1);
  });

  test('on different accounts do not wait for each other', async () => {
    const toggle = holdAnswers(graph.sandbox, { endpoint: TOGGLE });
    const slow = write(graph, 'pauseAccount', { accountId: legacyAccount(410_202) });
    await toggle.arrived();
    const fast = await write(graph, 'pauseAccount', { accountId: legacyAccount(410_203) });
    expect(fast.outcome).toBe('COMPLETED');
    toggle.release();
    expect((await slow).outcome).toBe('COMPLETED');
  });
});

async function expectNothingSent(of: RunningGraph, accountId: string, verdict: string[]): Promise<void> {
  for (const name of ['pauseAccount', 'resumeAccount', 'deleteAccount'] as const)
    expect(verdictOf(await write(of, name, { accountId })), name).toEqual(verdict);
  const changing = of.sandbox.requests.all.filter(({ path }) => /status|delete/.test(path));
  expect(changing).toEqual([]);
}

describe('nothing is sent to pause, resume or delete', () => {
  const NOT_LINKED = ['REJECTED', 'ACCOUNT_NOT_LINKED input.accountId'];
  const NOT_FOUND = ['REJECTED', 'UNKNOWN_ACCOUNT input.accountId'];

  test.each([
    ['somebody else’s account of the same number', account(impostorId), NOT_LINKED],
    ['an id that the current surface no longer knows', account(legacyOnlyId), NOT_LINKED],
    ['an account that is not there', legacyAccount(999), NOT_FOUND],
  ])('%s', async (_, id, verdict) => {
    await expectNothingSent(graph, id, verdict);
  });

  test('an account that only the current surface has', async () => {
    const own = await startGraph();
    const made = harbour(own).insertAccount(0, { surfaces: { current: true, legacy: false } });
    await expectNothingSent(own, account(made.loginId), NOT_LINKED);
  });

  test('an account whose profile has another address by now', async () => {
    const own = await startGraph();
    const { data } = await own.query('query ($id: ID!) { account(id: $id) { counterpart { id } } }', {
      variables: { id: account() },
    });
    expect(data.account.counterpart).toEqual({ id: legacyAccount() });
    const owner = harbour(own);
    owner.removeAccount(plainId);
    for (const current of [true, false]) {
      const profile = current ? 'moved' : 'old';
      owner.insertAccount(0, { id: plainId, profile, surfaces: { current, legacy: !current } });
    }
    await expectNothingSent(own, account(), NOT_LINKED);
  });

  test('a group by its id of the current surface, or one that is not there', async () => {
    const remove = async (accountGroupId: string) =>
      verdictOf(await write(graph, 'deleteAccountGroup', { accountGroupId }));
    const told = [await remove(currentGroup(5_101)), await remove(legacyGroup(77))];
    const codes = ['ACCOUNT_NOT_LINKED', 'UNKNOWN_ACCOUNT'];
    expect(told).toEqual(codes.map((code) => ['REJECTED', `${code} input.accountGroupId`]));
    expect(harbour().groups).toHaveLength(4);
  });
});

const anyFault = record({
  endpoint: constantFrom<EndpointName[]>(TOGGLE, TOGGLE, LIST, 'GET /accounts/view/{loginId}'),
  kind: constantFrom<FaultKind[]>(
    ...Object.values(WRITE_FAULTS),
    { kind: 'status', status: 401 },
    { kind: 'status', status: 404 },
    { kind: 'status', status: 200, body: { error: 1, msg: 'Something went wrong. Please try again later.' } },
    { kind: 'malformed-json', text: '{"error":0,"data":{"new_status":"Asleep"}}' },
    { kind: 'redirect', location: '/' },
    { kind: 'delay', ms: 5 },
  ),
  effect: constantFrom<('done' | 'none')[]>('done', 'none'),
  skip: constantFrom(0, 0, 1, 2),
});
const someFaults = array(anyFault, { minLength: 1, maxLength: 4 });
const anyRun = record({ faults: someFaults, wants: boolean(), byCurrentId: boolean() });

/** Neither the answer of a toggle nor the look after it comes: nobody can tell, which is rare at random. */
const lostTwice = (wants: boolean) => ({
  faults: [
    { endpoint: TOGGLE, kind: { kind: 'reset-before-headers' }, effect: 'done', skip: 0 } as const,
    { endpoint: LIST, kind: { kind: 'status', status: 500 }, effect: 'none', skip: 1 } as const,
  ],
  wants,
  byCurrentId: false,
});

// A refusal is a claim too: nothing was done. The service may make it itself, after the fact.
const isClaim = ({ kind }: { readonly kind: FaultKind }): boolean =>
  kind.kind === 'status' && kind.status < 500;

test('whatever goes wrong, a reported state is the true one, and at most one toggle was sent', async () => {
  const { sandbox } = graph;
  const outcomes = new Set<string>();
  await assert(
    asyncProperty(anyRun, async ({ faults, wants, byCurrentId }) => {
      await expect.poll(() => sandbox.requests.open, { interval: 1 }).toBe(0);
      sandbox.faults.clear();
      sandbox.requests.clear();
      for (const { kind, ...target } of faults) sandbox.faults.add({ ...kind, ...target });
      const before = isPaused();
      const payload = await write(
        graph,
        wants ? 'pauseAccount' : 'resumeAccount',
        { accountId: byCurrentId ? account() : legacyAccount() },
        { selection: 'account { loginId }' },
      );
      outcomes.add(payload.outcome);
      expect(toggles()).toBeLessThanOrEqual(before === wants ? 0 : 1);
      if (payload.outcome === 'COMPLETED') expect(isPaused()).toBe(wants);
      else if (payload.outcome === 'REJECTED' && !faults.some(isClaim)) expect(isPaused()).toBe(before);
      else expect(['REJECTED', 'UNKNOWN']).toContain(payload.outcome);
    }),
    { numRuns: cases(30, 1_000), examples: [[lostTwice(true)], [lostTwice(false)]] },
  );
  // Had every run ended alike, the property would have said little.
  expect([...outcomes].toSorted()).toEqual(['COMPLETED', 'REJECTED', 'UNKNOWN']);
});

test.each([
  ['pauseAccount', { accountId: legacyAccount() }, TOGGLE, LIST],
  ['deleteAccount', { accountId: legacyAccount(410_208) }, DELETE, LIST],
  ['deleteAccountGroup', { accountGroupId: legacyGroup(5_102) }, DELETE_GROUP, LEGACY_GROUPS],
] as const)(
  'after a lost response, nobody knows what came of %s where the look after it fails, or shows a record that may be the one',
  async (...row) => {
    const [name, input, call, look] = row;
    const looks: readonly Fault[] = [
      { kind: 'status', status: 503, endpoint: look },
      ...[{}, null, '', MISSING].map((id) => changingEach(look, () => ({ id }))),
    ];
    for (const fault of looks) {
      graph.sandbox.faults.clear();
      graph.sandbox.requests.clear();
      graph.sandbox.faults.add({ kind: 'reset-before-headers', endpoint: call, effect: 'none' });
      graph.sandbox.faults.add({ ...fault, skip: 1 });
      const payload = await write(graph, name, input);
      expect(verdictOf(payload)).toEqual(UNKNOWN);
      if (name === 'pauseAccount') expect(payload['account']).toBeNull();
      expect([call, look].map((endpoint) => graph.sandbox.requests.count(endpoint))).toEqual([1, 2]);
    }
  },
);

test('another account’s damaged id keeps none from being paused', async () => {
  for (const id of [{}, true, null]) {
    graph.sandbox.faults.clear();
    graph.sandbox.faults.add(changingRecord(LIST, 'id', id, 0));
    const payload = await write(graph, 'pauseAccount', { accountId: legacyAccount(410_202) });
    expect(payload.outcome).toBe('COMPLETED');
    setPaused(410_202, false);
  }
});

test.each(['pauseAccount', 'deleteAccount'] as const)(
  'an account whose own id cannot be read is not called unknown by %s',
  async (name) => {
    graph.sandbox.faults.add(changingRecord(LIST, 'id', {}, 0));
    expect(verdictOf(await write(graph, name, { accountId: legacyAccount() }))).toEqual(UNREADABLE);
  },
);

/** What an action needs, with a lock that is held while the test says so. */
const contextWith = (client: LegacyClient, isHeld: () => boolean): ActionContext => ({
  writes: {
    mutex: { run: (_name, task) => task({ isHeld }) },
    track: (performed) => performed,
    sources: {
      legacy: () => client,
      current: () => expect.unreachable('the current surface cannot pause'),
      isConfigured: () => true,
      preferred: () => 'legacy',
    },
  },
});

test.each([
  ['that is lost before the toggle is sent', [false], 0, 'CONFLICT'],
  ['that is lost while no connection for it could be made', [true, false], 1, 'CONFLICT'],
  ['that is held while no connection could be made', [true, true], 2, 'SURFACE_UNAVAILABLE'],
])('a lock %s lets no more be sent', async (_when, looks, attempts, code) => {
  const toggle = vi.fn<LegacyClient['call']>(() =>
    Promise.reject(new SourceError('unreachable', 'legacy', 'no connection')),
  );
  const data = [{ id: 7, nickname: 'A', url: 'https://a.example', status: 'Running', account_type: 'tw' }];
  const origin = { surface: 'legacy', endpoint: LIST, onDrift: () => undefined } as const;
  const client: LegacyClient = { list: () => Promise.resolve({ data, origin }), call: toggle };
  const context = contextWith(client, () => looks.shift() ?? false);
  const result = await setAccountPaused(legacyAccount(7), true, context);
  expect(toggle).toHaveBeenCalledTimes(attempts);
  const userErrors = [{ code, retryable: true }];
  expect(result).toMatchObject({ outcome: 'REJECTED', isSent: false, userErrors });
});

test('a toggle that waits for its turn is not sent once its lock is lost', async () => {
  const { sandbox } = graph;
  const http = openAt(sandbox.url, { calls: 1, callsPerCaller: 1 });
  onTestFinished(() => http.close());
  const credential = sandbox.owners[0].accessToken;
  const client = createLegacyClient({
    http,
    caller: 'one',
    credential,
    credentials: [credential],
    tokenPlacement: 'header',
    onDrift: () => undefined,
    onServerError: () => undefined,
  });
  const lease = { held: true };
  const lists = holdAnswers(sandbox, { endpoint: LIST });
  const context = contextWith(client, () => lease.held);
  const pausing = setAccountPaused(legacyAccount(plainId), true, context);
  await lists.arrived();
  // The other call is next, and takes long.
  const groups = holdAnswers(sandbox, { endpoint: LEGACY_GROUPS });
  const other = listLegacyGroups(client);
  lists.release();
  await groups.arrived();
  lease.held = false;
  groups.release();
  await other;
  expect(await pausing).toMatchObject({ outcome: 'REJECTED', isSent: false });
  expect(toggles()).toBe(0);
});

interface Result {
  readonly accountId: string;
  readonly outcome: string;
  readonly userErrors: readonly WriteError[];
  readonly account: { readonly isPaused: boolean; readonly surface: string } | null;
}

const resultsOf = (payload: WritePayload): readonly Result[] => payload['results'] as readonly Result[];
const verdictsOf = (payload: WritePayload): string[][] =>
  resultsOf(payload).map(({ accountId, outcome, userErrors }) => [
    accountId,
    outcome,
    ...problemsOf({ outcome, userErrors }),
  ]);
const pause = (input: Input, of: RunningGraph = graph) => write(of, 'pauseAccounts', input);

describe('several accounts', () => {
  test('are paused and resumed, each with its outcome, in the order of the input', async () => {
    const accountIds = [legacyAccount(namelessId), account(), legacyAccount(pausedId)];
    const paused = await pause({ accountIds });
    expect(paused).toMatchObject({ outcome: 'COMPLETED', userErrors: [] });
    expect(verdictsOf(paused)).toEqual(accountIds.map((id) => [id, 'COMPLETED']));
    expect(resultsOf(paused).map((one) => one.account)).toMatchObject([
      { isPaused: true, surface: 'LEGACY' },
      { isPaused: true, surface: 'CURRENT' },
      { isPaused: true, surface: 'LEGACY' },
    ]);
    expect(pausedIds()).toEqual([plainId, namelessId, pausedId]);
    // The one that was paused before was not toggled, and neither is any for the same wish again.
    expect(toggles()).toBe(2);
    await pause({ accountIds });
    expect(toggles()).toBe(2);
    expect((await write(graph, 'resumeAccounts', { accountIds })).outcome).toBe('COMPLETED');
    expect(pausedIds()).toEqual([]);
  });

  test('of groups are the members of both surfaces’ groups, each once, after those of ids', async () => {
    const payload = await pause({
      accountIds: [legacyAccount(bigNetworkId)],
      accountGroupIds: [currentGroup(5_101), legacyGroup(GROUP_ID), currentGroup(emptyGroupId)],
    });
    expect(payload.outcome).toBe('COMPLETED');
    expect(verdictsOf(payload).map(([id]) => id)).toEqual([
      legacyAccount(bigNetworkId),
      ...[410_201, 410_203, 410_206].map((loginId) => account(loginId)),
      ...[410_207, 410_209].map((loginId) => legacyAccount(loginId)),
    ]);
    expect(pausedIds()).toEqual([410_201, 410_202, 410_203, 410_204, 410_206, 410_207, 410_209]);
    // A group of the legacy surface has members that the current surface does not know.
    expect((await pause({ accountGroupIds: [legacyGroup(5_102)] })).outcome).toBe('COMPLETED');
    expect(pausedIds()).toContain(legacyOnlyId);
  });

  test('fail one by one: what was done is done, and each problem leads to what named its account', async () => {
    const payload = await pause({ accountIds: [legacyAccount(1), account(impostorId), legacyAccount()] });
    expect(payload.outcome).toBe('PARTIAL');
    expect(verdictsOf(payload)).toEqual([
      [legacyAccount(1), 'REJECTED', 'UNKNOWN_ACCOUNT input.accountIds.0'],
      [account(impostorId), 'REJECTED', 'ACCOUNT_NOT_LINKED input.accountIds.1'],
      [legacyAccount(), 'COMPLETED'],
    ]);
    expect(payload.userErrors).toEqual(resultsOf(payload).flatMap(({ userErrors }) => userErrors));
    expect(pausedIds()).toEqual([plainId, pausedId]);
  });

  test('of which none was done are rejected, or unknown where that is not certain of all', async () => {
    const outcomesOf = async (...ids: readonly number[]) => {
      const payload = await pause({ accountIds: ids.map((id) => legacyAccount(id)) });
      return [payload.outcome, ...verdictsOf(payload).map(([, outcome]) => outcome)];
    };
    expect(await outcomesOf(1, 2)).toEqual(['REJECTED', 'REJECTED', 'REJECTED']);
    // The one toggle is lost, and so is the look at what came of it.
    const { faults } = graph.sandbox;
    faults.add({ kind: 'status', status: 500, endpoint: TOGGLE, times: 9 });
    faults.add({ kind: 'status', status: 500, endpoint: LIST, skip: 2, times: 9 });
    expect(await outcomesOf(1, plainId)).toEqual(['UNKNOWN', 'REJECTED', 'UNKNOWN']);
  });
});

type RefusedInput = [input: Input, verdict: readonly string[], fault?: Fault];

const MANY = Array.from({ length: 101 }, (_, index) => legacyAccount(index + 1));
const group = { accountGroupIds: [currentGroup(5_101)] };
const ofLegacy = { accountGroupIds: [legacyGroup(5_101)] };
const inFirst = (wire: string, value: unknown): RefusedInput[] => [
  [group, UNREADABLE, changingRecord(GROUPS, wire.replace('.id', '.loginId'), value)],
  [ofLegacy, UNREADABLE, changingRecord(LEGACY_GROUPS, wire, value)],
];
const NO_ACCOUNTS = ['REJECTED', 'UNKNOWN_ACCOUNT input.accountGroupIds'];
const NO_GROUPS = [0, 1].map((at) => `UNKNOWN_ACCOUNT input.accountGroupIds.${at}`);
const strangers = { accountIds: [legacyAccount()], accountGroupIds: [legacyGroup(1), currentGroup(2)] };
const invalid = (input: Input, paths: string): RefusedInput => [
  input,
  ['REJECTED', ...paths.split(' ').map((path) => `INVALID_INPUT input.${path}`)],
];

test.each<RefusedInput>([
  invalid({}, 'accountIds'),
  invalid({ accountIds: [], accountGroupIds: [] }, 'accountGroupIds accountIds'),
  invalid({ accountIds: [legacyAccount(), legacyAccount()] }, 'accountIds.1'),
  invalid({ accountIds: [legacyAccount(), account()] }, 'accountIds.1'),
  invalid({ accountIds: ['garbage', legacyGroup(1)] }, 'accountIds.0 accountIds.1'),
  invalid({ accountGroupIds: [legacyGroup(1), legacyGroup(1)] }, 'accountGroupIds.1'),
  invalid({ accountGroupIds: [legacyAccount()] }, 'accountGroupIds.0'),
  invalid({ accountIds: MANY }, 'accountIds'),
  [strangers, ['REJECTED', ...NO_GROUPS]],
  [{ accountGroupIds: [currentGroup(emptyGroupId)] }, NO_ACCOUNTS],
  [ofLegacy, UNREADABLE, { kind: 'status', status: 503, endpoint: LEGACY_GROUPS }],
  ...inFirst('accounts.0.id', MISSING),
  ...inFirst('accounts.0.id', {}),
  [ofLegacy, UNREADABLE, changingRecord(LEGACY_GROUPS, 'id', {})],
  [group, NO_ACCOUNTS, changingRecord(GROUPS, 'accounts', MISSING)],
  [ofLegacy, NO_ACCOUNTS, changingRecord(LEGACY_GROUPS, 'accounts', MISSING)],
  // It claims more groups than it shows.
  [{ accountGroupIds: [currentGroup(1)] }, UNREADABLE, changingPage(GROUPS, { totalRecords: 5 })],
])('an input for several accounts is refused as a whole: %# as %j', async (input, verdict, fault) => {
  if (fault) graph.sandbox.faults.add(fault);
  const payload = await pause(input);
  expect([verdictOf(payload), resultsOf(payload)]).toEqual([verdict, []]);
  expect(payload.userErrors.map(({ retryable }) => retryable)).not.toContain(verdict !== UNREADABLE);
  expect(toggles()).toBe(0);
  if (verdict.join().includes('INVALID')) expect(graph.sandbox.requests.count()).toBe(0);
});

test('groups of more than a hundred accounts are refused as a whole', async () => {
  const large = await startGraph({ sandbox: { data: 'large' } });
  const accountGroupIds = harbour(large).groups.map(({ groupId }) => legacyGroup(groupId));
  const verdict = ['REJECTED', 'INVALID_INPUT input.accountGroupIds'];
  expect(verdictOf(await pause({ accountGroupIds }, large))).toEqual(verdict);
  expect(large.sandbox.requests.count(TOGGLE)).toBe(0);
});
