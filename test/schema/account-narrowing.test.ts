import { describe, expect, test } from 'vitest';
import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import type { Account } from '../../packages/sandbox/src/data/model.ts';
import { currentAccounts, healthStateOf, legacyAccounts, networkOf } from '../support/account-records.ts';
import { errorsOf, onlyError } from '../support/answers.ts';
import { callsOf } from '../support/calls.ts';
import { eachCase } from '../support/each-case.ts';
import { startGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changing, changingEach, changingRecord, MISSING } from '../support/wire-changes.ts';

// What the service can't narrow its accounts by, and the graph does.

const graph = shareGraph();
const LIST = `query ($filter: AccountFilter, $surface: Surface, $orderBy: [AccountOrder!]) {
  accounts(first: 100, filter: $filter, surface: $surface, orderBy: $orderBy) { totalCount nodes { loginId } } }`;

type Filter = Readonly<Record<string, unknown>>;

async function idsWith(filter: Filter, surface = 'CURRENT', running = graph): Promise<string[]> {
  const { data, errors } = await running.query(LIST, { variables: { filter, surface } });
  expect(errors).toEqual([]);
  const nodes = data.accounts.nodes as { loginId: string }[];
  expect(data.accounts.totalCount).toBe(nodes.length);
  return nodes.map(({ loginId }) => loginId);
}

/** The ids of those accounts that are as told: some, and not all. */
function idsOf(accounts: readonly Account[], isWanted: (one: Account) => boolean): string[] {
  const ids = accounts.filter(isWanted).map(({ loginId }) => String(loginId));
  expect(ids.length).toBeGreaterThan(0);
  expect(ids.length).toBeLessThan(accounts.length);
  return ids;
}

const isIn =
  (...states: string[]) =>
  (one: Account): boolean =>
    states.includes(healthStateOf(one));

test('each part of a filter lists the accounts that it applies to, and no others', async () => {
  const all = currentAccounts(graph);
  const of = (isWanted: (one: Account) => boolean) => idsOf(all, isWanted);
  await eachCase<readonly [Filter, string[]]>(
    [
      [{ networks: ['FACEBOOK', 'X'] }, of((one) => ['FACEBOOK', 'X'].includes(networkOf(one)))],
      [{ networks: ['UNKNOWN'] }, of((one) => networkOf(one) === 'UNKNOWN')],
      [{ isPaused: true }, of(({ paused }) => paused)],
      [{ isPaused: false }, of(({ paused }) => !paused)],
      [{ healthStates: ['BLOCKED'] }, of(isIn('BLOCKED'))],
      [{ healthStates: ['LOCKED', 'PAUSED'] }, of(isIn('LOCKED', 'PAUSED'))],
      [{ healthStates: ['NEEDS_RECONNECT'] }, of(isIn('NEEDS_RECONNECT'))],
      [{ healthStates: ['HEALTHY'] }, of(isIn('HEALTHY'))],
      [{ healthStates: ['HEALTHY'], networks: ['X'] }, of((one) => networkOf(one) === 'X')],
      [{ displayName: 'kelpgate', networks: ['LINKEDIN'] }, of(({ paused }) => paused)],
    ],
    async ([filter, ids]) => {
      expect(await idsWith(filter)).toEqual(ids);
    },
  );
  expect(await idsWith({ isPaused: true, healthStates: ['HEALTHY', 'DELETED', 'UNKNOWN'] })).toEqual([]);
});

test('what the service can narrow and order is sent to it, and the rest applied to its answer', async () => {
  const filter = { displayName: 'kelp', isPaused: false };
  const { data } = await graph.query(LIST, {
    variables: { filter, orderBy: [{ field: 'LOGIN_ID', direction: 'DESC' }] },
  });
  const [request] = graph.sandbox.requests.all;
  expect(Object.fromEntries(request?.query ?? [])).toMatchObject({ q: 'kelp', sortBy: 'loginId,DESC' });
  const ids = (data.accounts.nodes as { loginId: string }[]).map(({ loginId }) => loginId);
  expect(ids).toEqual(ids.toSorted().toReversed());
  expect(ids).not.toContain(String(landmarks.pausedId));
});

test('the legacy surface is narrowed by network, pause and the state that it knows', async () => {
  const all = legacyAccounts(graph);
  expect(await idsWith({ isPaused: true }, 'LEGACY')).toEqual(idsOf(all, ({ paused }) => paused));
  expect(await idsWith({ networks: ['X'] }, 'LEGACY')).toEqual(idsOf(all, (one) => networkOf(one) === 'X'));
  expect(await idsWith({ healthStates: ['PAUSED'] }, 'LEGACY')).toEqual(idsOf(all, ({ paused }) => paused));
  expect(await idsWith({ healthStates: ['HEALTHY'] }, 'LEGACY')).toEqual([]);
  expect(await idsWith({ healthStates: ['UNKNOWN'] }, 'LEGACY')).toEqual(idsOf(all, ({ paused }) => !paused));
  expect(callsOf(graph)).toEqual({ 'GET /oauth/accounts': 5 });
});

test('an order without a direction is ascending, on either surface and by either field', async () => {
  for (const surface of ['CURRENT', 'LEGACY'])
    for (const field of ['LOGIN_ID', 'DISPLAY_NAME']) {
      const ordered = async (order: object) => {
        const { data, errors } = await graph.query(LIST, { variables: { surface, orderBy: [order] } });
        expect(errors).toEqual([]);
        return (data.accounts.nodes as { loginId: string }[]).map(({ loginId }) => loginId);
      };
      const ascending = await ordered({ field, direction: 'ASC' });
      expect(await ordered({ field, direction: null })).toEqual(ascending);
      expect(await ordered({ field, direction: 'DESC' })).not.toEqual(ascending);
    }
});

test.each<[filter: Filter, argument: string]>([
  [{ networks: [] }, 'filter.networks'],
  [{ healthStates: [] }, 'filter.healthStates'],
])('the filter %j is refused by the name of %s, and nothing is sent', async (filter, argument) => {
  for (const surface of ['CURRENT', 'LEGACY']) {
    const answer = await graph.query(LIST, { variables: { filter, surface } });
    expect(errorsOf(answer)).toEqual(['accounts BAD_USER_INPUT']);
    expect(onlyError(answer).message).toContain(argument);
  }
  expect(graph.sandbox.requests.count()).toBe(0);
});

describe('health', () => {
  const detailsFor = async (healthStates: string[], filter: Filter = {}): Promise<number> => {
    graph.sandbox.requests.clear();
    await idsWith({ ...filter, healthStates });
    return callsOf(graph)['GET /accounts/view/{loginId}'] ?? 0;
  };

  test('that the list tells costs no detail, and the rest one for each account that may be meant', async () => {
    expect(await detailsFor(['BLOCKED', 'LOCKED'])).toBe(0);
    expect(await detailsFor(['PAUSED'])).toBe(1);
    expect(await detailsFor(['NEEDS_RECONNECT'])).toBe(10);
    expect(await detailsFor(['NEEDS_RECONNECT'], { networks: ['YOUTUBE'] })).toBe(1);
    const all = ['DELETED', 'BLOCKED', 'LOCKED', 'NEEDS_RECONNECT', 'PAUSED', 'HEALTHY', 'UNKNOWN'];
    expect(await detailsFor(all)).toBe(0);
  });

  test('of an account whose detail can’t be read fails the list, unless UNKNOWN is wanted as well', async () => {
    const refuse = (): void => {
      graph.sandbox.faults.clear();
      graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: 'GET /accounts/view/{loginId}' });
    };
    refuse();
    const answer = await graph.query(LIST, { variables: { filter: { healthStates: ['HEALTHY'] } } });
    expect(errorsOf(answer)).toEqual(['accounts SURFACE_UNAVAILABLE']);
    refuse();
    const wanted = idsOf(currentAccounts(graph), isIn('HEALTHY'));
    expect(await idsWith({ healthStates: ['HEALTHY', 'UNKNOWN'] })).toEqual(wanted);
  });

  test('that the list does not tell of an account is asked of its detail', async () => {
    for (const [flag, told] of Object.entries({
      isBlocked: 'BLOCKED',
      isLocked: 'LOCKED',
      isPaused: 'PAUSED',
    })) {
      graph.sandbox.faults.clear();
      graph.sandbox.faults.add(changingEach('GET /accounts/list', () => ({ [flag]: MISSING })));
      for (const state of [told, 'HEALTHY'])
        expect(await idsWith({ healthStates: [state] }), `${flag} ${state}`).toEqual(
          idsOf(currentAccounts(graph), isIn(state)),
        );
    }
  });

  test('that neither its list nor its detail tells is UNKNOWN, and no error', async () => {
    graph.sandbox.faults.add(changing('GET /accounts/view/{loginId}', 'response.isReconnect', MISSING));
    expect(await idsWith({ healthStates: ['HEALTHY'] })).toEqual([]);
    expect(await idsWith({ healthStates: ['UNKNOWN'] })).not.toEqual([]);
  });

  test('of an account whose detail is damaged fails the list', async () => {
    graph.sandbox.faults.add(changing('GET /accounts/view/{loginId}', 'response.isReconnect', 'perhaps'));
    const answer = await graph.query(LIST, { variables: { filter: { healthStates: ['HEALTHY'] } } });
    expect(errorsOf(answer)).toEqual(['accounts UPSTREAM_MALFORMED']);
  });
});

test('an account of which what decides can’t be read fails the list, and is not left out', async () => {
  const filters: readonly (readonly [wire: string, filter: Filter])[] = [
    ['isPaused', { isPaused: true }],
    ['accountType', { networks: ['X'] }],
    ['isBlocked', { healthStates: ['HEALTHY'] }],
  ];
  for (const [wire, filter] of filters) {
    graph.sandbox.faults.clear();
    graph.sandbox.faults.add(changingRecord('GET /accounts/list', wire, { odd: true }, 3));
    const answer = await graph.query(LIST, { variables: { filter } });
    expect(errorsOf(answer), wire).toEqual(['accounts UPSTREAM_MALFORMED']);
  }
  // What does not decide, fails nothing.
  expect(await idsWith({ networks: ['X'] })).toEqual([String(landmarks.namelessId)]);
});

test('more accounts than may be asked for their health are SCAN_LIMIT_REACHED, before any is asked', async () => {
  const large = await startGraph({ sandbox: { data: 'large' } });
  const answer = await large.query(LIST, { variables: { filter: { healthStates: ['HEALTHY'] } } });
  expect(errorsOf(answer)).toEqual(['accounts SCAN_LIMIT_REACHED']);
  expect(Object.keys(callsOf(large))).toEqual(['GET /accounts/list']);
  const narrowed = { healthStates: ['HEALTHY'], networks: ['X'] };
  expect(await idsWith(narrowed, 'CURRENT', large)).toEqual(
    idsOf(currentAccounts(large), (one) => networkOf(one) === 'X' && isIn('HEALTHY')(one)),
  );
});
