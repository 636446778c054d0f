import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import { changingRecord, valueAt } from '../support/wire-changes.ts';
import { shareGraph } from '../support/shared-graph.ts';

const graph = shareGraph();

/** An id that no double can hold, as a number and as text. */
const BIG = '9007199254740993';
const IDS = [BigInt(BIG), BIG, 17_841_401_234_567_891n, '17841401234567891'] as const;

test.each(IDS)(
  'an account whose login id comes as %o keeps its digits, and is asked for by them',
  async (loginId) => {
    graph.sandbox.faults.add(changingRecord('GET /accounts/list', 'loginId', loginId));
    const { data } = await graph.query('{ accounts(first: 1) { nodes { id loginId settingId } } }');
    const [account] = data.accounts.nodes;
    expect(account.loginId).toBe(String(loginId));
    expect(graph.sandbox.requests.of('GET /accounts/view/{loginId}').map(({ path }) => path)).toEqual([
      `/accounts/view/${loginId}`,
    ]);
    graph.sandbox.requests.clear();
    await graph.query(`{ account(id: "${account.id}") { loginId } }`);
    expect(graph.sandbox.requests.all[0]?.path).toBe(`/accounts/view/${loginId}`);
  },
);

interface Case {
  readonly endpoint: EndpointName;
  /** Wire field that holds the id, dotted. */
  readonly wire: string;
  readonly query: string;
  readonly read: readonly (string | number)[];
}

const CURRENT_ACCOUNT = ['accounts', 'nodes', 0];
const PLACES: readonly Case[] = [
  ...(['profileUniqueId', 'uniqueId'] as const).map((wire) => ({
    endpoint: 'GET /accounts/list' as const,
    wire,
    query: `{ accounts(first: 1) { nodes { ${wire === 'uniqueId' ? 'networkAccountId' : 'networkProfileId'} } } }`,
    read: [...CURRENT_ACCOUNT, wire === 'uniqueId' ? 'networkAccountId' : 'networkProfileId'],
  })),
  {
    endpoint: 'GET /accounts/list',
    wire: 'shortenerId',
    query: '{ accounts(first: 1) { nodes { linkShortener { shortenerId } } } }',
    read: [...CURRENT_ACCOUNT, 'linkShortener', 'shortenerId'],
  },
  {
    endpoint: 'GET /accounts/list',
    wire: 'groups.0.id',
    query: '{ accounts(first: 1) { nodes { groups { groupId } } } }',
    read: [...CURRENT_ACCOUNT, 'groups', 0, 'groupId'],
  },
  ...(['connectedBy', 'reconnectedBy'] as const).map((wire) => ({
    endpoint: 'GET /accounts/view/{loginId}' as const,
    wire,
    query: `{ accounts(first: 1) { nodes { ${wire}CompanyId } } }`,
    read: [...CURRENT_ACCOUNT, `${wire}CompanyId`],
  })),
  {
    endpoint: 'GET /accounts/view/{loginId}',
    wire: 'settingId',
    query: '{ accounts(first: 1) { nodes { settingId } } }',
    read: [...CURRENT_ACCOUNT, 'settingId'],
  },
  {
    endpoint: 'GET /group/list',
    wire: 'groupId',
    query: '{ accountGroups(first: 1) { nodes { groupId } } }',
    read: ['accountGroups', 'nodes', 0, 'groupId'],
  },
  {
    endpoint: 'GET /group/list',
    wire: 'companyId',
    query: '{ accountGroups(first: 1) { nodes { companyId } } }',
    read: ['accountGroups', 'nodes', 0, 'companyId'],
  },
  {
    endpoint: 'GET /group/list',
    wire: 'accounts.0.loginId',
    query: '{ accountGroups(first: 1) { nodes { accounts { nodes { loginId } } } } }',
    read: ['accountGroups', 'nodes', 0, 'accounts', 'nodes', 0, 'loginId'],
  },
  {
    endpoint: 'GET /oauth/accounts',
    wire: 'id',
    query: '{ accounts(first: 1, surface: LEGACY) { nodes { loginId } } }',
    read: [...CURRENT_ACCOUNT, 'loginId'],
  },
  {
    endpoint: 'GET /oauth/groups',
    wire: 'id',
    query: '{ accountGroups(first: 1, surface: LEGACY) { nodes { groupId } } }',
    read: ['accountGroups', 'nodes', 0, 'groupId'],
  },
  {
    endpoint: 'GET /oauth/groups',
    wire: 'accounts.0.id',
    query: '{ accountGroups(first: 1, surface: LEGACY) { nodes { accounts { nodes { loginId } } } } }',
    read: ['accountGroups', 'nodes', 0, 'accounts', 'nodes', 0, 'loginId'],
  },
];

test('every id of an account or a group keeps its digits, as a number and as text', async () => {
  for (const { endpoint, wire, query, read } of PLACES) {
    for (const id of IDS) {
      graph.sandbox.faults.clear();
      graph.sandbox.faults.add(changingRecord(endpoint, wire, id));
      const { data, errors } = await graph.query(query);
      expect(errors).toEqual([]);
      const shown = valueAt(data, read.join('.'));
      expect(shown, `${endpoint}: ${wire} of ${inspect(id)}`).toBe(String(id));
    }
  }
});

test('an account is found by an id beyond 2^53 in the list of its surface', async () => {
  const { sandbox } = graph;
  const once = { times: Number.POSITIVE_INFINITY };
  sandbox.faults.add({ ...changingRecord('GET /oauth/accounts', 'id', BIG), ...once });
  sandbox.faults.add({ ...changingRecord('GET /oauth/groups', 'accounts.0.id', BigInt(BIG)), ...once });
  const { data } = await graph.query(
    '{ accounts(first: 1, surface: LEGACY) { nodes { id groups { name } } } }',
  );
  const [{ id, groups }] = data.accounts.nodes;
  expect(groups).toEqual([{ name: 'Shopfront' }]);
  const again = await graph.query(`{ account(id: "${id}") { loginId displayName } }`);
  expect(again.data.account).toEqual({ loginId: BIG, displayName: 'Kelpgate Roasters' });
});

test('numbers beyond 2^53 in undocumented data keep their digits, as text', async () => {
  graph.sandbox.faults.add(
    changingRecord('GET /accounts/view/{loginId}', 'extraData', { pageId: BigInt(BIG), n: 12 }),
  );
  const { data } = await graph.query('{ accounts(first: 1) { nodes { extraData } } }');
  expect(data.accounts.nodes[0].extraData).toEqual({ pageId: BIG, n: 12 });
});
