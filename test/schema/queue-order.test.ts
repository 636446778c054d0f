import { describe, expect, test } from 'vitest';
import { harbour } from '../support/account-records.ts';
import { errorsOf } from '../support/answers.ts';
import { callsOf } from '../support/calls.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changingEach } from '../support/wire-changes.ts';
import { account } from '../support/writes.ts';

const graph = shareGraph();
/** Its queue has more than twenty pages. */
const large = shareGraph({ sandbox: { data: 'large', quirks: { maxLimit: 49 } } });
const QUEUE = 'GET /posts/queued';

/** Hours of the posts by their place in the queue; null for a time that cannot be read. All others are at noon. */
const HOURS: readonly (number | null)[] = [15, null, 9, 15, 9, null, 18];

const shuffled = () =>
  changingEach(QUEUE, (index) => {
    const hour = HOURS[index] === undefined ? 12 : HOURS[index];
    const label = hour === null ? 'some day' : `2031-05-20 ${String(hour).padStart(2, '0')}:00`;
    return { formatedPostDate: label, postDate: label, postDateFormat: '', postTimeFormat: '' };
  });

const LIST = `query ($orderBy: [QueuedPostOrder!], $filter: QueuedPostFilter, $first: Int, $last: Int, $after: String) {
  queuedPosts(orderBy: $orderBy, filter: $filter, first: $first, last: $last, after: $after) {
    totalCount nodes { postId } pageInfo { endCursor hasNextPage } } }`;
const BY_TIME = { field: 'SCHEDULED_AT' };
const DOWN = { field: 'SCHEDULED_AT', direction: 'DESC' };

const postIds = (): string[] => harbour(graph).queue.map(({ postId }) => postId);

async function placesIn(variables: Readonly<Record<string, unknown>>): Promise<number[]> {
  const { data, errors } = await graph.query(LIST, { variables: { first: 100, ...variables } });
  expect(errors).toEqual([]);
  return (data.queuedPosts.nodes as { postId: string }[]).map(({ postId }) => postIds().indexOf(postId));
}

const noon = (): number[] => postIds().flatMap((_, index) => (index < HOURS.length ? [] : [index]));

describe('the queue by time', () => {
  test('is in that order, with equal times in queue order and unreadable ones last in both directions', async () => {
    graph.sandbox.faults.add(shuffled());
    const ascending = [2, 4, ...noon(), 0, 3, 6, 1, 5];
    const descending = [6, 0, 3, ...noon(), 2, 4, 1, 5];
    expect(await placesIn({ orderBy: [BY_TIME] })).toEqual(ascending);
    expect(await placesIn({ orderBy: [{ ...BY_TIME, direction: null }] })).toEqual(ascending);
    expect(await placesIn({ orderBy: [DOWN] })).toEqual(descending);
    expect(await placesIn({ orderBy: [DOWN, BY_TIME] })).toEqual(descending);
    expect(await placesIn({ orderBy: [DOWN], first: null, last: 3 })).toEqual(descending.slice(-3));
    for (const orderBy of [null, []]) expect(await placesIn({ orderBy })).toEqual(postIds().map((_, i) => i));
  });

  test('is read once for all fields of an operation', async () => {
    const query =
      '{ a: queuedPosts(first: 2, orderBy: { field: SCHEDULED_AT }) { totalCount } b: queuedPosts(last: 2, orderBy: { field: SCHEDULED_AT, direction: DESC }) { totalCount } }';
    expect((await graph.query(query)).errors).toEqual([]);
    expect(callsOf(graph)).toEqual({ [QUEUE]: 1 });
  });

  test('is paged by cursors, which no other order takes', async () => {
    graph.sandbox.faults.add(shuffled());
    const walked: number[] = [];
    let after: string | null = null;
    do {
      const { data, errors } = await graph.query(LIST, { variables: { orderBy: [DOWN], first: 9, after } });
      expect(errors).toEqual([]);
      const { nodes, pageInfo } = data.queuedPosts;
      walked.push(...(nodes as { postId: string }[]).map(({ postId }) => postIds().indexOf(postId)));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
      for (const orderBy of [[BY_TIME], [], null]) {
        const variables = { orderBy, after: pageInfo.endCursor };
        expect(errorsOf(await graph.query(LIST, { variables }))).toEqual(['queuedPosts INVALID_CURSOR']);
      }
    } while (after !== null);
    expect(walked).toEqual(await placesIn({ orderBy: [DOWN] }));
  });

  test('may be filtered, and is that of an account or a group as well', async () => {
    graph.sandbox.faults.add(shuffled());
    const own = (loginIds: readonly number[]) => (place: number) =>
      loginIds.includes(harbour(graph).queue[place]?.account.loginId ?? 0);
    const all = await placesIn({ orderBy: [DOWN] });
    const filter = { accountIds: [account()] };
    const ofAccount = all.filter(own([410_201]));
    expect(ofAccount.length).toBeGreaterThan(1);
    expect(await placesIn({ orderBy: [DOWN], filter })).toEqual(ofAccount);
    const { data, errors } = await graph.query(
      `query ($id: ID!, $orderBy: [QueuedPostOrder!]) {
        account(id: $id) { queuedPosts(orderBy: $orderBy) { nodes { postId } } }
        accountGroups(first: 1) { nodes { accounts { nodes { loginId } } queuedPosts(orderBy: $orderBy) { nodes { postId } } } } }`,
      { variables: { id: account(), orderBy: [DOWN] } },
    );
    expect(errors).toEqual([]);
    const placesOf = ({ nodes }: { nodes: { postId: string }[] }) =>
      nodes.map(({ postId }) => postIds().indexOf(postId));
    expect(placesOf(data.account.queuedPosts)).toEqual(ofAccount);
    const [group] = data.accountGroups.nodes;
    const members = (group.accounts.nodes as { loginId: string }[]).map(({ loginId }) => Number(loginId));
    expect(placesOf(group.queuedPosts)).toEqual(all.filter(own(members)).slice(0, 20));
  });

  test('is not sorted in part: a queue beyond the scan bound, or that fails, is an error', async () => {
    const long = await large.query(LIST, { variables: { orderBy: [BY_TIME] } });
    expect(errorsOf(long)).toEqual(['queuedPosts SCAN_LIMIT_REACHED']);
    graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: QUEUE });
    const failed = await graph.query(LIST, { variables: { orderBy: [BY_TIME] } });
    expect(errorsOf(failed)).toEqual(['queuedPosts SURFACE_UNAVAILABLE']);
  });
});
