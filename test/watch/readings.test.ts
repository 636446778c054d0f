import { describe, expect, test } from 'vitest';
import { harbour } from '../support/account-records.ts';
import { scrape } from '../support/scrape.ts';
import { ACCOUNTS_CALL, QUEUE_CALL, startWatched, watchHealth, watchQueue } from '../support/watching.ts';
import { account, EXAMPLES, write } from '../support/writes.ts';

describe('the queue of those who watch with one key', () => {
  test('is read once for all of them, and no more when the last has left', async () => {
    const graph = await startWatched();
    const watching = Array.from({ length: 20 }, (_, index) =>
      watchQueue(graph, { over: index % 2 === 0 ? 'socket' : 'sse' }),
    );
    await Promise.all(watching.map((one) => one.received(1)));
    const calls = graph.sandbox.requests.count(QUEUE_CALL);
    // One may be under way.
    expect(calls).toBeLessThanOrEqual((await readingsOf(graph)) + 1);
    harbour(graph).drainQueue(1);
    await Promise.all(watching.map((one) => one.received(2)));
    expect(new Set(watching.map(({ events }) => JSON.stringify(events[1]))).size).toBe(1);
    for (const one of watching) one.leave();
    await expect.poll(() => gauge(graph, 'watched_lists_open')).toBe(0);
    const before = graph.sandbox.requests.count(QUEUE_CALL);
    const other = watchHealth(graph);
    await other.received(1);
    expect(graph.sandbox.requests.count(QUEUE_CALL)).toBe(before);
  });

  test('is read with two calls where it has several pages and its ends are as before', async () => {
    const graph = await startWatched({ environment: { CURRENT_MAX_PAGE_SIZE: '5' } });
    const pages = Math.ceil(harbour(graph).queue.length / 5);
    expect(pages).toBeGreaterThan(2);
    const watching = watchQueue(graph);
    await watching.received(1);
    // The first time twice, to be certain that it held still; then its ends.
    expect(graph.sandbox.requests.count(QUEUE_CALL)).toBeGreaterThanOrEqual(2 * pages);
    await expect.poll(() => readingsOf(graph)).toBeGreaterThanOrEqual(4);
    const calls = graph.sandbox.requests.count(QUEUE_CALL);
    const others = (await readingsOf(graph)) - 1;
    // Every fifth reads all pages, once; one more reading may be under way.
    expect(calls).toBeLessThanOrEqual(2 * pages + 2 * (others + 1) + pages * Math.floor(others / 4));
  });

  test('is read soon after a write through this server, however long the pause has become', async () => {
    const graph = await startWatched({ environment: { WATCH_INTERVAL: '300ms' } });
    const watching = watchQueue(graph);
    await watching.received(1);
    const { postIds } = await write(graph, 'createPost', EXAMPLES.createPost);
    const [, added] = await watching.received(2);
    expect(added).toMatchObject({ kind: 'ADDED', queuedPost: { postId: (postIds as string[])[0] } });
  });

  test('is told anew after it could not be read for a while, and then what has changed', async () => {
    const graph = await startWatched();
    const watching = watchQueue(graph);
    const [snapshot] = await watching.received(1);
    const fault = graph.sandbox.faults.add({
      kind: 'status',
      status: 500,
      endpoint: QUEUE_CALL,
      times: Infinity,
    });
    await expect
      .poll(() => gauge(graph, 'watch_readings_total{list="queue",outcome="failed"}'))
      .toBeGreaterThan(3);
    harbour(graph).drainQueue(1);
    fault.remove();
    const [, resynced, left] = await watching.received(3);
    expect(resynced).toMatchObject({
      kind: 'RESYNCED',
      isFollowedByChanges: true,
      totalCount: snapshot.totalCount - 1,
    });
    expect(Date.parse(resynced.lastSeenAt)).toBeLessThan(Date.parse(resynced.observedAt));
    expect(left).toMatchObject({ kind: 'LEFT' });
  });
});

test('a list that can’t be read at first is told as an error, and so is a key that is not accepted', async () => {
  const graph = await startWatched();
  graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: QUEUE_CALL });
  const watching = watchQueue(graph);
  await watching.ended();
  expect(watching.events).toEqual([null]);
  const stranger = watchHealth(graph, { apiKey: 'of-nobody' });
  await stranger.ended();
  expect(stranger.events).toEqual([null]);
  expect(graph.sandbox.requests.count(ACCOUNTS_CALL)).toBe(1);
});

test('who names accounts is told of their posts alone; a name of something else is refused', async () => {
  const graph = await startWatched();
  const { queue } = harbour(graph);
  const loginId = queue[0]?.account.loginId ?? 0;
  const own = queue.filter((post) => post.account.loginId === loginId);
  const watching = watchQueue(graph, { accountIds: [account(loginId)] });
  const [snapshot] = await watching.received(1);
  expect(snapshot).toMatchObject({ totalCount: own.length });
  harbour(graph).drainQueue(queue.length);
  await watching.received(1 + own.length);
  expect(watching.events.slice(1).map(({ queuedPost }) => queuedPost.account.loginId)).toEqual(
    own.map(() => String(loginId)),
  );
  const wrong = watchQueue(graph, { accountIds: ['nonsense'] });
  expect(await wrong.ended()).toMatchObject({
    how: 'refused',
    errors: [
      { message: expect.stringContaining('filter.accountIds[0]'), extensions: { code: 'BAD_USER_INPUT' } },
    ],
  });
});

test.each([0, 101])(
  'a filter of %i accounts is refused for either list, and nothing is read',
  async (count) => {
    const graph = await startWatched();
    const accountIds = Array.from({ length: count }, (_, index) => account(index + 1));
    for (const watch of [watchQueue, watchHealth])
      expect(await watch(graph, { accountIds }).ended()).toMatchObject({
        how: 'refused',
        errors: [
          {
            message: 'filter.accountIds must contain 1 to 100 IDs.',
            extensions: { code: 'BAD_USER_INPUT' },
          },
        ],
      });
    expect(graph.sandbox.requests.count()).toBe(0);
  },
);

type Graph = Awaited<ReturnType<typeof startWatched>>;

const gauge = async ({ url }: Graph, series: string): Promise<number> => (await scrape(url)).value(series);

async function readingsOf(graph: Graph): Promise<number> {
  const { value } = await scrape(graph.url);
  const counts = ['changed', 'unchanged', 'failed'].map((outcome) =>
    value(`watch_readings_total{list="queue",outcome="${outcome}"}`),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
