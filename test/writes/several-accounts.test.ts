import { describe, expect, test } from 'vitest';
import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { changingPage, changingRecord, MISSING } from '../support/wire-changes.ts';
import {
  GROUP_ID,
  account,
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

// Pausing and resuming several accounts at once.

const { plainId, pausedId, bigNetworkId, namelessId, impostorId, legacyOnlyId, emptyGroupId } = landmarks;
const TOGGLE = 'GET /oauth/account/status/:id';
const harbour = ({ sandbox }: RunningGraph) => sandbox.state.owner('harbour');
const currentGroup = (groupId: number): string => idOf('AccountGroup', 'current', groupId);

const pausedIds = (graph: RunningGraph): number[] =>
  harbour(graph)
    .accounts.filter(({ paused, surfaces }) => paused && surfaces.legacy)
    .map(({ loginId }) => loginId);

interface Result {
  readonly accountId: string;
  readonly outcome: string;
  readonly userErrors: readonly WriteError[];
  readonly account: { readonly isPaused: boolean; readonly surface: string } | null;
}

const resultsOf = (payload: WritePayload): readonly Result[] => payload['results'] as readonly Result[];
/** Each account of a payload with its outcome and the codes of its problems. */
const verdictsOf = (payload: WritePayload): string[][] =>
  resultsOf(payload).map(({ accountId, outcome, userErrors }) => [
    accountId,
    outcome,
    ...problemsOf({ outcome, userErrors }),
  ]);

describe('several accounts', () => {
  test('are paused and resumed, each with its outcome, in the order of the input', async () => {
    const graph = await startGraph();
    const accountIds = [legacyAccount(namelessId), account(), legacyAccount(pausedId)];
    const paused = await write(graph, 'pauseAccounts', { accountIds });
    expect(paused).toMatchObject({ outcome: 'COMPLETED', userErrors: [] });
    expect(verdictsOf(paused)).toEqual(accountIds.map((id) => [id, 'COMPLETED']));
    expect(resultsOf(paused).map((one) => one.account)).toMatchObject([
      { isPaused: true, surface: 'LEGACY' },
      { isPaused: true, surface: 'CURRENT' },
      { isPaused: true, surface: 'LEGACY' },
    ]);
    expect(pausedIds(graph)).toEqual([plainId, namelessId, pausedId]);
    // The one that was paused before was not toggled, and neither is any for the same wish again.
    expect(graph.sandbox.requests.count(TOGGLE)).toBe(2);
    await write(graph, 'pauseAccounts', { accountIds });
    expect(graph.sandbox.requests.count(TOGGLE)).toBe(2);
    expect((await write(graph, 'resumeAccounts', { accountIds })).outcome).toBe('COMPLETED');
    expect(pausedIds(graph)).toEqual([]);
  });

  test('of groups are the members of both surfaces’ groups, each once, after those of ids', async () => {
    const graph = await startGraph();
    const payload = await write(graph, 'pauseAccounts', {
      accountIds: [legacyAccount(bigNetworkId)],
      accountGroupIds: [currentGroup(5_101), legacyGroup(GROUP_ID), currentGroup(emptyGroupId)],
    });
    expect(payload.outcome).toBe('COMPLETED');
    expect(verdictsOf(payload).map(([id]) => id)).toEqual([
      legacyAccount(bigNetworkId),
      ...[410_201, 410_203, 410_206].map((loginId) => account(loginId)),
      ...[410_207, 410_209].map((loginId) => legacyAccount(loginId)),
    ]);
    expect(pausedIds(graph)).toEqual([410_201, 410_202, 410_203, 410_204, 410_206, 410_207, 410_209]);
  });

  test('fail one by one: what was done is done, and each problem leads to what named its account', async () => {
    const graph = await startGraph();
    const payload = await write(graph, 'pauseAccounts', {
      accountIds: [legacyAccount(1), account(impostorId), legacyAccount()],
    });
    expect(payload.outcome).toBe('PARTIAL');
    expect(verdictsOf(payload)).toEqual([
      [legacyAccount(1), 'REJECTED', 'UNKNOWN_ACCOUNT input.accountIds.0'],
      [account(impostorId), 'REJECTED', 'ACCOUNT_NOT_LINKED input.accountIds.1'],
      [legacyAccount(), 'COMPLETED'],
    ]);
    expect(payload.userErrors).toEqual(resultsOf(payload).flatMap(({ userErrors }) => userErrors));
    expect(pausedIds(graph)).toEqual([plainId, pausedId]);
  });

  test('of which none was done are rejected, or unknown where that is not certain of all', async () => {
    const graph = await startGraph();
    const strangers = { accountIds: [legacyAccount(1), legacyAccount(2)] };
    expect((await write(graph, 'pauseAccounts', strangers)).outcome).toBe('REJECTED');
    // The one toggle is lost, and so is the look at what came of it.
    graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: TOGGLE });
    graph.sandbox.faults.add({
      kind: 'status',
      status: 500,
      endpoint: 'GET /oauth/accounts',
      skip: 2,
      times: 9,
    });
    const payload = await write(graph, 'pauseAccounts', { accountIds: [legacyAccount(1), legacyAccount()] });
    expect([payload.outcome, ...verdictsOf(payload).map(([, outcome]) => outcome)]).toEqual([
      'UNKNOWN',
      'REJECTED',
      'UNKNOWN',
    ]);
  });

  test('of one outcome have that outcome', async () => {
    const graph = await startGraph();
    graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: TOGGLE, times: 9 });
    const accountIds = [legacyAccount(), legacyAccount(bigNetworkId)];
    const payload = await write(graph, 'pauseAccounts', { accountIds });
    expect(payload.outcome).toBe('UNKNOWN');
    expect(payload.userErrors.map(({ code }) => code)).toEqual(['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN']);
  });

  test('need the token of the legacy surface, each', async () => {
    const graph = await startGraph();
    const input = { accountIds: [account(), account(bigNetworkId)] };
    const payload = await write(graph, 'pauseAccounts', input, { headers: graph.caller.key });
    expect(payload.outcome).toBe('REJECTED');
    expect(payload.userErrors.map(({ code }) => code)).toEqual(['CREDENTIAL_MISSING', 'CREDENTIAL_MISSING']);
    expect(graph.sandbox.requests.count()).toBe(0);
  });
});

test('two callers who pause and resume the same accounts at once leave each in one state, toggled in turn', async () => {
  const graph = await startGraph();
  const accountIds = [plainId, bigNetworkId, namelessId].map((loginId) => legacyAccount(loginId));
  const [one, other] = await Promise.all([
    write(graph, 'pauseAccounts', { accountIds }),
    write(graph, 'resumeAccounts', { accountIds: accountIds.toReversed() }),
  ]);
  expect([one.outcome, other.outcome]).toEqual(['COMPLETED', 'COMPLETED']);
  for (const loginId of [plainId, bigNetworkId, namelessId]) {
    const isPaused = pausedIds(graph).includes(loginId);
    expect(harbour(graph).toggles(loginId)).toBe(
      isPaused ? 1 : 2 * Math.floor(harbour(graph).toggles(loginId) / 2),
    );
  }
});

const MANY = Array.from({ length: 101 }, (_, index) => legacyAccount(index + 1));

describe('an input is refused as a whole, before anything is sent', () => {
  test.each<[Input, string[]]>([
    [{}, ['INVALID_INPUT input.accountIds']],
    [
      { accountIds: [], accountGroupIds: [] },
      ['INVALID_INPUT input.accountGroupIds', 'INVALID_INPUT input.accountIds'],
    ],
    [{ accountIds: [legacyAccount(), legacyAccount()] }, ['INVALID_INPUT input.accountIds.1']],
    [{ accountIds: [legacyAccount(), account()] }, ['INVALID_INPUT input.accountIds.1']],
    [
      { accountIds: ['garbage', legacyGroup(1)] },
      ['INVALID_INPUT input.accountIds.0', 'INVALID_INPUT input.accountIds.1'],
    ],
    [{ accountGroupIds: [legacyGroup(1), legacyGroup(1)] }, ['INVALID_INPUT input.accountGroupIds.1']],
    [{ accountGroupIds: [legacyAccount()] }, ['INVALID_INPUT input.accountGroupIds.0']],
    [{ accountIds: MANY }, ['INVALID_INPUT input.accountIds']],
  ])('%#', async (input, problems) => {
    const graph = await startGraph();
    const payload = await write(graph, 'pauseAccounts', input);
    expect([payload.outcome, problemsOf(payload), resultsOf(payload)]).toEqual(['REJECTED', problems, []]);
    expect(graph.sandbox.requests.count()).toBe(0);
  });

  test('where a group is not there, or can’t be looked up', async () => {
    const graph = await startGraph();
    const input = { accountIds: [legacyAccount()], accountGroupIds: [legacyGroup(1), currentGroup(2)] };
    expect(problemsOf(await write(graph, 'pauseAccounts', input))).toEqual([
      'UNKNOWN_ACCOUNT input.accountGroupIds.0',
      'UNKNOWN_ACCOUNT input.accountGroupIds.1',
    ]);
    const empty = { accountGroupIds: [currentGroup(emptyGroupId)] };
    expect(problemsOf(await write(graph, 'pauseAccounts', empty))).toEqual([
      'UNKNOWN_ACCOUNT input.accountGroupIds',
    ]);
    graph.sandbox.faults.add({ kind: 'status', status: 503, endpoint: 'GET /oauth/groups' });
    const payload = await write(graph, 'pauseAccounts', { accountGroupIds: [legacyGroup(GROUP_ID)] });
    expect(verdictOf(payload)).toEqual(['REJECTED', 'SURFACE_UNAVAILABLE']);
    expect(payload.userErrors[0]?.retryable).toBe(true);
    expect(graph.sandbox.requests.count(TOGGLE)).toBe(0);
  });

  test.each([
    ['the current surface', 'GET /group/list', 'accounts.0.loginId', currentGroup(5_101)],
    ['the legacy surface', 'GET /oauth/groups', 'accounts.0.id', legacyGroup(5_101)],
  ] as const)('where a member of a group of %s shows no id', async (_, endpoint, wire, group) => {
    const graph = await startGraph();
    for (const id of [MISSING, {}]) {
      graph.sandbox.faults.clear();
      graph.sandbox.faults.add(changingRecord(endpoint, wire, id));
      const payload = await write(graph, 'pauseAccounts', { accountGroupIds: [group] });
      expect(verdictOf(payload)).toEqual(['REJECTED', 'SURFACE_UNAVAILABLE']);
    }
    expect(pausedIds(graph)).toEqual([pausedId]);
  });

  test('where the list of groups claims more of them than it shows', async () => {
    const graph = await startGraph();
    graph.sandbox.faults.add(changingPage('GET /group/list', { totalRecords: 5 }));
    const payload = await write(graph, 'pauseAccounts', { accountGroupIds: [currentGroup(1)] });
    expect(verdictOf(payload)).toEqual(['REJECTED', 'SURFACE_UNAVAILABLE']);
    expect(graph.sandbox.requests.count(TOGGLE)).toBe(0);
  });

  test.each([
    ['GET /group/list', currentGroup(5_101)],
    ['GET /oauth/groups', legacyGroup(5_101)],
  ] as const)('where %s shows no members of a group', async (endpoint, group) => {
    const graph = await startGraph();
    graph.sandbox.faults.add(changingRecord(endpoint, 'accounts', MISSING));
    const payload = await write(graph, 'pauseAccounts', { accountGroupIds: [group] });
    expect(verdictOf(payload)).toEqual(['REJECTED', 'UNKNOWN_ACCOUNT input.accountGroupIds']);
    expect(graph.sandbox.requests.count(TOGGLE)).toBe(0);
  });

  test('where groups hold more than a hundred accounts', async () => {
    const graph = await startGraph({ sandbox: { data: 'large' } });
    const groups = harbour(graph).groups.map(({ groupId }) => legacyGroup(groupId));
    const payload = await write(graph, 'pauseAccounts', { accountGroupIds: groups });
    expect(verdictOf(payload)).toEqual(['REJECTED', 'INVALID_INPUT input.accountGroupIds']);
    expect(graph.sandbox.requests.count(TOGGLE)).toBe(0);
  });
});

test('a group’s member that only the legacy surface has is paused by a group of that surface', async () => {
  const graph = await startGraph();
  const payload = await write(graph, 'pauseAccounts', { accountGroupIds: [legacyGroup(5_102)] });
  expect(payload.outcome).toBe('COMPLETED');
  expect(pausedIds(graph)).toContain(legacyOnlyId);
});
