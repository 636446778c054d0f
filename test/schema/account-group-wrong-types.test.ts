import { expect, test } from 'vitest';
import type { EndpointName } from '../../src/sandbox/endpoints.ts';
import { errorsOf } from '../support/answers.ts';
import { startGraph } from '../support/graph.ts';
import { changingRecord, MISSING } from '../support/wire-changes.ts';
import { byName, expectToSpoilOnly, type WrongField, type WrongPlace } from '../support/wrong-records.ts';
import { WRONG_VALUES } from '../support/wrong-values.ts';

/** One and the same record as many times as there are wrong values, under ids of their own. */
const copies = (record: unknown, id: string): unknown[] =>
  WRONG_VALUES.map((_, index) => ({ ...(record as object), [id]: String(9_000 + index) }));

const GROUP: WrongPlace = {
  endpoint: 'GET /group/list',
  where: 'accountGroups.nodes',
  query: `{ accountGroups(first: 12) { nodes {
    id groupId name createdAt companyId surface
    accounts(first: 2) { nodes {
      id platformId avatarUrl displayName profileUrl color isFacebookAppInstalled isLocked
      health { needsReconnect } platformCode platformName network } } } } }`,
  records: (answer) =>
    copies(
      (answer as { readonly response: { readonly list: readonly unknown[] } }).response.list[0],
      'groupId',
    ),
};

const MEMBER = 'accounts.nodes.0';
const GROUP_FIELDS: readonly WrongField[] = [
  ['groupName', 'text', ['name']],
  ['createdOn', 'instant', ['createdAt']],
  ['companyId', 'id', ['companyId']],
  ['accounts.0.accountId', 'integer', [`${MEMBER}.platformId`]],
  ['accounts.0.profilePicture', 'url', [`${MEMBER}.avatarUrl`]],
  ['accounts.0.accountUsername', 'text', [`${MEMBER}.displayName`]],
  ['accounts.0.accountUrl', 'url', [`${MEMBER}.profileUrl`]],
  ['accounts.0.color', 'text', [`${MEMBER}.color`]],
  ['accounts.0.fbAppInstall', 'flag', [`${MEMBER}.isFacebookAppInstalled`]],
  ['accounts.0.isLocked', 'flag', [`${MEMBER}.isLocked`]],
  ['accounts.0.isReconnect', 'flag', [`${MEMBER}.health.needsReconnect`]],
  [
    'accounts.0.accountMaster',
    'record',
    [`${MEMBER}.platformCode`, `${MEMBER}.platformName`],
    { [`${MEMBER}.network`]: 'UNKNOWN' },
  ],
  [
    'accounts.0.accountMaster.scenario',
    'text',
    [`${MEMBER}.platformCode`],
    { [`${MEMBER}.network`]: 'UNKNOWN' },
  ],
  ['accounts.0.accountMaster.accountName', 'text', [`${MEMBER}.platformName`]],
];

test.each(byName(GROUP_FIELDS))('a group whose %s is wrong loses that field alone', async (_wire, field) => {
  await expectToSpoilOnly(await startGraph(), GROUP, field);
});

const LEGACY_GROUP: WrongPlace = {
  endpoint: 'GET /oauth/groups',
  where: 'accountGroups.nodes',
  query: `{ accountGroups(first: 12, surface: LEGACY) { nodes {
    id groupId name surface
    accounts(first: 2) { nodes { id displayName profileUrl statusCode platformCode network } } } } }`,
  records: (answer) => copies((answer as readonly unknown[])[0], 'id'),
};

const LEGACY_GROUP_FIELDS: readonly WrongField[] = [
  ['group_name', 'text', ['name']],
  ['accounts.0.nickname', 'text', [`${MEMBER}.displayName`]],
  ['accounts.0.url', 'url', [`${MEMBER}.profileUrl`]],
  ['accounts.0.status', 'text', [`${MEMBER}.statusCode`]],
  ['accounts.0.account_type', 'text', [`${MEMBER}.platformCode`], { [`${MEMBER}.network`]: 'UNKNOWN' }],
];

test.each(byName(LEGACY_GROUP_FIELDS))(
  'a legacy group whose %s is wrong loses that field alone',
  async (_wire, field) => {
    await expectToSpoilOnly(await startGraph(), LEGACY_GROUP, field);
  },
);

const NO_LISTS: readonly unknown[] = [0, 'Y', {}, 1e21, true, 'long '.repeat(2_000)];

test.each(['CURRENT', 'LEGACY'] as const)(
  'a group of the %s surface whose accounts are no list loses them, and its neighbour nothing',
  async (surface) => {
    const endpoint = surface === 'CURRENT' ? 'GET /group/list' : 'GET /oauth/groups';
    for (const accounts of NO_LISTS) {
      const graph = await startGraph();
      graph.sandbox.faults.add(changingRecord(endpoint, 'accounts', accounts));
      const answer = await graph.query(
        `{ accountGroups(first: 2, surface: ${surface}) { nodes { name accounts { totalCount } } } }`,
      );
      expect(errorsOf(answer)).toEqual(['accountGroups.nodes.0.accounts UPSTREAM_MALFORMED']);
      expect(answer.data.accountGroups.nodes).toEqual([
        { name: 'Shopfront', accounts: null },
        { name: 'Wholesale', accounts: { totalCount: surface === 'CURRENT' ? 2 : 3 } },
      ]);
    }
  },
);

const NO_IDS: readonly unknown[] = [MISSING, null, '', [], {}, 1e21, true];
const KEYED: readonly (readonly [EndpointName, wire: string, query: string, path: string])[] = [
  [
    'GET /accounts/list',
    'loginId',
    '{ list: accounts(first: 3) { totalCount nodes { id } } }',
    'list.nodes.0',
  ],
  [
    'GET /oauth/accounts',
    'id',
    '{ list: accounts(first: 3, surface: LEGACY) { totalCount nodes { id } } }',
    'list.nodes.0',
  ],
  [
    'GET /group/list',
    'groupId',
    '{ list: accountGroups(first: 3) { totalCount nodes { id } } }',
    'list.nodes.0',
  ],
  [
    'GET /oauth/groups',
    'id',
    '{ list: accountGroups(first: 3, surface: LEGACY) { totalCount nodes { id } } }',
    'list.nodes.0',
  ],
];

test.each(KEYED)(
  '%s: a record whose %s can’t be read is null in its place, and its neighbours stand',
  async (...row) => {
    const [endpoint, wire, query, path] = row;
    const graph = await startGraph();
    const whole = (await graph.query(query)).data.list;
    for (const id of NO_IDS) {
      graph.sandbox.faults.clear();
      graph.sandbox.faults.add(changingRecord(endpoint, wire, id));
      const answer = await graph.query(query);
      expect(errorsOf(answer), String(id)).toEqual([`${path} UPSTREAM_MALFORMED`]);
      expect(answer.data.list).toEqual({ ...whole, nodes: [null, ...whole.nodes.slice(1)] });
    }
  },
);

const MEMBERS: readonly (readonly [EndpointName, wire: string, surface: string])[] = [
  ['GET /group/list', 'accounts.0.loginId', 'CURRENT'],
  ['GET /oauth/groups', 'accounts.0.id', 'LEGACY'],
];

test.each(MEMBERS)(
  '%s: a member whose %s can’t be read is null in its place',
  async (endpoint, wire, surface) => {
    const graph = await startGraph();
    for (const id of NO_IDS) {
      graph.sandbox.faults.clear();
      graph.sandbox.faults.add(changingRecord(endpoint, wire, id));
      const answer = await graph.query(
        `{ accountGroups(first: 1, surface: ${surface}) { nodes { accounts { totalCount nodes { displayName } edges { cursor } } } } }`,
      );
      expect(errorsOf(answer)).toEqual(['accountGroups.nodes.0.accounts.nodes.0 UPSTREAM_MALFORMED']);
      const { totalCount, nodes, edges } = answer.data.accountGroups.nodes[0].accounts;
      expect([totalCount, nodes.length, edges.length, nodes[0], nodes[1].displayName]).toEqual([
        4,
        4,
        4,
        null,
        'kelpgate.roasters',
      ]);
    }
  },
);

test('records that are no objects are null in their places', async () => {
  const graph = await startGraph();
  for (const junk of [null, 7, 'x', [], true]) {
    graph.sandbox.faults.add({
      kind: 'rewrite',
      endpoint: 'GET /oauth/accounts',
      change: (list) => [junk, ...(list as unknown[]).slice(1)],
    });
    const answer = await graph.query(
      '{ accounts(first: 2, surface: LEGACY) { totalCount nodes { displayName } } }',
    );
    expect(errorsOf(answer), JSON.stringify(junk)).toEqual(['accounts.nodes.0 UPSTREAM_MALFORMED']);
    expect(answer.data.accounts).toEqual({
      totalCount: 13,
      nodes: [null, { displayName: 'kelpgate.roasters' }],
    });
  }
});
