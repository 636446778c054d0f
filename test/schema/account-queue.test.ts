import { describe, expect, test } from 'vitest';
import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import { currentAccounts, harbour } from '../support/account-records.ts';
import { errorsOf } from '../support/answers.ts';
import { callsOf } from '../support/calls.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changingRecord, MISSING } from '../support/wire-changes.ts';
import { account, idOf, legacyAccount, legacyGroup } from '../support/writes.ts';

// The queue from the other end: the posts of an account, and of the accounts of a group.

const graph = shareGraph();

const textsOf = (...loginIds: number[]): string[] =>
  harbour(graph)
    .queue.filter((post) => loginIds.includes(post.account.loginId))
    .map(({ content }) => content.description);

interface Listed {
  readonly totalCount: number;
  readonly nodes: readonly { readonly text: string }[];
}
const shown = ({ nodes }: Listed): string[] => nodes.map(({ text }) => text);

/** Asks for the posts of the plain account. */
const queue = (args: string): string =>
  `{ account(id: "${account()}") { queuedPosts(${args}) { totalCount nodes { text } pageInfo { endCursor } } } }`;

describe('the queue of an account', () => {
  test('is its posts in the order of the queue, and one reading of it serves all accounts of an operation', async () => {
    const { data, errors } = await graph.query(
      `{ accounts(first: 50) { nodes { loginId queuedPosts(first: 50) { totalCount nodes { text } } } }
         account(id: "${account()}") { queuedPosts(last: 2) { nodes { text } } } }`,
    );
    expect(errors).toEqual([]);
    const nodes = data.accounts.nodes as { loginId: string; queuedPosts: Listed }[];
    expect(nodes).toHaveLength(currentAccounts(graph).length);
    for (const { loginId, queuedPosts } of nodes) {
      expect(shown(queuedPosts)).toEqual(textsOf(Number(loginId)));
      expect(queuedPosts.totalCount).toBe(queuedPosts.nodes.length);
    }
    expect(shown(data.account.queuedPosts)).toEqual(textsOf(landmarks.plainId).slice(-2));
    expect(callsOf(graph)).toEqual({
      'GET /accounts/list': 1,
      'GET /accounts/view/{loginId}': 1,
      'GET /posts/queued': 1,
    });
  });

  test('can be narrowed further, and goes on from a cursor of its own', async () => {
    const [first = '', ...rest] = textsOf(landmarks.plainId);
    const page = await graph.query(queue('first: 1'));
    expect(shown(page.data.account.queuedPosts)).toEqual([first]);
    const { endCursor } = page.data.account.queuedPosts.pageInfo;
    const next = await graph.query(queue(`after: "${endCursor}"`));
    expect(shown(next.data.account.queuedPosts)).toEqual(rest);
    const swim = await graph.query(queue('filter: { text: "swimmers" }'));
    expect(shown(swim.data.account.queuedPosts)).toEqual(rest.filter((text) => text.includes('swimmers')));
    const others = await graph.query(queue(`filter: { accountIds: ["${account(landmarks.pausedId)}"] }`));
    expect(others.data.account.queuedPosts.totalCount).toBe(0);
    const foreign = await graph.query(
      `{ account(id: "${account(landmarks.pausedId)}") { queuedPosts(after: "${endCursor}") { totalCount } } }`,
    );
    expect(errorsOf(foreign)).toEqual(['account.queuedPosts INVALID_CURSOR']);
  });

  test('is null on the legacy surface, which shows no queue, and is there on the counterpart', async () => {
    const { data, errors } = await graph.query(
      `{ account(id: "${legacyAccount()}") { queuedPosts { totalCount }
           counterpart { queuedPosts { totalCount } } } }`,
    );
    expect(errors).toEqual([]);
    expect(data.account).toEqual({
      queuedPosts: null,
      counterpart: { queuedPosts: { totalCount: textsOf(landmarks.plainId).length } },
    });
  });

  test('fails where a post of the queue does not tell its account', async () => {
    graph.sandbox.faults.add(changingRecord('GET /posts/queued', 'loginId', {}, 3));
    const answer = await graph.query(
      `{ account(id: "${account()}") { loginId queuedPosts { totalCount } } }`,
    );
    expect(errorsOf(answer)).toEqual(['account.queuedPosts UPSTREAM_MALFORMED']);
    expect(answer.data.account.loginId).toBe(String(landmarks.plainId));
  });
});

describe('the queue of a group', () => {
  test('is that of its members, in the order of the queue', async () => {
    const { data, errors } = await graph.query(
      '{ accountGroups(first: 10) { nodes { groupId queuedPosts(first: 50) { totalCount nodes { text } } } } }',
    );
    expect(errors).toEqual([]);
    const groups = data.accountGroups.nodes as { groupId: string; queuedPosts: Listed }[];
    for (const { groupId, queuedPosts } of groups) {
      const group = harbour(graph).groups.find((one) => String(one.groupId) === groupId);
      const members = (group?.members ?? []).filter(({ surfaces }) => surfaces.current);
      expect(shown(queuedPosts)).toEqual(textsOf(...members.map(({ loginId }) => loginId)));
    }
    expect(groups.map(({ queuedPosts }) => queuedPosts.totalCount)).toEqual([10, 4, 6, 0]);
    expect(callsOf(graph)).toEqual({ 'GET /group/list': 1, 'GET /posts/queued': 1 });
  });

  test('is found from an account that names its group, with one search for the groups', async () => {
    const { data, errors } = await graph.query(
      `{ account(id: "${account()}") { groups { queuedPosts(first: 1) { totalCount } } } }`,
    );
    expect(errors).toEqual([]);
    expect(data.account.groups).toEqual([{ queuedPosts: { totalCount: 10 } }]);
    expect(callsOf(graph)['GET /group/list']).toBe(1);
  });

  test('is null on the legacy surface', async () => {
    const { data, errors } = await graph.query(
      `{ accountGroup(id: "${legacyGroup(5_103)}") { groupId queuedPosts { totalCount } } }`,
    );
    expect(errors).toEqual([]);
    expect(data.accountGroup).toEqual({ groupId: '5103', queuedPosts: null });
  });

  test('fails where a member shows no id, and no other group does', async () => {
    graph.sandbox.faults.add(changingRecord('GET /group/list', 'accounts.0.loginId', MISSING));
    const answer = await graph.query(
      '{ accountGroups(first: 10) { nodes { groupId queuedPosts(first: 50) { totalCount } } } }',
    );
    expect(errorsOf(answer)).toEqual(['accountGroups.nodes.0.queuedPosts UPSTREAM_MALFORMED']);
    const groups = answer.data.accountGroups.nodes as { queuedPosts: Listed | null }[];
    expect(groups.map(({ queuedPosts }) => queuedPosts?.totalCount)).toEqual([undefined, 4, 6, 0]);
  });

  test('is null where the list of groups does not hold the group that an account names', async () => {
    graph.sandbox.faults.add(changingRecord('GET /group/list', 'groupId', 999));
    const { data, errors } = await graph.query(
      `{ account(id: "${account()}") { groups { groupId queuedPosts { totalCount } } } }`,
    );
    expect(errors).toEqual([]);
    expect(data.account.groups).toEqual([{ groupId: '5101', queuedPosts: null }]);
  });

  test('can be narrowed to one of its members, and not to another account', async () => {
    const id = idOf('AccountGroup', 'current', 5_101);
    const countOf = async (loginId: number): Promise<number> => {
      const filter = `filter: { accountIds: ["${account(loginId)}"] }`;
      const { data } = await graph.query(
        `{ accountGroup(id: "${id}") { queuedPosts(${filter}) { totalCount } } }`,
      );
      return data.accountGroup.queuedPosts.totalCount as number;
    };
    expect(await countOf(landmarks.plainId)).toBe(textsOf(landmarks.plainId).length);
    expect(await countOf(landmarks.pausedId)).toBe(0);
  });
});
