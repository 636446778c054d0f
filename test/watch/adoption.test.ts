import { expect, onTestFinished, test } from 'vitest';
import { createPollLeader } from '../../src/live/poll-leader.ts';
import type { QueuedPostRecord } from '../../src/records/queued-post.ts';
import type { WatchEvent } from '../../src/watch/events.ts';
import { createObserver } from '../../src/watch/observer.ts';
import { watchedQueue } from '../../src/watch/queue.ts';
import type { SharedObservation } from '../../src/watch/sharing.ts';
import { movingQueue, type MovingPost, type MovingQueue } from '../support/moving-queue.ts';

const [first, second, third] = ['p1', 'p2', 'p3'].map((postId) => ({ postId, postTitle: postId })) as [
  MovingPost,
  MovingPost,
  MovingPost,
];

test('what another process has read since a slow reading began is not taken back when the reading ends', async () => {
  const told: WatchEvent<QueuedPostRecord>[] = [];
  let latest: SharedObservation | null = null;
  let tellNews: (() => void) | undefined;
  const queue = movingQueue(100, (moving) => {
    if (told.length === 0 || latest !== null) return false;
    // The pages of this reading show the second post; the other process began later, and has seen the third.
    moving.become([first, second]);
    latest = { observedAt: Date.now() + 1, failures: 0, items: [first, second, third] };
    tellNews?.();
    return false;
  });
  queue.become([first]);
  const observer = createObserver({
    list: watchedQueue,
    loaders: () => queue.loaders,
    candidacyOf: (candidate) => createPollLeader().open('me', candidate),
    share(onNews) {
      tellNews = onNews;
      return {
        latest: () => Promise.resolve(latest),
        publish: () => Promise.resolve(),
        close: () => undefined,
      };
    },
    intervalMs: 1,
    onDrift: () => undefined,
    // Whatever is read from then on shows the third post as well.
    onReading: () => latest !== null && queue.become([first, second, third]),
    onIdle: () => undefined,
  });
  onTestFinished(() => observer.close());
  observer.enter({
    push: (event) => void (event instanceof Error || told.push(event)),
    end: () => undefined,
  });
  await expect.poll(() => queue.posts.length).toBe(3);
  const pagesRead = queue.pagesRead;
  await expect.poll(() => queue.pagesRead).toBeGreaterThan(pagesRead + 5);
  expect(told.map(({ kind }) => kind)).toEqual(['SNAPSHOT', 'ADDED', 'ADDED']);
});

/** An observer of a queue, in a process that leads or does not, beside one that shares what it has read. */
function observeBeside(queue: MovingQueue, isLeader: boolean) {
  const told: (WatchEvent<QueuedPostRecord> | Error)[] = [];
  const published: SharedObservation[] = [];
  const wishes = new Set<string>();
  const outcomes: string[] = [];
  const shared: { latest: SharedObservation | null; tell: () => void; turn: () => void } = {
    latest: null,
    tell: () => undefined,
    turn: () => undefined,
  };
  const observer = createObserver({
    list: watchedQueue,
    loaders: () => queue.loaders,
    candidacyOf({ wanted, onTurn }) {
      shared.turn = onTurn;
      const ask = () => {
        for (const wish of wanted().keys()) wishes.add(wish);
        return Promise.resolve(isLeader ? wanted() : null);
      };
      return { ask, rest: () => undefined };
    },
    share(onNews) {
      shared.tell = onNews;
      return {
        latest: () => Promise.resolve(shared.latest),
        publish: (observation) => Promise.resolve(void published.push(observation)),
        close: () => undefined,
      };
    },
    intervalMs: 1,
    onDrift: () => undefined,
    onReading: (outcome) => outcomes.push(outcome),
    onIdle: () => undefined,
  });
  onTestFinished(() => observer.close());
  const enter = () => observer.enter({ push: (event) => void told.push(event), end: () => undefined });
  const kinds = () => told.map((event) => (event instanceof Error ? event.message : event.kind));
  return { observer, enter, shared, published, wishes, outcomes, kinds };
}

test('a process that does not lead reads nothing, wishes for an observation, and tells the one that it gets', async () => {
  const queue = movingQueue(100, () => false);
  const { enter, shared, wishes, kinds } = observeBeside(queue, false);
  enter();
  await expect.poll(() => wishes.size, { interval: 2 }).toBeGreaterThan(2);
  expect(kinds()).toEqual([]);
  shared.latest = { observedAt: 1, failures: 0, items: [first, second] };
  await expect.poll(kinds, { interval: 2 }).toEqual(['SNAPSHOT']);
  expect(queue.pagesRead).toBe(0);
});

test('what a process of another version shares and nobody here understands is not told', async () => {
  const queue = movingQueue(100, () => false);
  const { enter, shared, wishes, kinds } = observeBeside(queue, false);
  shared.latest = { observedAt: 1, failures: 0, items: [first, { postTitle: 'nothing else' }] };
  enter();
  await expect.poll(() => wishes.size, { interval: 2 }).toBeGreaterThan(3);
  shared.latest = { observedAt: 2, failures: 0, items: [first, null] };
  const known = wishes.size;
  await expect.poll(() => wishes.size, { interval: 2 }).toBeGreaterThan(known + 2);
  expect(kinds()).toEqual([]);
  shared.latest = { observedAt: 3, failures: 0, items: [first] };
  await expect.poll(kinds, { interval: 2 }).toEqual(['SNAPSHOT']);
});

test('rows without a readable key are shared: a post that may be one of them is not told as gone', async () => {
  const queue = movingQueue(100, () => false);
  const { enter, shared, kinds } = observeBeside(queue, false);
  shared.latest = { observedAt: 1, failures: 0, items: [first, second] };
  enter();
  await expect.poll(kinds, { interval: 2 }).toEqual(['SNAPSHOT']);
  shared.latest = { observedAt: 2, failures: 0, items: [first, third], unreadable: [{}] };
  shared.tell();
  await expect.poll(kinds, { interval: 2 }).toEqual(['SNAPSHOT', 'ADDED']);
  shared.latest = { observedAt: 3, failures: 0, items: [first, third], unreadable: [] };
  shared.tell();
  await expect.poll(kinds, { interval: 2 }).toEqual(['SNAPSHOT', 'ADDED', 'LEFT']);
});

test('whose turn it is shares an observation although nothing has changed: another process waits for one', async () => {
  const queue = movingQueue(100, () => false);
  queue.become([first]);
  const { enter, shared, published, outcomes } = observeBeside(queue, true);
  enter();
  await expect.poll(() => outcomes.length, { interval: 2 }).toBeGreaterThan(3);
  expect(published).toHaveLength(1);
  queue.become([first, { postId: '', postTitle: 'Without an id' }]);
  shared.turn();
  await expect.poll(() => published.length, { interval: 2 }).toBe(2);
  expect(published[1]).toMatchObject({ items: [first], unreadable: [{ title: '"Without an id"' }] });
});

test('after a write that nobody watches for, nothing is read', async () => {
  const queue = movingQueue(100, () => false);
  const { observer, enter, wishes, kinds } = observeBeside(queue, true);
  observer.hasten();
  expect([queue.pagesRead, wishes.size]).toEqual([0, 0]);
  enter();
  await expect.poll(kinds, { interval: 2 }).toEqual(['SNAPSHOT']);
  // A wish made before would have been the second.
  expect(wishes).toContain('look 0');
});
