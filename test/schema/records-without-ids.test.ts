import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import { errorsOf } from '../support/answers.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changingEach, withValue } from '../support/wire-changes.ts';
import { NO_IDS } from '../support/wrong-values.ts';

const graph = shareGraph();

/** The records of `list`, of which the first seven have ids that can't be read. */
const LISTS: readonly (readonly [EndpointName, wire: string, list: string])[] = [
  ['GET /accounts/list', 'loginId', 'accounts(first: 10)'],
  ['GET /oauth/accounts', 'id', 'accounts(first: 10, surface: LEGACY)'],
  ['GET /posts/queued', 'postId', 'queuedPosts(first: 10)'],
  ['GET /library/list', 'id', 'libraryItems(first: 10)'],
  ['GET /openai/historyList', 'contentId', 'aiGenerations(first: 10)'],
];

test.each(LISTS)(
  'a record of %s whose %s can’t be read is null in its place, and its neighbours stand',
  async (...row) => {
    const [endpoint, wire, list] = row;
    const query = `{ list: ${list} { totalCount nodes { id } edges { node { id } } } }`;
    const whole = (await graph.query(query)).data.list as Connection;
    graph.sandbox.faults.add(
      changingEach(endpoint, (index) => (index < NO_IDS.length ? { [wire]: NO_IDS[index] } : {})),
    );
    const answer = await graph.query(query);
    const places = NO_IDS.flatMap((_, index) => [`list.edges.${index}.node`, `list.nodes.${index}`]);
    expect(errorsOf(answer)).toEqual(places.map((place) => `${place} UPSTREAM_MALFORMED`).toSorted());
    expect(answer.data.list.totalCount).toBe(whole.totalCount);
    expect(answer.data.list.nodes).toEqual(nullsThen(whole.nodes));
    expect(answer.data.list.edges.map(({ node }: { node: unknown }) => node)).toEqual(nullsThen(whole.nodes));
  },
);

interface Connection {
  readonly totalCount: number;
  readonly nodes: readonly unknown[];
}

const nullsThen = (nodes: readonly unknown[]): unknown[] =>
  nodes.map((node, index) => (index < NO_IDS.length ? null : node));

// The sandbox has four groups.
const GROUPS: readonly (readonly [EndpointName, wire: string, surface: string])[] = [
  ['GET /group/list', 'groupId', 'CURRENT'],
  ['GET /oauth/groups', 'id', 'LEGACY'],
];

test.each(GROUPS)(
  'a group of %s whose %s can’t be read is null in its place, and the others stand',
  async (...row) => {
    const [endpoint, wire, surface] = row;
    const query = `{ accountGroups(first: 4, surface: ${surface}) { totalCount nodes { id } } }`;
    const whole = (await graph.query(query)).data.accountGroups as Connection;
    for (const ids of [NO_IDS.slice(0, 3), NO_IDS.slice(3, 6), NO_IDS.slice(6)]) {
      graph.sandbox.faults.clear();
      graph.sandbox.faults.add(
        changingEach(endpoint, (index) => (index < ids.length ? { [wire]: ids[index] } : {})),
      );
      const answer = await graph.query(query);
      expect(errorsOf(answer)).toEqual(
        ids.map((_, index) => `accountGroups.nodes.${index} UPSTREAM_MALFORMED`),
      );
      expect(answer.data.accountGroups).toEqual({
        totalCount: whole.totalCount,
        nodes: whole.nodes.map((node, index) => (index < ids.length ? null : node)),
      });
    }
  },
);

const MEMBERS = [
  ['GET /group/list', 'loginId', 'CURRENT'],
  ['GET /oauth/groups', 'id', 'LEGACY'],
] as const;

test.each(MEMBERS)(
  'a member of a group of %s whose %s can’t be read is null in its place',
  async (...row) => {
    const [endpoint, wire, surface] = row;
    graph.sandbox.faults.add({
      kind: 'rewrite',
      endpoint,
      change: (answer) =>
        inFirstGroup(answer, (accounts) => [
          ...NO_IDS.map((value) => withValue(accounts[0], wire, value)),
          accounts[1],
        ]),
    });
    const answer = await graph.query(
      `{ accountGroups(first: 1, surface: ${surface}) { nodes { accounts { totalCount nodes { displayName } edges { cursor } } } } }`,
    );
    expect(errorsOf(answer)).toEqual(
      NO_IDS.map((_, index) => `accountGroups.nodes.0.accounts.nodes.${index} UPSTREAM_MALFORMED`),
    );
    const { totalCount, nodes, edges } = answer.data.accountGroups.nodes[0].accounts;
    expect([totalCount, edges.length]).toEqual([NO_IDS.length + 1, NO_IDS.length + 1]);
    expect(nodes).toEqual([...NO_IDS.map(() => null), { displayName: 'kelpgate.roasters' }]);
  },
);

/** Replaces the members of the first group of either surface. */
function inFirstGroup(answer: unknown, change: (accounts: readonly unknown[]) => unknown): unknown {
  const path = Array.isArray(answer) ? '0.accounts' : 'response.list.0.accounts';
  const groups = Array.isArray(answer)
    ? (answer as Groups)
    : (answer as { readonly response: { readonly list: Groups } }).response.list;
  return withValue(answer, path, change(groups[0]?.accounts ?? []));
}

type Groups = readonly { readonly accounts: readonly unknown[] }[];

test.each(['CURRENT', 'LEGACY'] as const)(
  'a group of the %s surface whose accounts are no list loses them, and its neighbour nothing',
  async (surface) => {
    const endpoint = surface === 'CURRENT' ? 'GET /group/list' : 'GET /oauth/groups';
    for (const accounts of [0, 'Y', {}, 1e21, true, 'long '.repeat(2_000)]) {
      graph.sandbox.faults.clear();
      graph.sandbox.faults.add(changingEach(endpoint, (index) => (index === 0 ? { accounts } : {})));
      const answer = await graph.query(
        `{ accountGroups(first: 2, surface: ${surface}) { nodes { name accounts { totalCount } } } }`,
      );
      expect(errorsOf(answer), inspect(accounts)).toEqual([
        'accountGroups.nodes.0.accounts UPSTREAM_MALFORMED',
      ]);
      expect(answer.data.accountGroups.nodes).toEqual([
        { name: 'Shopfront', accounts: null },
        { name: 'Wholesale', accounts: { totalCount: surface === 'CURRENT' ? 2 : 3 } },
      ]);
    }
  },
);

test('a queued post whose account has no id that can be read has no account, and stands', async () => {
  graph.sandbox.faults.add(
    changingEach('GET /posts/queued', (index) => (index < NO_IDS.length ? { loginId: NO_IDS[index] } : {})),
  );
  const answer = await graph.query('{ queuedPosts(first: 8) { nodes { postId account { loginId } } } }');
  expect(errorsOf(answer)).toEqual(
    NO_IDS.map((_, index) => `queuedPosts.nodes.${index}.account UPSTREAM_MALFORMED`),
  );
  const { queue } = graph.sandbox.state.owner('harbour');
  expect(answer.data.queuedPosts.nodes).toEqual(
    queue.slice(0, 8).map(({ postId, account }, index) => ({
      postId,
      account: index < NO_IDS.length ? null : { loginId: String(account.loginId) },
    })),
  );
});

test.each([
  ['GET /oauth/accounts', 'accounts(first: 6, surface: LEGACY)'],
  ['GET /posts/queued', 'queuedPosts(first: 6)'],
] as const)('an entry of %s that is no record is null in its place, and the others stand', async (...row) => {
  const [endpoint, list] = row;
  const junk = [null, 7, 'x', [], {}];
  graph.sandbox.faults.add({
    kind: 'rewrite',
    endpoint,
    change: (answer) =>
      junk.reduce<unknown>(
        (whole, value, index) =>
          withValue(whole, Array.isArray(whole) ? String(index) : `response.list.${index}`, value),
        answer,
      ),
  });
  const answer = await graph.query(`{ list: ${list} { totalCount nodes { id } } }`);
  expect(errorsOf(answer)).toEqual(junk.map((_, index) => `list.nodes.${index} UPSTREAM_MALFORMED`));
  const { nodes } = answer.data.list as { readonly nodes: readonly unknown[] };
  expect(nodes.map((node) => node === null)).toEqual([true, true, true, true, true, false]);
});
