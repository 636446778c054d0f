import { describe, expect, test, vi } from 'vitest';
import { wantedBy } from '../../src/schema/watch-event.ts';
import { differingFields, type Facts } from '../../src/watch/facts.ts';
import { changesBetween, observe } from '../../src/watch/observation.ts';
import { watchedQueue } from '../../src/watch/queue.ts';
import { Watches } from '../../src/watch/watches.ts';
import { harbour } from '../support/accounts.ts';
import type { RunningGraph } from '../support/graph.ts';
import { ACCOUNTS_CALL, QUEUE_CALL, startWatched, watchHealth, watchQueue } from '../support/live.ts';
import { scrape } from '../support/http.ts';
import { changingEach, withValue } from '../support/sandbox.ts';
import { account, EXAMPLES, idOf, write } from '../support/writes.ts';

async function readingsOf(graph: RunningGraph): Promise<number> {
  const { value } = await scrape(graph.url);
  const counts = ['changed', 'unchanged', 'failed'].map((outcome) =>
    value(`watch_readings_total{list="queue",outcome="${outcome}"}`),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

test.each(['socket', 'sse'] as const)(
  'over %s, who watches the queue is told what waits there, then of each post that leaves and that comes, sooner after a write here',
  async (over) => {
    const hasten = vi.spyOn(Watches.prototype, 'hasten');
    const graph = await startWatched();
    const owner = graph.sandbox.state.owner('harbour');
    const ids = owner.queue.map(({ postId }) => idOf('QueuedPost', 'current', postId));
    const watching = watchQueue(graph, { over });
    await watching.received(1);
    const [left] = owner.drainQueue(1);
    await watching.received(2);
    expect(hasten).not.toHaveBeenCalled();
    const { postIds } = await write(graph, 'createPost', EXAMPLES.createPost);
    expect(hasten).toHaveBeenCalledTimes(1);
    const [snapshot, departure, arrival] = await watching.received(3);
    const totalCount = ids.length;
    expect(snapshot).toMatchObject({ kind: 'SNAPSHOT', totalCount, queuedPostIds: ids, queuedPost: null });
    expect(departure).toMatchObject({
      kind: 'LEFT',
      totalCount: totalCount - 1,
      queuedPost: { id: ids[0], postId: left?.postId, text: left?.content.description },
    });
    const [postId] = postIds as string[];
    expect(arrival).toMatchObject({ kind: 'ADDED', totalCount, queuedPost: { postId } });
  },
);

test('a post of which something changes is told with the names of what is different, and as it is now', async () => {
  const graph = await startWatched();
  const watching = watchQueue(graph);
  await watching.received(1);
  const [post] = graph.sandbox.state.owner('harbour').queue;
  // The second one shows no id by now, and is not told as gone.
  const values = [{ postDesc: 'Doors at eight.' }, { postId: {} }];
  graph.sandbox.faults.add(changingEach(QUEUE_CALL, (index) => values[index] ?? {}));
  const [, changed] = await watching.received(2);
  expect(changed).toMatchObject({
    kind: 'CHANGED',
    changedFields: ['text'],
    isFollowedByChanges: null,
    totalCount: harbour(graph).queue.length,
    queuedPost: { postId: post?.postId, text: 'Doors at eight.' },
  });
});

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
    await expect.poll(async () => (await scrape(graph.url)).value('watched_lists_open')).toBe(0);
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
});

test('a list that can’t be read at first is told as an error, and so are one that is too long and a key that is not accepted', async () => {
  const graph = await startWatched({ environment: { CURRENT_MAX_PAGE_SIZE: '1' } });
  expect(harbour(graph).queue.length).toBeGreaterThan(20);
  graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: QUEUE_CALL });
  // Only the first is kept from being read.
  for (const over of ['socket', 'sse'] as const) {
    const watching = watchQueue(graph, { over });
    await watching.ended();
    expect(watching.events).toEqual([null]);
  }
  const stranger = watchHealth(graph, { apiKey: 'of-nobody' });
  await stranger.ended();
  expect(stranger.events).toEqual([null]);
  expect(graph.sandbox.requests.count(ACCOUNTS_CALL)).toBe(1);
});

test('a wrong filter is refused for either list, and nothing is read', async () => {
  const graph = await startWatched();
  const tooMany = Array.from({ length: 101 }, (_, index) => account(index + 1));
  const count = 'filter.accountIds must contain 1 to 100 IDs.';
  for (const [accountIds, message] of [
    [[], count],
    [tooMany, count],
    [['nonsense'], expect.stringContaining('filter.accountIds[0]')],
  ] as const)
    for (const watch of [watchQueue, watchHealth])
      expect(await watch(graph, { accountIds }).ended()).toMatchObject({
        how: 'refused',
        errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }],
      });
  expect(graph.sandbox.requests.count()).toBe(0);
});

// What is a change of a post.

const POST = {
  postId: 'p1',
  postDesc: 'Doors at seven.',
  postVideo: 'https://media.example/v.mp4?signature=1',
  tagIds: [11, 12],
  extraData: {
    place: { id: 7, name: 'Harbour' },
    fbAudianceTargeting: {
      minAge: 18,
      gender: [1, 2],
      limitAudiance: { geo: { country: 'FI', city: 'Turku' }, strict: true },
    },
    mention: {
      one: { id: 1, name: 'Ann', avatar: 'https://media.example/a.png' },
      two: { id: 2, name: 'Bo', avatar: '//media.example/b.png' },
    },
  },
};

function itemOf(wire: unknown) {
  const item = watchedQueue.unpack(wire, () => undefined);
  if (item === null) throw new Error('the post has no id');
  return item;
}

const factsIn = (wire: unknown): Facts => itemOf(wire).facts;

const MENTION = POST.extraData.mention;

test.each([
  ['an undocumented field', 'shiny', true],
  ['an undocumented field of a place', 'extraData.place.rating', 4],
  ['an undocumented field of a mention', 'extraData.mention.one.verified', 'Y'],
  ['an id as text', 'extraData.place.id', '7'],
  ['an age as text', 'extraData.fbAudianceTargeting.minAge', '18'],
  ['ids as text', 'tagIds', ['11', '12']],
  ['codes as text', 'extraData.fbAudianceTargeting.gender', ['1', '2']],
  ['fields in another order', 'extraData.place', { name: 'Harbour', id: 7 }],
  ['mentions in another order', 'extraData.mention', { two: MENTION.two, one: MENTION.one }],
  [
    'undocumented data in another order',
    'extraData.fbAudianceTargeting.limitAudiance',
    { strict: true, geo: { city: 'Turku', country: 'FI' } },
  ],
  ['another signature', 'postVideo', 'https://media.example/v.mp4?signature=2'],
  ['an empty title', 'postTitle', ''],
  ['a damaged place', 'extraData.place', 'Harbour'],
  ['a damaged name of a place', 'extraData.place.name', { en: 'Harbour' }],
])('%s is no change of a post', (_what, path, value) => {
  const before = factsIn(POST);
  const after = factsIn(withValue(POST, path, value));
  expect([...differingFields(before, after), ...differingFields(after, before)]).toEqual([]);
});

test.each([
  ['place', 'extraData.place.name', 'Market'],
  ['place', 'extraData.place', null],
  ['facebookAudience', 'extraData.fbAudianceTargeting.limitAudiance.geo.city', 'Oulu'],
  ['facebookAudience', 'extraData.fbAudianceTargeting.gender', [2, 1]],
  ['mentions', 'extraData.mention', { one: MENTION.one }],
  ['mentions', 'extraData.mention.three', { id: 3 }],
  // The address of its picture is damaged, before and after.
  ['mentions', 'extraData.mention.two.name', 'Bob'],
  ['tagIds', 'tagIds', ['12', '11']],
])('a change of %s is seen: %s', (field, path, value) => {
  expect(differingFields(factsIn(POST), factsIn(withValue(POST, path, value)))).toEqual([field]);
});

test('a post stays with those who watch its account while that cannot be read, and is told as gone to them', () => {
  const isWanted = wantedBy({ accountIds: [account(5)] });
  const read = (loginId: unknown) => ({ items: [itemOf({ ...POST, loginId })], unreadable: [] });
  const seen = observe(null, read(5), 1);
  const blind = observe(seen, read({ odd: true }), 2);
  const gone = observe(blind, { items: [], unreadable: [] }, 3);
  expect([...blind.items.values()].filter(isWanted)).toHaveLength(1);
  const [left] = changesBetween(blind, gone);
  expect(left?.kind === 'LEFT' && isWanted(left.before)).toBe(true);
});
