import { expect, onTestFinished, test } from 'vitest';
import type { QueuedPostRecord } from '../../src/records/queued-post.ts';
import type { WatchEvent } from '../../src/watch/observation.ts';
import { Observer, type ObserverMessage, type ReadingOutcome } from '../../src/watch/observer.ts';
import { watchedQueue } from '../../src/watch/queue.ts';
import { movingQueue, type MovingPost, type MovingQueue } from '../support/moving-queue.ts';
import { joinPeers, type TestPeers } from '../support/peers.ts';

// What the observers of one list in several processes make of each other's readings.

const TOPIC = 'queue me';
const [first, second, third] = ['p1', 'p2', 'p3'].map((postId) => ({ postId, postTitle: postId })) as [
  MovingPost,
  MovingPost,
  MovingPost,
];

const queueOf = (...posts: readonly MovingPost[]): MovingQueue => {
  const queue = movingQueue(100, () => false);
  queue.become(posts);
  return queue;
};

interface Watching {
  readonly kinds: () => string[];
  readonly outcomes: readonly ReadingOutcome[];
  readonly observer: Observer<QueuedPostRecord>;
  readonly enter: () => void;
}

/** An observer of a queue in a process of its own. */
function observe(
  queue: MovingQueue,
  peers: TestPeers,
  { intervalMs = 1, isWatched = true, onTold = (): void => undefined } = {},
): Watching {
  const told: (WatchEvent<QueuedPostRecord> | Error)[] = [];
  const outcomes: ReadingOutcome[] = [];
  const observer = new Observer({
    list: watchedQueue,
    loaders: () => queue.loaders,
    topic: TOPIC,
    peers,
    intervalMs,
    onDrift: () => undefined,
    onReading: (outcome) => outcomes.push(outcome),
    onIdle: () => undefined,
  });
  onTestFinished(() => observer.close());
  const push = (event: WatchEvent<QueuedPostRecord> | Error): void => {
    told.push(event);
    onTold();
  };
  const enter = (): void => void observer.enter({ push, end: () => undefined });
  if (isWatched) enter();
  const kinds = () => told.map((event) => (event instanceof Error ? event.message : event.kind));
  return { kinds, outcomes, observer, enter };
}

/** What a process sends that has read these posts. */
const observed = (
  observedAt: number,
  items: readonly unknown[],
  { unreadable = [], version = String(observedAt) }: { unreadable?: object[]; version?: string } = {},
) => ({ kind: 'observed', observedAt, version, contents: { items, unreadable } });

const soon = { interval: 2 };
/** Longer than a test. */
const LONG_MS = 3_600_000;

/** An observer beside a process that has the turn for longer than the test. */
async function observeBeside(queue: MovingQueue) {
  const [peers, other] = joinPeers(2) as [TestPeers, TestPeers];
  await other.takeTurn(TOPIC, LONG_MS);
  return {
    ...observe(queue, peers, { intervalMs: LONG_MS }),
    peers,
    tell: (message: object) => other.publish(TOPIC, message),
  };
}

test('what another process has read since a slow reading began is not taken back when the reading ends', async () => {
  const [peers, other] = joinPeers(2) as [TestPeers, TestPeers];
  let isTold = false;
  const queue = movingQueue(100, (moving) => {
    if (!isWatching || isTold) return false;
    isTold = true;
    // The pages of this reading show the second post; the other process began later, and has seen the third.
    moving.become([first, second]);
    other.publish(TOPIC, observed(Date.now() + 1, [first, second, third]));
    return false;
  });
  queue.become([first]);
  let isWatching = false;
  const { kinds, outcomes } = observe(queue, peers, { onTold: () => (isWatching = true) });
  await expect.poll(() => isTold, soon).toBe(true);
  queue.become([first, second, third]);
  const readings = outcomes.length;
  await expect.poll(() => outcomes.length, soon).toBeGreaterThan(readings + 5);
  expect(kinds()).toEqual(['SNAPSHOT', 'ADDED', 'ADDED']);
});

test('while another process has the turn, nothing is read; what that one has read is asked for, and told', async () => {
  const queue = queueOf(first);
  const { kinds, peers, tell } = await observeBeside(queue);
  await expect.poll(() => peers.sent, soon).toContainEqual({ kind: 'wanted' });
  expect(kinds()).toEqual([]);
  tell(observed(1, [first, second]));
  expect(kinds()).toEqual(['SNAPSHOT']);
  expect(queue.pagesRead).toBe(0);
});

test('whoever read last sends what it read to one that asks; others keep silent', async () => {
  const [one, other, third_] = joinPeers(3) as [TestPeers, TestPeers, TestPeers];
  const queue = queueOf(first);
  const reading = observe(queue, one, { intervalMs: LONG_MS });
  await expect.poll(reading.kinds, soon).toEqual(['SNAPSHOT']);
  const [beside, later] = [other, third_].map((peers) => observe(queue, peers, { intervalMs: LONG_MS }));
  await expect.poll(() => beside?.kinds(), soon).toEqual(['SNAPSHOT']);
  await expect.poll(() => later?.kinds(), soon).toEqual(['SNAPSHOT']);
  expect(queue.pagesRead).toBe(1);
  expect(new Set([...other.sent, ...third_.sent].map((sent) => (sent as ObserverMessage).kind))).toEqual(
    new Set(['wanted']),
  );
});

test('a reading with nothing new is told to the others in a word; one that lacks the contents asks for them', async () => {
  const { kinds, peers, tell } = await observeBeside(queueOf());
  tell(observed(1, [first], { version: 'a' }));
  tell({ kind: 'observed', observedAt: 2, version: 'a' });
  tell(observed(1, [first, second], { version: 'late' }));
  expect(kinds()).toEqual(['SNAPSHOT']);
  const asked = peers.sent.length;
  tell({ kind: 'observed', observedAt: 3, version: 'b' });
  expect(peers.sent.slice(asked)).toEqual([{ kind: 'wanted' }]);
  tell(observed(3, [first, second], { version: 'b' }));
  expect(kinds()).toEqual(['SNAPSHOT', 'ADDED']);
});

test('what a process of another version shares and nobody here understands is neither told nor asked for again', async () => {
  const { kinds, peers, tell } = await observeBeside(queueOf());
  await expect.poll(() => peers.sent.length, soon).toBe(1);
  tell(observed(1, [first, { postTitle: 'nothing else' }]));
  tell(observed(2, [first, null]));
  tell({ kind: 'unheard of' });
  expect(kinds()).toEqual([]);
  expect(peers.sent).toHaveLength(1);
  tell(observed(3, [first]));
  expect(kinds()).toEqual(['SNAPSHOT']);
});

test('rows without a readable key are shared: a post that may be one of them is not told as gone', async () => {
  const { kinds, tell } = await observeBeside(queueOf());
  tell(observed(1, [first, second]));
  tell(observed(2, [first, third], { unreadable: [{}] }));
  expect(kinds()).toEqual(['SNAPSHOT', 'ADDED']);
  tell(observed(3, [first, third]));
  expect(kinds()).toEqual(['SNAPSHOT', 'ADDED', 'LEFT']);
});

test('readings that fail anywhere count together: the next one that succeeds is told as one after a gap', async () => {
  const { kinds, tell } = await observeBeside(queueOf());
  tell(observed(1, [first]));
  for (let times = 0; times < 3; times += 1) tell({ kind: 'failed', pauseMs: 0 });
  tell(observed(2, [first]));
  expect(kinds()).toEqual(['SNAPSHOT', 'RESYNCED']);
});

test('a process that cannot read does not keep the others from reading', async () => {
  const [one, other] = joinPeers(2) as [TestPeers, TestPeers];
  const queue = queueOf(first);
  const broken = movingQueue(100, () => isBroken);
  broken.become([first]);
  let isBroken = false;
  const failing = observe(broken, one, { intervalMs: 20 });
  const reading = observe(queue, other, { intervalMs: 20 });
  for (const { kinds } of [failing, reading]) await expect.poll(kinds, soon).toContain('SNAPSHOT');
  isBroken = true;
  queue.become([first, second]);
  for (const { kinds } of [failing, reading]) await expect.poll(kinds, soon).toContain('ADDED');
});

test('a process goes on from what another has read last, once that one is silent', async () => {
  const [one, other] = joinPeers(2) as [TestPeers, TestPeers];
  const queue = queueOf(first);
  const pair = [one, other].map((peers) => observe(queue, peers, { intervalMs: 20 }));
  for (const { kinds } of pair) await expect.poll(kinds, soon).toEqual(['SNAPSHOT']);
  pair[0]?.observer.close();
  queue.become([second]);
  await expect.poll(() => pair[1]?.kinds(), soon).toEqual(['SNAPSHOT', 'LEFT', 'ADDED']);
});

test('a process that is cut off reads for itself, and then takes turns again', async () => {
  const [one, other] = joinPeers(2) as [TestPeers, TestPeers];
  const queue = queueOf(first);
  const pair = [one, other].map((peers) => observe(queue, peers, { intervalMs: 20 }));
  for (const { kinds } of pair) await expect.poll(kinds, soon).toEqual(['SNAPSHOT']);
  other.isCutOff = true;
  queue.become([first, second]);
  for (const { kinds } of pair) await expect.poll(kinds, soon).toEqual(['SNAPSHOT', 'ADDED']);
  other.isCutOff = false;
  queue.become([second]);
  for (const { kinds } of pair) await expect.poll(kinds, soon).toEqual(['SNAPSHOT', 'ADDED', 'LEFT']);
});

test('after a write that nobody watches for, nothing is read', async () => {
  const [peers] = joinPeers(1) as [TestPeers];
  const queue = queueOf();
  const { observer, enter, kinds, outcomes } = observe(queue, peers, { isWatched: false });
  observer.hasten();
  enter();
  await expect.poll(kinds, soon).toEqual(['SNAPSHOT']);
  expect(outcomes.length).toBeLessThanOrEqual(2);
});
