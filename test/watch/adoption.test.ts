import { expect, onTestFinished, test } from 'vitest';
import { createPollLeader } from '../../src/live/poll-leader.ts';
import type { QueuedPostRecord } from '../../src/records/queued-post.ts';
import type { WatchEvent } from '../../src/watch/events.ts';
import { createObserver } from '../../src/watch/observer.ts';
import { watchedQueue } from '../../src/watch/queue.ts';
import type { SharedObservation } from '../../src/watch/sharing.ts';
import { movingQueue, type MovingPost } from '../support/moving-queue.ts';

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
