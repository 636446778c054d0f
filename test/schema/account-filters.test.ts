import { describe, expect, test } from 'vitest';
import type { Account } from '../../packages/sandbox/src/data/model.ts';
import { currentAccounts, healthStateOf, legacyAccounts, networkOf } from '../support/accounts.ts';
import { errorsOf, onlyError, type RunningGraph, shareGraph } from '../support/graph.ts';
import { callsOf } from '../support/calls.ts';
import { eachCase } from '../support/cases.ts';
import { landmarks } from '../support/landmarks.ts';
import { changing, changingEach, changingRecord, MISSING, onlyFaults } from '../support/sandbox.ts';
import { account, idOf, legacyGroup } from '../support/writes.ts';

const graph = shareGraph();
const large = shareGraph({ sandbox: { data: 'large' } });

type Variables = Readonly<Record<string, unknown>>;

const LIST = `query ($filter: AccountFilter, $orderBy: [AccountOrder!], $surface: Surface) {
  accounts(first: 100, filter: $filter, orderBy: $orderBy, surface: $surface) { totalCount nodes { loginId displayName } } }`;
const LISTS = {
  accounts: LIST,
  groups: `query ($filter: AccountGroupFilter, $orderBy: [AccountGroupOrder!]) {
    accountGroups(first: 100, filter: $filter, orderBy: $orderBy) { totalCount } }`,
};
const list = (variables: Variables, running: RunningGraph = graph) => running.query(LIST, { variables });

type Listed = { readonly loginId: string; readonly displayName: string | null };

async function listed(variables: Variables, running: RunningGraph = graph): Promise<readonly Listed[]> {
  const data = await running.dataOf(LIST, { variables });
  expect(data.accounts.totalCount).toBe(data.accounts.nodes.length);
  return data.accounts.nodes;
}

const idsWith = async (filter: Variables, surface = 'CURRENT', running = graph): Promise<string[]> =>
  (await listed({ filter, surface }, running)).map(({ loginId }) => loginId);

/** The ids of the accounts that are wanted: some, and not all. */
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

const group = (rawId: string): string => idOf('AccountGroup', 'current', rawId);

test.each<[list: keyof typeof LISTS, variables: Variables, query: Record<string, string>]>([
  ['accounts', { filter: { displayName: 'a&b=c #?%/+ü☕' } }, { q: 'a&b=c #?%/+ü☕' }],
  ['accounts', { filter: { accountGroupIds: [group('5101'), group('5103')] } }, { groupId: '5101,5103' }],
  ['accounts', { filter: { platformIds: [1, 9] } }, { platform: '1,9' }],
  ['accounts', { filter: { clientId: '71' } }, { clientId: '71' }],
  ['accounts', { filter: { teamIds: ['12', '14'] } }, { team: '12,14' }],
  ['accounts', { filter: { multiFilter: 'paused,locked' } }, { multiFilter: 'paused,locked' }],
  ['accounts', { filter: { displayName: null, clientId: null } }, {}],
  ['accounts', { filter: { displayName: 'kelp', platformIds: [1] } }, { q: 'kelp', platform: '1' }],
  ['accounts', { filter: { displayName: 'kelp', isPaused: false } }, { q: 'kelp' }],
  ['accounts', { orderBy: [{ field: 'LOGIN_ID' }] }, { sortBy: 'loginId,ASC' }],
  [
    'accounts',
    { orderBy: [{ field: 'DISPLAY_NAME' }, { field: 'LOGIN_ID', direction: 'DESC' }] },
    { sortBy: 'accountUsername,ASC,loginId,DESC' },
  ],
  ['accounts', { orderBy: [] }, {}],
  ['groups', { filter: { name: 'shop' } }, { q: 'shop' }],
  ['groups', { orderBy: [{ field: 'NAME', direction: 'DESC' }] }, { sortBy: 'groupName', sortOrder: 'DESC' }],
  ['groups', { orderBy: [{ field: 'NAME', direction: null }] }, { sortBy: 'groupName', sortOrder: 'ASC' }],
  ['groups', { filter: {}, orderBy: null }, {}],
])('what the service can filter and order is sent to it: of %s %j as %j', async (name, variables, query) => {
  await graph.dataOf(LISTS[name], { variables });
  expect(graph.sandbox.requests.all.map((request) => Object.fromEntries(request.query))).toEqual([
    { page: '1', limit: '100', ...query },
  ]);
});

test.each<[filter: Variables, argument: string, surface?: string]>([
  [{ accountGroupIds: [] }, 'filter.accountGroupIds'],
  [{ teamIds: [] }, 'filter.teamIds'],
  [{ networks: [] }, 'filter.networks'],
  [{ teamIds: ['12', '1,4'] }, 'filter.teamIds[1]'],
  [{ accountGroupIds: [group('1,2')] }, 'filter.accountGroupIds[0]'],
  [{ accountGroupIds: ['5101'] }, 'filter.accountGroupIds[0]'],
  [{ accountGroupIds: [legacyGroup(5_101)] }, 'filter.accountGroupIds[0]'],
  [{ accountGroupIds: [account(5_101)] }, 'filter.accountGroupIds[0]'],
  [{ accountGroupIds: [group('5101')] }, 'filter', 'LEGACY'],
  [{ platformIds: [1] }, 'filter', 'LEGACY'],
  [{ clientId: '71' }, 'filter', 'LEGACY'],
  [{ teamIds: ['12'] }, 'filter', 'LEGACY'],
  [{ displayName: 'kelp', multiFilter: 'paused' }, 'filter', 'LEGACY'],
  [{ networks: [] }, 'filter.networks', 'LEGACY'],
])('the filter %j is refused with the name %s, and nothing is sent', async (filter, argument, surface) => {
  const answer = await list({ filter, surface: surface ?? 'CURRENT' });
  expect(errorsOf(answer)).toEqual(['accounts BAD_USER_INPUT']);
  expect(onlyError(answer).message).toContain(argument);
  expect(graph.sandbox.requests.count()).toBe(0);
});

describe('this server filters what the service cannot', () => {
  test('on the current surface', async () => {
    const all = currentAccounts(graph);
    const of = (isWanted: (one: Account) => boolean) => idsOf(all, isWanted);
    await eachCase<readonly [Variables, string[]]>(
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
        [{ isPaused: true, healthStates: ['HEALTHY', 'DELETED', 'UNKNOWN'] }, []],
      ],
      async ([filter, ids]) => expect(await idsWith(filter)).toEqual(ids),
    );
  });

  test('on the legacy surface, in one call', async () => {
    const all = legacyAccounts(graph);
    const of = (isWanted: (one: Account) => boolean) => idsOf(all, isWanted);
    await eachCase<readonly [Variables, string[]]>(
      [
        [{ isPaused: true }, of(({ paused }) => paused)],
        [{ networks: ['X'] }, of((one) => networkOf(one) === 'X')],
        [{ healthStates: ['PAUSED'] }, of(({ paused }) => paused)],
        [{ healthStates: ['HEALTHY'] }, []],
        [{ healthStates: ['UNKNOWN'] }, of(({ paused }) => !paused)],
      ],
      async ([filter, ids]) => {
        graph.sandbox.requests.clear();
        expect(await idsWith(filter, 'LEGACY')).toEqual(ids);
        expect(callsOf(graph)).toEqual({ 'GET /oauth/accounts': 1 });
      },
    );
  });

  test('keeping the order of the service', async () => {
    const orderBy = [{ field: 'LOGIN_ID', direction: 'DESC' }];
    const ids = (await listed({ filter: { isPaused: false }, orderBy })).map(({ loginId }) => loginId);
    expect(ids).toEqual(
      idsOf(currentAccounts(graph), ({ paused }) => !paused)
        .toSorted()
        .toReversed(),
    );
  });

  test('and fails a list with an account on which it cannot decide', async () => {
    for (const [wire, filter] of [
      ['isPaused', { isPaused: true }],
      ['accountType', { networks: ['X'] }],
      ['isBlocked', { healthStates: ['HEALTHY'] }],
    ] as const) {
      onlyFaults(graph.sandbox, changingRecord('GET /accounts/list', wire, { odd: true }, 3));
      expect(errorsOf(await list({ filter }))).toEqual(['accounts UPSTREAM_MALFORMED']);
    }
    // What does not decide fails nothing.
    expect(await idsWith({ networks: ['X'] })).toEqual([String(landmarks.namelessId)]);
  });

  test('and fails a list with a name that it cannot read', async () => {
    graph.sandbox.faults.add(changingRecord('GET /oauth/accounts', 'nickname', { odd: true }));
    graph.sandbox.faults.add(changingRecord('GET /oauth/groups', 'group_name', { odd: true }));
    const answer = await graph.query(
      `{ accounts(surface: LEGACY, filter: { displayName: "e" }) { totalCount }
         accountGroups(surface: LEGACY, filter: { name: "e" }) { totalCount }
         all: accounts(surface: LEGACY, orderBy: { field: DISPLAY_NAME }) { totalCount } }`,
    );
    expect(errorsOf(answer).toSorted()).toEqual([
      'accountGroups UPSTREAM_MALFORMED',
      'accounts UPSTREAM_MALFORMED',
    ]);
  });
});

describe('both surfaces', () => {
  /** The accounts that only one surface has. */
  const OWN = ['Net Loft Lane home brewers', 'Lantern Quay traders', 'Small-batch roasters circle'];

  test.each(['kelpgate', 'KELPGATE', 'books', ''])('find the same by the name %o', async (displayName) => {
    const names = async (surface: string) =>
      (await listed({ filter: { displayName }, surface }))
        .map((one) => one.displayName)
        .filter((name) => name === null || !OWN.includes(name));
    expect(await names('LEGACY')).toEqual(await names('CURRENT'));
  });

  test('have the same order by id, ascending without a direction', async () => {
    const order = async (surface: string, field: string, direction: string | null) =>
      (await listed({ orderBy: [{ field, direction }], surface })).map(({ loginId }) => loginId);
    for (const surface of ['CURRENT', 'LEGACY'])
      for (const field of ['LOGIN_ID', 'DISPLAY_NAME']) {
        const ascending = await order(surface, field, 'ASC');
        expect(await order(surface, field, null)).toEqual(ascending);
        expect(await order(surface, field, 'DESC')).not.toEqual(ascending);
      }
    for (const direction of ['ASC', 'DESC']) {
      const legacy = (await order('LEGACY', 'LOGIN_ID', direction)).filter((id) => id !== '410213');
      expect(legacy).toEqual(await order('CURRENT', 'LOGIN_ID', direction));
    }
  });

  test.each([
    'filter: { name: "S" }',
    'orderBy: { field: NAME }',
    'filter: { name: "s" }, orderBy: { field: NAME, direction: DESC }',
  ])('have the same groups with %s', async (args) => {
    const data =
      await graph.dataOf(`{ legacy: accountGroups(surface: LEGACY, ${args}) { totalCount nodes { name } }
         current: accountGroups(surface: CURRENT, ${args}) { totalCount nodes { name } } }`);
    expect(data.legacy).toEqual(data.current);
  });
});

test('the legacy surface orders names in the way of a dictionary, and those without a name first', async () => {
  const accounts = await listed({ orderBy: [{ field: 'DISPLAY_NAME' }], surface: 'LEGACY' });
  const names = accounts.map(({ displayName }) => displayName ?? '');
  const { compare } = new Intl.Collator('en', { sensitivity: 'base', numeric: true });
  expect(names).toEqual(names.toSorted(compare));
  expect(names[0]).toBe('');
});

describe('a filter by health', () => {
  const DETAIL = 'GET /accounts/view/{loginId}';
  const HEALTHY = { filter: { healthStates: ['HEALTHY'] } };
  const detailsFor = async (healthStates: string[], filter: Variables = {}): Promise<number> => {
    graph.sandbox.requests.clear();
    await idsWith({ ...filter, healthStates });
    return callsOf(graph)[DETAIL] ?? 0;
  };

  test('reads the details only of accounts that may be meant', async () => {
    expect(await detailsFor(['BLOCKED', 'LOCKED'])).toBe(0);
    expect(await detailsFor(['PAUSED'])).toBe(1);
    expect(await detailsFor(['NEEDS_RECONNECT'])).toBe(10);
    expect(await detailsFor(['NEEDS_RECONNECT'], { networks: ['YOUTUBE'] })).toBe(1);
    const all = ['DELETED', 'BLOCKED', 'LOCKED', 'NEEDS_RECONNECT', 'PAUSED', 'HEALTHY', 'UNKNOWN'];
    expect(await detailsFor(all)).toBe(0);
  });

  test('fails where a detail fails, unless UNKNOWN is wanted as well', async () => {
    const refuse = () => onlyFaults(graph.sandbox, { kind: 'status', status: 500, endpoint: DETAIL });
    refuse();
    expect(errorsOf(await list(HEALTHY))).toEqual(['accounts SURFACE_UNAVAILABLE']);
    refuse();
    expect(await idsWith({ healthStates: ['HEALTHY', 'UNKNOWN'] })).toEqual(
      idsOf(currentAccounts(graph), isIn('HEALTHY')),
    );
  });

  test('takes from the detail what the list lacks', async () => {
    const states = { isBlocked: 'BLOCKED', isLocked: 'LOCKED', isPaused: 'PAUSED' };
    for (const [flag, told] of Object.entries(states)) {
      onlyFaults(
        graph.sandbox,
        changingEach('GET /accounts/list', () => ({ [flag]: MISSING })),
      );
      for (const state of [told, 'HEALTHY'])
        expect(await idsWith({ healthStates: [state] }), `${flag} ${state}`).toEqual(
          idsOf(currentAccounts(graph), isIn(state)),
        );
    }
  });

  test('takes what neither has for UNKNOWN, and fails where a detail is damaged', async () => {
    graph.sandbox.faults.add(changing(DETAIL, 'response.isReconnect', MISSING));
    expect(await idsWith({ healthStates: ['HEALTHY'] })).toEqual([]);
    expect(await idsWith({ healthStates: ['UNKNOWN'] })).not.toEqual([]);
    onlyFaults(graph.sandbox, changing(DETAIL, 'response.isReconnect', 'perhaps'));
    expect(errorsOf(await list(HEALTHY))).toEqual(['accounts UPSTREAM_MALFORMED']);
  });

  test('is SCAN_LIMIT_REACHED for too many accounts, before any detail is read', async () => {
    const answer = await list(HEALTHY, large);
    expect(errorsOf(answer)).toEqual(['accounts SCAN_LIMIT_REACHED']);
    expect(Object.keys(callsOf(large))).toEqual(['GET /accounts/list']);
    expect(await idsWith({ healthStates: ['HEALTHY'], networks: ['X'] }, 'CURRENT', large)).toEqual(
      idsOf(currentAccounts(large), (one) => networkOf(one) === 'X' && isIn('HEALTHY')(one)),
    );
  });
});

const SEARCHES = [
  ['queuedPosts', 'text', ''],
  ['queuedPosts', 'title', ''],
  ['accounts', 'displayName', 'surface: CURRENT, '],
  ['accounts', 'multiFilter', 'surface: CURRENT, '],
  ['accounts', 'displayName', 'surface: LEGACY, '],
  ['accountGroups', 'name', 'surface: CURRENT, '],
  ['accountGroups', 'name', 'surface: LEGACY, '],
  ['libraryItems', 'text', ''],
] as const;

test('a text to search for has up to 400 characters, and a longer one is refused before any call', () =>
  eachCase(SEARCHES, async ([field, argument, others]) => {
    const search = (text: string) =>
      graph.query(`{ ${field}(${others}filter: { ${argument}: "${text}" }) { totalCount } }`);
    expect((await search('e'.repeat(400))).errors).toEqual([]);
    graph.sandbox.requests.clear();
    const refused = await search('e'.repeat(401));
    expect(errorsOf(refused)).toEqual([`${field} BAD_USER_INPUT`]);
    expect(onlyError(refused).message).toBe(`filter.${argument} must have at most 400 characters.`);
    expect(graph.sandbox.requests.count()).toBe(0);
  }));
