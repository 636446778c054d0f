import { isInterfaceType } from 'graphql';
import { expect, test } from 'vitest';
import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import type { Quirks } from '../../packages/sandbox/src/quirks.ts';
import { schema } from '../../src/schema/index.ts';
import { accountNamed, harbour } from '../support/account-records.ts';
import { globalId } from '../support/calls.ts';
import { startGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changingRecord } from '../support/wire-changes.ts';

const graph = shareGraph();

test('accountId is the kind of platform: a post whose kind looks like an account’s id keeps its account', async () => {
  graph.sandbox.faults.add(changingRecord('GET /posts/queued', 'accountId', landmarks.pausedId));
  const { data, errors } = await graph.query(
    '{ queuedPosts(first: 1) { nodes { account { loginId platformId settingId } } } }',
  );
  expect(errors).toEqual([]);
  const { settingId, loginId } = accountNamed(graph, landmarks.plainId);
  expect(data.queuedPosts.nodes).toEqual([
    { account: { loginId: String(loginId), platformId: landmarks.pausedId, settingId } },
  ]);
  expect(graph.sandbox.requests.of('GET /accounts/view/{loginId}').map(({ path }) => path)).toEqual([
    `/accounts/view/${loginId}`,
  ]);
});

const SHAPES: readonly Quirks['detailGroups'][] = ['id-group_name', 'groupId-groupName', 'ids'];

test.each(SHAPES)(
  'a group is the same from list, account list, legacy list and a detail that spells it as %s',
  async (detailGroups) => {
    const other = await startGraph({ sandbox: { quirks: { detailGroups } } });
    const group = 'groups { id groupId name }';
    const { data: listed } = await other.query(
      `{ accountGroups(first: 1) { nodes { id groupId name } }
       accountGroupsLegacy: accountGroups(first: 1, surface: LEGACY) { nodes { groupId name } }
       accounts(first: 1) { nodes { id ${group} } } }`,
    );
    const [account] = listed.accounts.nodes;
    const { data, errors } = await other.query(`{ account(id: "${account.id}") { ${group} } }`);
    expect(errors).toEqual([]);
    const [first] = harbour(other).groups;
    const expected = { groupId: String(first?.groupId), name: first?.name };
    const id = globalId('AccountGroup', expected.groupId);
    expect(listed.accountGroups.nodes).toEqual([{ id, ...expected }]);
    expect(listed.accountGroupsLegacy.nodes).toEqual([expected]);
    expect(account.groups).toEqual([{ id, ...expected }]);
    expect(data.account.groups).toEqual([{ id, ...expected }]);
  },
);

test.each([
  ['a dot', '.'],
  ['two dots', '..'],
  ['half a character', '\ud800'],
  ['ten thousand letters', 'x'.repeat(10_000)],
])(
  'an account whose id is %s, which can be no part of an address, is the service’s fault, in the fields of its detail alone',
  async (_name, loginId) => {
    graph.sandbox.faults.add(changingRecord('GET /accounts/list', 'loginId', loginId, 1));
    const answer = await graph.query('{ accounts(first: 3) { nodes { displayName settingId } } }');
    const [first, , third] = answer.data.accounts.nodes as {
      displayName: string | null;
      settingId: string | null;
    }[];
    expect([first?.settingId, third?.settingId]).toEqual(['set-410201', 'set-410203']);
    expect(answer.data.accounts.nodes[1]).toEqual({ displayName: 'kelpgate.roasters', settingId: null });
    const codes = answer.errors.map(({ extensions }) => String(extensions['code']));
    expect(codes).toHaveLength(1);
    expect(['UPSTREAM_MALFORMED', 'UPSTREAM_REJECTED']).toContain(codes[0]);
  },
);

test('a network id has the same digits as a number of the list and as text of the detail and the queue', async () => {
  const { data, errors } = await graph.query(
    `{ accounts(first: 12) { nodes { id loginId networkAccountId networkProfileId } }
       queuedPosts(first: 25) { nodes { account { loginId networkAccountId networkProfileId } } } }`,
  );
  expect(errors).toEqual([]);
  const posts = data.queuedPosts.nodes as {
    account: { loginId: string; networkAccountId: string; networkProfileId: string };
  }[];
  const byLogin = new Map(posts.map(({ account }) => [account.loginId, account]));
  for (const { id, ...listed } of data.accounts.nodes as { id: string; loginId: string }[]) {
    const { data: detail } = await graph.query(
      `{ account(id: "${id}") { loginId networkAccountId networkProfileId } }`,
    );
    const digits = String(accountNamed(graph, Number(listed.loginId)).uniqueId);
    const expected = { loginId: listed.loginId, networkAccountId: digits, networkProfileId: digits };
    expect(listed).toEqual(expected);
    expect(detail.account).toEqual(expected);
    expect(byLogin.get(listed.loginId)).toEqual(expected);
  }
});

test('a content id of the AI and a content id of the library are two kinds, even when they are alike', async () => {
  const [item] = harbour(graph).library;
  const [generation] = harbour(graph).history;
  const shared = item?.id ?? '';
  graph.sandbox.faults.add(changingRecord('GET /openai/historyList', 'contentId', shared, 11));
  const ids = [globalId('LibraryItem', shared), globalId('AiGeneration', shared)];
  const { data, errors } = await graph.query(
    'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on LibraryItem { title } ... on AiGeneration { prompt } } }',
    { variables: { ids } },
  );
  expect(errors).toEqual([]);
  expect(data.nodes).toEqual([
    { __typename: 'LibraryItem', id: ids[0], title: item?.title },
    { __typename: 'AiGeneration', id: ids[1], prompt: generation?.userInput },
  ]);
});

test('company, owner and creator are ids of their own, never one user', async () => {
  const { ownerId, companyId } = harbour(graph);
  const { data } = await graph.query(
    '{ libraryItems(first: 1) { nodes { ownerId createdById lastEditedById content { companyId ownerId } } } }',
  );
  expect(data.libraryItems.nodes).toEqual([
    {
      ownerId: String(ownerId),
      createdById: '641',
      lastEditedById: '641',
      content: { companyId: String(companyId), ownerId: String(ownerId) },
    },
  ]);
  const names = Object.keys(schema.getTypeMap());
  expect(names.filter((name) => /^(User|Owner|Company|Creator)$/.test(name))).toEqual([]);
});

test('only what the service can show again is a node: no draft, no created post, no session', () => {
  const node = schema.getType('Node');
  if (!isInterfaceType(node)) throw new Error('there is no Node');
  const types = schema.getPossibleTypes(node).map(({ name }) => name);
  expect(types.toSorted()).toEqual(['Account', 'AccountGroup', 'AiGeneration', 'LibraryItem', 'QueuedPost']);
});
