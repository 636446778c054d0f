import { isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import {
  accountNamed,
  currentAccount,
  currentAccounts,
  isoOf,
  legacyAccount,
  legacyAccounts,
} from '../support/account-records.ts';
import { harbour } from '../support/account-records.ts';
import { ACCOUNT_FIELDS } from '../support/account-selections.ts';
import type { RunningGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';

const graph = shareGraph();

/** The ids of the accounts of a surface, by login id. */
async function idsByLogin(
  running: RunningGraph,
  surface: 'CURRENT' | 'LEGACY',
): Promise<Map<string, string>> {
  const { data } = await running.query(
    `{ accounts(first: 100, surface: ${surface}) { nodes { id loginId } } }`,
  );
  const nodes = data.accounts.nodes as { id: string; loginId: string }[];
  return new Map(nodes.map(({ id, loginId }) => [loginId, id]));
}

/** By `account-ids`, `account-surfaces`, `account-queue` and `free-slots`. */
const TESTED_ELSEWHERE = ['id', 'counterpart', 'queuedPosts', 'nextFreeSlots'];

test('the tests of fields cover every field of an account and of a group', async () => {
  const [account] = currentAccounts(graph);
  const [accountType, groupType] = [schema.getType('Account'), schema.getType('AccountGroup')];
  if (!account || !isObjectType(accountType) || !isObjectType(groupType)) throw new Error('not there');
  expect(Object.keys(accountType.getFields()).toSorted()).toEqual(
    [...Object.keys(currentAccount(graph, account)), ...TESTED_ELSEWHERE].toSorted(),
  );
  expect(Object.keys(groupType.getFields()).toSorted()).toEqual(
    ['surface', 'groupId', 'name', 'createdAt', 'companyId', 'accounts', ...TESTED_ELSEWHERE]
      .filter((name) => name !== 'counterpart')
      .toSorted(),
  );
});

test('the list of the current surface is true to the records in every field', async () => {
  const { data, errors } = await graph.query(
    `{ accounts(first: 100) { totalCount nodes { ...AccountFields } } } ${ACCOUNT_FIELDS}`,
  );
  expect(errors).toEqual([]);
  expect(data.accounts.totalCount).toBe(12);
  expect(data.accounts.nodes).toEqual(
    currentAccounts(graph).map((account) => currentAccount(graph, account)),
  );
});

test('an account read by its id is true to its record in every field', async () => {
  const ids = await idsByLogin(graph, 'CURRENT');
  for (const account of currentAccounts(graph)) {
    const { data, errors } = await graph.query(
      `query ($id: ID!) { account(id: $id) { id ...AccountFields } node(id: $id) { id ...AccountFields } } ${ACCOUNT_FIELDS}`,
      { variables: { id: ids.get(String(account.loginId)) } },
    );
    expect(errors).toEqual([]);
    const expected = { id: ids.get(String(account.loginId)), ...currentAccount(graph, account) };
    expect(data).toEqual({ account: expected, node: expected });
  }
});

test('a member of a group is true to its record in every field, and names its platform as well', async () => {
  const { data, errors } = await graph.query(
    `{ accountGroups { nodes { groupId accounts { totalCount nodes { ...AccountFields } } } } } ${ACCOUNT_FIELDS}`,
  );
  expect(errors).toEqual([]);
  expect(data.accountGroups.nodes).toEqual(
    harbour(graph).groups.map(({ groupId, members }) => {
      const listed = members.filter(({ surfaces }) => surfaces.current);
      const nodes = listed.map((account) => ({
        ...currentAccount(graph, account),
        platformName: account.network.displayName,
      }));
      return { groupId: String(groupId), accounts: { totalCount: nodes.length, nodes } };
    }),
  );
});

test('the list of the legacy surface is true to the records, and null where that surface does not know', async () => {
  const { data, errors } = await graph.query(
    `{ accounts(first: 100, surface: LEGACY) { totalCount nodes { ...AccountFields } } } ${ACCOUNT_FIELDS}`,
  );
  expect(errors).toEqual([]);
  expect(data.accounts.nodes).toEqual(legacyAccounts(graph).map((account) => legacyAccount(graph, account)));
  expect(data.accounts.totalCount).toBe(13);
});

test('an account of the legacy surface read by its id is true to its record in every field', async () => {
  const ids = await idsByLogin(graph, 'LEGACY');
  for (const account of legacyAccounts(graph)) {
    const { data, errors } = await graph.query(
      `query ($id: ID!) { account(id: $id) { ...AccountFields } node(id: $id) { ...AccountFields } } ${ACCOUNT_FIELDS}`,
      { variables: { id: ids.get(String(account.loginId)) } },
    );
    expect(errors).toEqual([]);
    const expected = legacyAccount(graph, account);
    expect(data).toEqual({ account: expected, node: expected });
  }
});

const GROUP_FIELDS = 'surface groupId name createdAt companyId accounts { totalCount nodes { id loginId } }';

test.each(['CURRENT', 'LEGACY'] as const)(
  'a group of the %s surface is true to its record from the list, by its id and from an account',
  async (surface) => {
    const { data, errors } = await graph.query(
      `{ accountGroups(surface: ${surface}) { nodes { id ${GROUP_FIELDS} } }
         accounts(first: 100, surface: ${surface}) { nodes { groups { id ${GROUP_FIELDS} } } } }`,
    );
    expect(errors).toEqual([]);
    const isCurrent = surface === 'CURRENT';
    const expected = harbour(graph).groups.map(({ groupId, name, createdAt, members }) => {
      const listed = members.filter(({ surfaces }) => surfaces[isCurrent ? 'current' : 'legacy']);
      const nodes = listed.map(
        ({ loginId }) => expect.objectContaining({ loginId: String(loginId) }) as unknown,
      );
      return {
        id: expect.any(String) as unknown,
        surface,
        groupId: String(groupId),
        name,
        createdAt: isCurrent ? isoOf(createdAt) : null,
        companyId: isCurrent ? String(harbour(graph).companyId) : null,
        accounts: { totalCount: nodes.length, nodes },
      };
    });
    expect(data.accountGroups.nodes).toEqual(expected);
    for (const group of data.accountGroups.nodes as { id: string }[]) {
      const again = await graph.query(
        `query ($id: ID!) { accountGroup(id: $id) { id ${GROUP_FIELDS} } node(id: $id) { id ... on AccountGroup { ${GROUP_FIELDS} } } }`,
        { variables: { id: group.id } },
      );
      expect(again.data).toEqual({ accountGroup: group, node: group });
    }
    const byId = new Map((data.accountGroups.nodes as { id: string }[]).map((group) => [group.id, group]));
    const ofAccounts = (data.accounts.nodes as { groups: { id: string }[] }[]).flatMap(
      ({ groups }) => groups,
    );
    expect(ofAccounts.length).toBeGreaterThan(5);
    for (const group of ofAccounts) expect(group).toEqual(byId.get(group.id));
  },
);

test('the same account has the same id from list, detail, group and counterpart', async () => {
  const { data } = await graph.query(
    `{ accounts(first: 1) { nodes { id } }
       legacy: accounts(first: 1, surface: LEGACY) { nodes { id counterpart { id } groups { accounts { nodes { id } } } } }
       accountGroups(first: 1) { nodes { accounts(first: 1) { nodes { id } } } } }`,
  );
  const { id } = data.accounts.nodes[0];
  expect(data.legacy.nodes[0].counterpart.id).toBe(id);
  expect(data.accountGroups.nodes[0].accounts.nodes[0].id).toBe(id);
  expect(data.legacy.nodes[0].groups[0].accounts.nodes[0].id).toBe(data.legacy.nodes[0].id);
  expect(data.legacy.nodes[0].id).not.toBe(id);
});

test('ids of a network beyond 2^53 keep all their digits', async () => {
  const { data } = await graph.query(
    '{ accounts(first: 100) { nodes { loginId networkProfileId networkAccountId pageId } } }',
  );
  const big = String(accountNamed(graph, landmarks.bigNetworkId).uniqueId);
  expect(big).toBe('17841401234567891');
  expect(data.accounts.nodes).toContainEqual({
    loginId: String(landmarks.bigNetworkId),
    networkProfileId: big,
    networkAccountId: big,
    pageId: big,
  });
});
