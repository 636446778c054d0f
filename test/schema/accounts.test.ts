import { describe, expect, test } from 'vitest';
import type { Fault } from '../../packages/sandbox/src/faults/fault.ts';
import { OperationLoaders } from '../../src/loaders/loaders.ts';
import type { Sources } from '../../src/sources/sources.ts';
import { currentAccounts, legacyAccounts } from '../support/accounts.ts';
import { startGraph, shareGraph } from '../support/graph.ts';
import { callsOf } from '../support/calls.ts';
import { landmarks } from '../support/landmarks.ts';
import { changing, changingRecord, rewriting, withValue } from '../support/sandbox.ts';
import { account, EXAMPLES, GROUP_ID, idOf, legacyAccount, legacyGroup, write } from '../support/writes.ts';

const graph = shareGraph();
const VIEW = 'GET /accounts/view/{loginId}';

const accountsOf = { CURRENT: () => currentAccounts(graph), LEGACY: () => legacyAccounts(graph) } as const;

describe('the surface of a list', () => {
  const BOTH_LISTS =
    '{ accounts(first: 100) { nodes { surface loginId } } accountGroups { nodes { surface } } }';

  test.each([
    ['key', 'CURRENT', ['GET /accounts/list', 'GET /group/list']],
    ['token', 'LEGACY', ['GET /oauth/accounts', 'GET /oauth/groups']],
    ['both', 'CURRENT', ['GET /accounts/list', 'GET /group/list']],
  ] as const)('with the credential %s is %s, unless one is named', async (which, surface, calls) => {
    const data = await graph.dataOf(BOTH_LISTS, { headers: graph.caller[which] });
    const listed = accountsOf[surface]().map(({ loginId }) => ({ surface, loginId: String(loginId) }));
    expect(data.accounts.nodes).toEqual(listed);
    expect(data.accountGroups.nodes[0]).toEqual({ surface });
    expect(callsOf(graph)).toEqual(Object.fromEntries(calls.map((call) => [call, 1])));
  });

  test('is the only one that is configured', async () => {
    const own = await startGraph({ environment: { CURRENT_API_URL: '' } });
    const data = await own.dataOf('{ accounts(first: 1) { nodes { surface } } }');
    expect(data.accounts.nodes).toEqual([{ surface: 'LEGACY' }]);
  });
});

describe('the counterpart of an account', () => {
  test('has the same id and profile URL, and the account as its own counterpart', async () => {
    const unlinked: readonly number[] = [landmarks.impostorId, landmarks.legacyOnlyId];
    for (const surface of ['CURRENT', 'LEGACY'] as const) {
      graph.sandbox.requests.clear();
      const data = await graph.dataOf(
        `{ accounts(first: 100, surface: ${surface}) { nodes { id loginId counterpart { surface loginId profileUrl counterpart { id } } } } }`,
      );
      const other = surface === 'CURRENT' ? 'LEGACY' : 'CURRENT';
      expect(data.accounts.nodes).toEqual(
        accountsOf[surface]().map(({ loginId, legacyUrl, currentUrl }) => {
          const id = idOf('Account', surface === 'CURRENT' ? 'current' : 'legacy', loginId);
          const profileUrl = other === 'LEGACY' ? legacyUrl : currentUrl;
          const counterpart = { surface: other, loginId: String(loginId), profileUrl, counterpart: { id } };
          return {
            id,
            loginId: String(loginId),
            counterpart: unlinked.includes(loginId) ? null : counterpart,
          };
        }),
      );
      // One call for each surface, for the whole page.
      expect(graph.sandbox.requests.count()).toBe(2);
    }
  });

  test.each<[url: string, isSame: boolean]>([
    ['https://www.facebook.example/kelpgate.roasters', true],
    ['http://facebook.example/kelpgate.roasters/', true],
    ['https://WWW.FaceBook.example/kelpgate.roasters', true],
    ['HTTPS://facebook.example/kelpgate.roasters', true],
    ['https://facebook.example/Kelpgate.Roasters', false],
    ['https://facebook.example/kelpgate.roasters2', false],
    ['https://facebook.example/kelpgate.roasters?ref=1', false],
    ['https://m.facebook.example/kelpgate.roasters', false],
    ['https://facebook.example.net/kelpgate.roasters', false],
    ['', false],
  ])('with the profile URL %j is the same account: %s', async (url, isSame) => {
    graph.sandbox.faults.add(changingRecord('GET /oauth/accounts', 'url', url));
    const data = await graph.dataOf('{ accounts(first: 1) { nodes { counterpart { profileUrl } } } }');
    expect(data.accounts.nodes[0].counterpart).toEqual(isSame ? { profileUrl: url } : null);
  });
});

const FIRST_ID = landmarks.plainId;
type Values = Readonly<Record<string, unknown>>;

/** Reads a selection of as many accounts as there are values for their details. */
async function readDetails(values: readonly Values[], selection: string) {
  const change = (answer: unknown): unknown => {
    const { response } = answer as { readonly response: { readonly loginId: number } };
    return withValue(answer, 'response', { ...response, ...values[response.loginId - FIRST_ID] });
  };
  graph.sandbox.faults.add(rewriting(VIEW, change));
  const ids = values.map((_, index) => account(FIRST_ID + index));
  return await graph.query(`{ nodes(ids: ${JSON.stringify(ids)}) { ... on Account { ${selection} } } }`);
}

const unused = (): never => {
  throw new Error('the groups of the legacy surface need nothing else');
};

test('the members of a damaged group are read once for all accounts, which fail where they may be in it', async () => {
  let reads = 0;
  const member = (id: unknown) => ({
    get id() {
      reads += 1;
      return id;
    },
  });
  const accounts = [...Array.from({ length: 100 }, (_, id) => member(id)), member({ odd: true })];
  const origin = { surface: 'legacy', endpoint: 'GET /oauth/groups', onDrift: () => undefined } as const;
  const sources: Sources = {
    legacy: () => ({ list: async () => ({ data: [{ id: '7', accounts }], origin }), call: unused }),
    current: unused,
    isConfigured: unused,
    preferred: unused,
  };
  const loaders = new OperationLoaders(sources, unused);
  for (const { id } of accounts.slice(0, -1).map((one) => ({ id: String(one.id) })))
    expect((await loaders.legacyGroupsOf(id)).map(({ groupId }) => groupId)).toEqual(['7']);
  await expect(loaders.legacyGroupsOf('100')).rejects.toMatchObject({ kind: 'malformed' });
  // The test itself reads all but the damaged one.
  expect(reads).toBe(accounts.length + accounts.length - 1);
});

test('an account has a label even if its name is blank or damaged, or its network is unknown', async () => {
  const labels: readonly (readonly [name: unknown, code: unknown, label: string])[] = [
    ['Kelpgate', 'instagram', 'Kelpgate'],
    ['', 'linkedin-pages', `LinkedIn account ${FIRST_ID + 1}`],
    [' \u00a0\n', 'gmb', `Google Business account ${FIRST_ID + 2}`],
    [null, 'a-new-network', `Account ${FIRST_ID + 3}`],
    [{ en: 'Kelpgate' }, 'twitter', `X account ${FIRST_ID + 4}`],
    [[], ['instagram'], `Account ${FIRST_ID + 5}`],
  ];
  const { data, errors } = await readDetails(
    labels.map(([accountUsername, accountType]) => ({ accountUsername, accountType })),
    'label',
  );
  expect(errors).toEqual([]);
  expect(data.nodes).toEqual(labels.map(([, , label]) => ({ label })));
});

test('health.state is the worst of the flags of an account', async () => {
  const flags = ['isDeleted', 'isBlocked', 'isLocked', 'isReconnect', 'isPaused'];
  const states = ['DELETED', 'BLOCKED', 'LOCKED', 'NEEDS_RECONNECT', 'PAUSED', 'HEALTHY'];
  const { data } = await readDetails(
    states.map((_, least) => Object.fromEntries(flags.map((flag, index) => [flag, index >= least]))),
    'health { state }',
  );
  expect(data.nodes).toEqual(states.map((state) => ({ health: { state } })));
});

test.each([
  ['legacy', legacyAccount(), account()],
  ['current', account(), legacyAccount()],
])('an account named by its %s id is deleted from both surfaces', async (_surface, accountId, otherId) => {
  const own = await startGraph();
  const payload = await write(own, 'deleteAccount', { accountId });
  const deletedAccountIds = [accountId, otherId];
  expect(payload).toEqual({ outcome: 'COMPLETED', userErrors: [], deletedAccountIds });
  const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';
  const { data } = await own.query(query, { variables: { ids: deletedAccountIds } });
  expect(data.nodes).toEqual([null, null]);
});

test('a group is deleted, and its accounts stay', async () => {
  const own = await startGraph();
  const payload = await write(own, 'deleteAccountGroup', EXAMPLES.deleteAccountGroup);
  const id = legacyGroup(GROUP_ID);
  expect(payload).toEqual({ outcome: 'COMPLETED', userErrors: [], deletedAccountGroupId: id });
  const query = 'query ($id: ID!) { node(id: $id) { id } accounts(surface: LEGACY) { totalCount } }';
  const { data } = await own.query(query, { variables: { id } });
  expect(data).toEqual({ node: null, accounts: { totalCount: 13 } });
});

test('a token alone pauses, resumes and deletes by ids of the legacy surface', async () => {
  const own = await startGraph();
  const headers = own.caller.token;
  for (const name of ['pauseAccount', 'resumeAccount', 'deleteAccount', 'deleteAccountGroup'] as const) {
    const { outcome, deletedAccountIds } = await write(own, name, EXAMPLES[name], { headers });
    expect([name, outcome]).toEqual([name, 'COMPLETED']);
    // The view of the current surface is gone too, and this caller could not know of it.
    if (name === 'deleteAccount') expect(deletedAccountIds).toEqual([legacyAccount()]);
  }
  expect(own.sandbox.requests.all.every(({ path }) => path.startsWith('/oauth/'))).toBe(true);
});

test.each<[what: string, fault: Fault]>([
  ['is out of order', { kind: 'status', status: 503, endpoint: VIEW, times: 9 }],
  ['has another account under that id', changing(VIEW, 'response.accountUrl', 'https://other.example/')],
])(
  'an account is deleted by its legacy id although the current surface %s: only that id is told',
  async (_, fault) => {
    const own = await startGraph();
    own.sandbox.faults.add(fault);
    const payload = await write(own, 'deleteAccount', { accountId: legacyAccount() });
    expect(payload).toMatchObject({ outcome: 'COMPLETED', deletedAccountIds: [legacyAccount()] });
  },
);
