import { beforeAll, describe, expect, test } from 'vitest';
import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import type { Post } from '../../packages/sandbox/src/data/model.ts';
import { harbour, networkOf } from '../support/account-records.ts';
import { errorsOf, onlyError } from '../support/answers.ts';
import { callsOf } from '../support/calls.ts';
import { eachCase } from '../support/each-case.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changingEach, changingRecord } from '../support/wire-changes.ts';
import { account, legacyAccount } from '../support/writes.ts';

// What the service can't narrow its queue by, and the graph does.

const graph = shareGraph();

const LIST = `query ($filter: QueuedPostFilter, $first: Int, $after: String) {
  queuedPosts(filter: $filter, first: $first, after: $after) {
    totalCount nodes { postId } pageInfo { endCursor hasNextPage } } }`;

type Filter = Readonly<Record<string, unknown>>;

async function idsWith(filter: Filter, running: RunningGraph = graph): Promise<string[]> {
  const { data, errors } = await running.query(LIST, { variables: { filter, first: 100 } });
  expect(errors).toEqual([]);
  const nodes = data.queuedPosts.nodes as { postId: string }[];
  expect(data.queuedPosts.totalCount).toBe(nodes.length);
  return nodes.map(({ postId }) => postId);
}

const localOf = ({ dueAt }: Post): string => new Date(dueAt).toISOString().slice(0, 16);
let due: string[] = [];
beforeAll(() => {
  due = harbour(graph).queue.map(localOf);
});

/** The ids of the posts of the sandbox that are as told. */
function idsOf(isWanted: (post: Post, index: number) => boolean): string[] {
  const ids = harbour(graph)
    .queue.filter(isWanted)
    .map(({ postId }) => postId);
  expect(ids.length, 'some posts are wanted').toBeGreaterThan(0);
  expect(ids.length, 'and others are not').toBeLessThan(harbour(graph).queue.length);
  return ids;
}

const isOf =
  (...ids: number[]) =>
  (post: Post) =>
    ids.includes(post.account.loginId);

test('each part of a filter lists the posts that it applies to, in the order of the queue, and no others', async () => {
  const { plainId, pausedId } = landmarks;
  await eachCase<readonly [Filter, string[]]>(
    [
      [{ accountIds: [account()] }, idsOf(isOf(plainId))],
      [{ accountIds: [account(pausedId), account()] }, idsOf(isOf(plainId, pausedId))],
      [{ accountIds: [account(), account(999_999)] }, idsOf(isOf(plainId))],
      [{ networks: ['X', 'TIKTOK'] }, idsOf((post) => ['X', 'TIKTOK'].includes(networkOf(post.account)))],
      [{ networks: ['UNKNOWN'] }, idsOf((post) => networkOf(post.account) === 'UNKNOWN')],
      [{ text: 'OFFICE' }, idsOf(({ content }) => content.title.startsWith('Office'))],
      [{ text: 'cold SWIMMERS' }, idsOf(({ content }) => content.title === 'Harbour swim')],
      [{ scheduledFromLocal: due[20] }, idsOf((_, index) => index >= 20)],
      [{ scheduledUntilLocal: due[20] }, idsOf((_, index) => index < 20)],
      [{ scheduledFromLocal: due[3], scheduledUntilLocal: due[4] }, idsOf((_, index) => index === 3)],
      [{ title: 'of the month', accountIds: [account()] }, idsOf((_, index) => index === 24)],
      [
        { accountIds: [account()], networks: ['FACEBOOK'], text: 'e', scheduledFromLocal: due[1] },
        idsOf((post, index) => isOf(plainId)(post) && index > 0),
      ],
    ],
    async ([filter, ids]) => {
      expect(await idsWith(filter)).toEqual(ids);
    },
  );
});

test('parts that exclude each other, and accounts without posts, list nothing', async () => {
  expect(await idsWith({ accountIds: [account()], networks: ['X'] })).toEqual([]);
  expect(await idsWith({ accountIds: [account(999)] })).toEqual([]);
});

test('null and an empty text narrow nothing, and leave the paging to the service', async () => {
  const nothing = {
    accountIds: null,
    networks: null,
    text: '',
    scheduledFromLocal: null,
    scheduledUntil: null,
  };
  expect(await idsWith(nothing)).toHaveLength(25);
  expect(graph.sandbox.requests.all[0]?.query).toContainEqual(['limit', '100']);
  expect(callsOf(graph)).toEqual({ 'GET /posts/queued': 1 });
});

test('a title is the service’s to search, and the rest is applied to what it finds', async () => {
  await idsWith({ title: 'the', accountIds: [account()] });
  expect(graph.sandbox.requests.all[0]?.query).toContainEqual(['q', 'the']);
});

test.each<[filter: Filter, argument: string]>([
  [{ accountIds: [] }, 'filter.accountIds'],
  [{ networks: [] }, 'filter.networks'],
  [{ accountIds: [account(), legacyAccount()] }, 'filter.accountIds[1]'],
  [{ accountIds: ['410201'] }, 'filter.accountIds[0]'],
  [{ scheduledFromLocal: '2026-02-30T09:00' }, 'filter.scheduledFromLocal'],
  [{ scheduledFrom: '2026-11-20T09:00:00Z' }, 'SERVICE_TIME_ZONE'],
  [
    { scheduledUntil: '2026-11-20T09:00:00Z', scheduledUntilLocal: '2026-11-20T09:00' },
    'filter.scheduledUntil',
  ],
])('the filter %j is refused by the name of %s, and nothing is sent', async (filter, argument) => {
  const answer = await graph.query(LIST, { variables: { filter } });
  expect(errorsOf(answer)).toEqual(['queuedPosts BAD_USER_INPUT']);
  expect(onlyError(answer).message).toContain(argument);
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('a narrowed list is paged by cursors, which are of this filter alone', async () => {
  const filter = { accountIds: [account()] };
  const wanted = idsOf(isOf(landmarks.plainId));
  const walked: string[] = [];
  let after: string | null = null;
  do {
    const { data, errors } = await graph.query(LIST, { variables: { filter, first: 1, after } });
    expect(errors).toEqual([]);
    walked.push(data.queuedPosts.nodes[0].postId);
    const { hasNextPage, endCursor } = data.queuedPosts.pageInfo;
    after = hasNextPage ? endCursor : null;
    if (walked.length === 1) {
      const other = await graph.query(LIST, { variables: { filter: { text: 'e' }, after: endCursor } });
      expect(errorsOf(other)).toEqual(['queuedPosts INVALID_CURSOR']);
    }
  } while (after !== null);
  expect(walked).toEqual(wanted);
});

describe('a post of which what decides can’t be read', () => {
  const QUEUE = 'GET /posts/queued';
  const unreadable: readonly (readonly [string, string, unknown, Filter])[] = [
    ['account', 'loginId', {}, { accountIds: [account()] }],
    ['account that is not told', 'loginId', null, { accountIds: [account()] }],
    ['network', 'scenario', {}, { networks: ['X'] }],
    ['title', 'postTitle', {}, { text: 'nowhere' }],
  ];

  test.each(unreadable)('fails the list, by its %s, and is not left out', async (_, wire, value, filter) => {
    graph.sandbox.faults.add(changingRecord(QUEUE, wire, value, 7));
    const answer = await graph.query(LIST, { variables: { filter } });
    expect(errorsOf(answer)).toEqual(['queuedPosts UPSTREAM_MALFORMED']);
    expect(answer.data.queuedPosts).toBeNull();
  });

  test('fails no list that something else decides', async () => {
    graph.sandbox.faults.add(changingRecord(QUEUE, 'postTitle', {}, 7));
    expect(await idsWith({ accountIds: [account()] })).toEqual(idsOf(isOf(landmarks.plainId)));
  });

  test('fails a list of a time where its time is shown and unreadable, and has none where none is shown', async () => {
    const showing = (text: string) =>
      changingEach(QUEUE, (index) =>
        index === 7
          ? { formatedPostDate: text, postDate: text, postDateFormat: text, postTimeFormat: text }
          : {},
      );
    graph.sandbox.faults.add(showing('03/04/2026 09:30'));
    const filter = { scheduledFromLocal: due[0] };
    const answer = await graph.query(LIST, { variables: { filter } });
    expect(errorsOf(answer)).toEqual(['queuedPosts UPSTREAM_MALFORMED']);
    graph.sandbox.faults.clear();
    graph.sandbox.faults.add(showing(''));
    expect(await idsWith(filter)).toEqual(idsOf((_, index) => index !== 7));
  });
});

test('with the zone of the service’s clock, instants are compared to the minute', async () => {
  const berlin = await startGraph({
    environment: { SERVICE_TIME_ZONE: 'Europe/Berlin' },
    sandbox: { now: () => Date.parse('2026-11-20T08:00:00Z') },
  });
  const ids = harbour(berlin).queue.map(({ postId }) => postId);
  // The sandbox's clock shows 11:05 for the first post, which is 10:05 of UTC in the zone.
  expect(due[0]).toBe('2026-11-20T11:05');
  expect(await idsWith({ scheduledFrom: '2026-11-20T10:05:00Z' }, berlin)).toEqual(ids);
  expect(await idsWith({ scheduledFrom: '2026-11-20T10:05:01Z' }, berlin)).toEqual(ids.slice(1));
  expect(await idsWith({ scheduledUntil: '2026-11-20T11:05:00+01:00' }, berlin)).toEqual([]);
  expect(await idsWith({ scheduledUntil: '2026-11-20T10:05:30Z' }, berlin)).toEqual(ids.slice(0, 1));
});

describe('a queue of several pages', () => {
  const large = shareGraph({ sandbox: { data: 'large' } });

  test('is read as it stood at one time, once for all filters of an operation', async () => {
    const { data, errors } = await large.query(
      `{ a: queuedPosts(filter: { networks: [X] }) { totalCount }
         b: queuedPosts(filter: { text: "espresso" }, last: 5) { totalCount nodes { text } } }`,
    );
    expect(errors).toEqual([]);
    const { queue } = harbour(large);
    expect(data.a.totalCount).toBe(queue.filter((post) => networkOf(post.account) === 'X').length);
    const wanted = queue.filter(({ content }) =>
      /espresso/i.test(`${content.title}\n${content.description}`),
    );
    expect(data.b.totalCount).toBe(wanted.length);
    expect(data.b.nodes).toEqual(wanted.slice(-5).map(({ content }) => ({ text: content.description })));
    expect(callsOf(large)).toEqual({ 'GET /posts/queued': 20 });
  });

  test('of more than twenty is SCAN_LIMIT_REACHED, and no part of it is shown', async () => {
    const own = await startGraph({ sandbox: { data: 'large', quirks: { maxLimit: 49 } } });
    const answer = await own.query(LIST, { variables: { filter: { networks: ['X'] } } });
    expect(errorsOf(answer)).toEqual(['queuedPosts SCAN_LIMIT_REACHED']);
    expect(onlyError(answer).message).toContain('more than 20 pages');
    expect(answer.data.queuedPosts).toBeNull();
    expect(callsOf(own)).toEqual({ 'GET /posts/queued': 20 });
  });
});
