import { expect, onTestFinished, test } from 'vitest';
import { NO_PEERS } from '../../src/live/peers.ts';
import { watchedQueue } from '../../src/watch/queue.ts';
import { createWatches } from '../../src/watch/watches.ts';
import { follow } from '../../src/webhooks/follow.ts';
import { describeQueueChange, type Message } from '../../src/webhooks/messages.ts';
import { openPrinter } from '../../src/webhooks/printer.ts';
import { movingQueue, type MovingPost, type MovingQueue } from '../support/moving-queue.ts';

const post = (postId: unknown, postTitle = 'A'): MovingPost => ({ postId, postTitle }) as MovingPost;

/** Follows a queue as one process does, from its start to its end. */
function startFollowing(queue: MovingQueue, outbox: ReturnType<typeof openPrinter>) {
  let readings = 0;
  const watches = createWatches({
    peers: NO_PEERS,
    config: { watchIntervalMs: 1 },
    onDrift: () => undefined,
    onReading: () => void (readings += 1),
  });
  const caller = {
    holder: 'me',
    loaders: () => queue.loaders,
    hangUp: () => undefined,
  };
  const following = follow(
    {
      list: watchedQueue,
      describe: describeQueueChange,
      watch: (seen) => watches.queue(caller, () => true, seen),
    },
    { outbox, onDrift: () => undefined, onAdded: () => undefined },
  );
  const end = async (): Promise<void> => {
    watches.close();
    await following;
  };
  onTestFinished(end);
  const readAgain = async (): Promise<void> => {
    const before = readings;
    await expect.poll(() => readings).toBeGreaterThan(before + 2);
  };
  return { end, readAgain };
}

test('a post whose key can’t be read after a restart is not told as gone, and one that left is', async () => {
  const told: Message[] = [];
  const outbox = openPrinter({ write: (line) => told.push(JSON.parse(line) as Message) });
  const queue = movingQueue(100, () => false);
  queue.become([post('p1'), post('p2')]);
  const first = startFollowing(queue, outbox);
  await first.readAgain();
  await first.end();
  queue.become([post('p1'), post(null)]);
  const second = startFollowing(queue, outbox);
  await second.readAgain();
  expect(told).toEqual([]);
  queue.become([post('p1')]);
  await second.readAgain();
  expect(told).toMatchObject([{ type: 'queue.left', data: { queuedPost: { postId: 'p2' } } }]);
});

test('while the key of one of two missing posts can’t be read, neither is told as gone, also after a restart', async () => {
  const told: Message[] = [];
  const outbox = openPrinter({ write: (line) => told.push(JSON.parse(line) as Message) });
  const queue = movingQueue(100, () => false);
  queue.become([post('p1'), post('p2'), post('p3', 'C')]);
  const first = startFollowing(queue, outbox);
  await first.readAgain();
  queue.become([post(null), post('p3', 'C')]);
  await first.readAgain();
  await first.end();
  const second = startFollowing(queue, outbox);
  await second.readAgain();
  expect(told).toEqual([]);
  // One that leaves later is told, beside a row that stays as it was.
  queue.become([post(null)]);
  await second.readAgain();
  expect(told).toMatchObject([{ type: 'queue.left', data: { queuedPost: { postId: 'p3' } } }]);
  queue.become([post('p1')]);
  await second.readAgain();
  expect(told.slice(1)).toMatchObject([{ type: 'queue.left', data: { queuedPost: { postId: 'p2' } } }]);
});
