import * as fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { choosableSizes } from '../../src/lists/pages.ts';
import type { PagedList } from '../../src/lists/reading.ts';
import { NO_PEERS, type PeerListener, type Peers } from '../../src/live/peers.ts';
import type { Loaders } from '../../src/loaders/loaders.ts';
import type { QueuedPostRecord } from '../../src/records/queued-post.ts';
import { queuedPost, type QueuedPost } from '../../src/sources/current/posts.ts';
import { SourceError } from '../../src/sources/errors.ts';
import {
  changesBetween,
  observe,
  type Item,
  type ReadItems,
  type WatchEvent,
} from '../../src/watch/observation.ts';
import type { Facts } from '../../src/watch/facts.ts';
import { Observer, type ObserverMessage, type ReadingOutcome } from '../../src/watch/observer.ts';
import { watchedQueue } from '../../src/watch/queue.ts';
import { cases } from '../support/depth.ts';

const soon = { interval: 2 };
const TOPIC = 'queue me';
const LONG_MS = 3_600_000;

interface Post {
  readonly postId: string;
  readonly postTitle: string;
}

const postNamed = (postId: string): Post => ({ postId, postTitle: postId });
const [first, second, third] = [postNamed('p1'), postNamed('p2'), postNamed('p3')];

/** A queue that changes while its pages are read, and remembers how it was; posts never come back. */
class MovingQueue {
  readonly history: (readonly Post[])[] = [];
  readonly loaders: Loaders;
  pagesRead = 0;

  /** `beforePage` may change it, or fail the page by returning true. */
  constructor(posts: readonly Post[], beforePage?: (queue: MovingQueue) => boolean, pageSize = 100) {
    this.become(posts);
    const origin = { surface: 'current', endpoint: 'GET /posts/queued', onDrift: () => undefined } as const;
    const list: PagedList<QueuedPost> = {
      fingerprint: 'moving',
      surface: 'current',
      memory: { sizes: choosableSizes(pageSize) },
      keyOf: ({ postId }) => postId,
      readPage: async (page, size) => {
        await Promise.resolve();
        this.pagesRead += 1;
        if (beforePage?.(this)) throw new SourceError('unavailable', 'current', 'out of order');
        const rows = this.posts.slice((page - 1) * size, page * size);
        const total = this.posts.length;
        return { page, size, total, rows: rows.map((post) => queuedPost(post, origin)) };
      },
    };
    this.loaders = { queue: () => list } as Partial<Loaders> as Loaders;
  }

  get posts(): readonly Post[] {
    return this.history.at(-1) ?? [];
  }

  become(posts: readonly Post[]): void {
    this.history.push(posts);
  }
}

/** The peers of one of several processes, all in this one, which hear each other at once and take turns. */
interface TestPeers extends Peers {
  isCutOff: boolean;
  readonly sent: unknown[];
  hear(topic: string, text: string): void;
}

function joinPeers(count: number): readonly TestPeers[] {
  const turns = new Map<string, number>();
  const join = (): TestPeers => {
    const listeners = new Map<string, Set<PeerListener<unknown>>>();
    const peers: TestPeers = {
      isCutOff: false,
      sent: [],
      get areReachable() {
        return !peers.isCutOff;
      },
      clockAheadMs: 0,
      takeTurn(name, intervalMs) {
        const now = performance.now();
        const leftMs = peers.isCutOff ? 0 : Math.max((turns.get(name) ?? 0) - now, 0);
        if (leftMs === 0 && !peers.isCutOff) turns.set(name, now + intervalMs);
        return Promise.resolve(Math.ceil(leftMs));
      },
      publish(topic, message) {
        if (peers.isCutOff) return;
        peers.sent.push(message);
        for (const other of all) if (other !== peers) other.hear(topic, JSON.stringify(message));
      },
      hear(topic, text) {
        if (peers.isCutOff) return;
        for (const listener of listeners.get(topic) ?? []) listener.onMessage(JSON.parse(text));
      },
      listen(topic, listener) {
        const own = listeners.get(topic) ?? new Set();
        listeners.set(topic, own.add(listener));
        return () => void own.delete(listener);
      },
    };
    return peers;
  };
  const all = Array.from({ length: count }, join);
  return all;
}

type Told = WatchEvent<QueuedPostRecord>;

type Watching = ReturnType<typeof watch>;

/** An observer of a queue in a process of its own, and what it tells. */
function watch(
  queue: MovingQueue,
  { peers = NO_PEERS, intervalMs = 1, onTold = (_event: Told | Error): void => undefined } = {},
) {
  const told: Told[] = [];
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
  const push = (event: Told | Error): void => {
    if (!(event instanceof Error)) told.push(event);
    onTold(event);
  };
  const enter = (): void => void observer.enter({ push, end: () => undefined });
  return { told, kinds: () => told.map(({ kind }) => kind), outcomes, observer, enter };
}

/** The posts that somebody knows of who was told these events, in no order. */
function known(events: readonly Told[]): Map<string, string> {
  let posts = new Map<string, string>();
  for (const event of events) {
    if (event.kind === 'SNAPSHOT' || event.kind === 'RESYNCED') {
      if (!event.isFollowedByChanges)
        posts = new Map([...event.now.items].map(([key, item]) => [key, item.record.part.title ?? '']));
    } else if (event.kind === 'LEFT') expect(posts.delete(event.before.key)).toBe(true);
    else if ('after' in event) {
      const title = event.after.record.part.title ?? '';
      expect(posts.has(event.after.key)).toBe(event.kind === 'CHANGED');
      expect(posts.get(event.after.key)).not.toBe(title);
      posts.set(event.after.key, title);
    }
  }
  return posts;
}

const keysOf = (posts: Iterable<string>): string => [...posts].toSorted().join(' ');

const CHANGES = ['add', 'add in front', 'insert', 'leave', 'vanish', 'retitle'] as const;

interface Change {
  readonly kind: (typeof CHANGES)[number];
  readonly at: number;
}

const changeOf = <const Kind extends Change['kind']>(...kinds: readonly Kind[]) =>
  fc.record({ kind: fc.constantFrom(...kinds), at: fc.nat(1_000) });
/** One leaves as another comes: the length tells nothing of it. */
const exchange = fc.tuple(changeOf('leave', 'vanish'), changeOf('add', 'add in front', 'insert'));
/** What happens before a page is read. */
const step = fc.record({
  changes: fc.oneof(fc.constant([]), fc.array(changeOf(...CHANGES), { maxLength: 3 }), exchange),
  fails: fc.nat(9).map((chance) => chance === 0),
});

function change(posts: readonly Post[], { kind, at }: Change, fresh: Post): readonly Post[] {
  const place = posts.length === 0 ? 0 : at % posts.length;
  switch (kind) {
    case 'add':
      return [...posts, fresh];
    case 'add in front':
      return [fresh, ...posts];
    case 'insert':
      return posts.toSpliced(place, 0, fresh);
    case 'leave':
      return posts.slice(1);
    case 'vanish':
      return posts.toSpliced(place, 1);
    case 'retitle':
      return posts.map((post, index) => (index === place ? { ...post, postTitle: fresh.postTitle } : post));
    default:
      return kind satisfies never;
  }
}

// Whatever happens to the queue while its pages are read: what is told are states that it had, one after the other.
test('every state that is told is one that the queue had, in order, and the last one is the last', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 4 }),
      async (steps, pageSize) => {
        const waiting = [...steps];
        let count = 0;
        const fresh = (): Post => ({ postId: `p${(count += 1)}`, postTitle: `t${count}` });
        const beforePage = (moving: MovingQueue): boolean => {
          const { changes, fails } = waiting.shift() ?? { changes: [], fails: false };
          let { posts } = moving;
          for (const one of changes) posts = change(posts, one, fresh());
          if (changes.length > 0) moving.become(posts);
          return fails;
        };
        const queue = new MovingQueue(Array.from({ length: 5 }, fresh), beforePage, pageSize);
        const { told, outcomes, observer, enter } = watch(queue, {
          // The first reading may fail, which is told; whoever wants to know asks again.
          onTold: (event) => event instanceof Error && queueMicrotask(enter),
        });
        const states: string[] = [];
        enter();
        await expect.poll(() => waiting.length === 0 && told.length > 0, soon).toBe(true);
        const settled = outcomes.length;
        // Ends that are as before hide a change in between for so many readings.
        await expect.poll(() => outcomes.length, soon).toBeGreaterThanOrEqual(settled + 12);
        for (let end = 1; end <= told.length; end += 1) {
          const [event, after] = [told[end - 1], told[end]];
          // The events of one reading tell of one state together.
          if (event?.now !== after?.now) states.push(keysOf(known(told.slice(0, end)).keys()));
        }
        const history = queue.history.map((posts) => keysOf(posts.map(({ postId }) => postId)));
        let from = 0;
        for (const state of states) {
          from = history.indexOf(state, from);
          expect(from, `${state} was never so, or not then`).toBeGreaterThanOrEqual(0);
        }
        const last = queue.posts.map(({ postId, postTitle }) => [postId, postTitle] as const);
        expect(known(told)).toEqual(new Map(last));
        observer.close();
      },
    ),
    { numRuns: cases(30, 600) },
  );
});

test('readings with nothing new become rarer, up to twelve times as rare, and a change or a write ends that', async () => {
  vi.useFakeTimers();
  const queue = new MovingQueue([first]);
  const { outcomes, observer, enter } = watch(queue, { intervalMs: 1_000 });
  enter();
  await vi.advanceTimersByTimeAsync(0);
  /** The seconds until so many readings more. */
  const pauses = async (count: number): Promise<number[]> => {
    const found: number[] = [];
    while (found.length < count) {
      const [readings, from] = [outcomes.length, Date.now()];
      while (outcomes.length === readings) await vi.advanceTimersByTimeAsync(250);
      found.push((Date.now() - from) / 1_000);
    }
    return found;
  };
  // To the next quarter of a second.
  expect(await pauses(10)).toEqual([1, 1.5, 2.25, 3.5, 5, 7.75, 11.25, 12, 12, 12]);
  await vi.advanceTimersByTimeAsync(5_000);
  observer.hasten();
  expect(await pauses(3)).toEqual([0.25, 0.75, 1.5]);
  queue.become([first, second]);
  expect(await pauses(3)).toEqual([2.25, 1, 1.5]);
});

// What an observation takes over from the one before it.
const item = (key: string, facts: Facts = {}): Item<string> => ({ key, record: key, facts });
const shownIn = ({ items }: ReturnType<typeof observe<string>>): string => [...items.keys()].join('');

/** What a reading shows: items, and rows without a readable key. */
const reading = (items: readonly Item<string>[], unreadable: ReadItems<string>['unreadable'] = []) => ({
  items,
  unreadable,
});
const TEXT = { text: '"x"' };

const before = observe(null, reading(['a', 'b', 'c'].map((key) => item(key, TEXT))), 1);

test('a field that could not be read stays as it was', () => {
  const blind = observe(before, reading(['a', 'b', 'c'].map((key) => item(key))), 2);
  expect(changesBetween(before, blind)).toEqual([]);
  const other = observe(blind, reading([item('a', { text: '"y"' })], [{}, {}]), 3);
  expect(changesBetween(blind, other)).toMatchObject([{ kind: 'CHANGED', fields: ['text'] }]);
});

test('every missing record that may be a row without a readable key is kept', () => {
  expect(shownIn(observe(before, reading([item('c')]), 2))).toBe('c');
  expect(shownIn(observe(before, reading([item('c')], [{}]), 2))).toBe('cab');
  expect(shownIn(observe(before, reading([item('c')], [{ text: '"z"' }]), 2))).toBe('cab');
});

test('a missing record is gone if every row without a readable key was there beside it and looks different', () => {
  const [odd, same] = [{ text: '"odd"' }, TEXT];
  const all = ['a', 'b', 'c'].map((key) => item(key, TEXT));
  const seen = observe(null, reading(all, [odd]), 1);
  const without = (key: string) => all.filter((one) => one.key !== key);
  expect(shownIn(observe(seen, reading(without('b'), [odd]), 2))).toBe('ac');
  expect(shownIn(observe(seen, reading(without('b'), [odd, odd]), 2))).toBe('acb');
  expect(shownIn(observe(seen, reading(without('b'), [{ text: '"edited"' }]), 2))).toBe('acb');
  const alike = observe(null, reading(all, [same]), 1);
  expect(shownIn(observe(alike, reading(without('b'), [same]), 2))).toBe('acb');
  // One in doubt stays so until each row has a key again.
  const doubtful = observe(before, reading(without('b'), [odd]), 2);
  expect(shownIn(observe(doubtful, reading([item('a', TEXT)], [odd]), 3))).toBe('ab');
  expect(shownIn(observe(doubtful, reading(without('b')), 3))).toBe('ac');
});

test('what left is told before what changed, and that before what came', () => {
  const after = observe(before, reading([item('d', TEXT), item('b', { text: '"y"' }), item('c', TEXT)]), 2);
  expect(changesBetween(before, after).map(({ kind }) => kind)).toEqual(['LEFT', 'CHANGED', 'ADDED']);
});

// What the observers of one list in several processes make of each other's readings.

/** What a process sends that has read these posts. */
const observed = (
  observedAt: number,
  items: readonly unknown[],
  { unreadable = [], version = String(observedAt) }: { unreadable?: object[]; version?: string } = {},
) => ({ kind: 'observed', observedAt, version, contents: { items, unreadable } });

function entered(queue: MovingQueue, peers: TestPeers, intervalMs: number): Watching {
  const watching = watch(queue, { peers, intervalMs });
  watching.enter();
  return watching;
}

/** An observer beside a process that has the turn for longer than the test. */
async function observeBeside(queue: MovingQueue) {
  const [peers, other] = joinPeers(2) as [TestPeers, TestPeers];
  await other.takeTurn(TOPIC, LONG_MS);
  const tell = (message: object) => other.publish(TOPIC, message);
  return { ...entered(queue, peers, LONG_MS), peers, tell };
}

test('what another process has read since a slow reading began is not taken back when the reading ends', async () => {
  const [peers, other] = joinPeers(2) as [TestPeers, TestPeers];
  let pages = 0;
  const queue = new MovingQueue([first], (moving) => {
    pages += 1;
    // The second reading shows the second post; the other process began later, and has seen the third.
    if (pages === 2) {
      moving.become([first, second]);
      other.publish(TOPIC, observed(Date.now() + 1, [first, second, third]));
    } else if (pages === 3) moving.become([first, second, third]);
    return false;
  });
  const { kinds, outcomes, enter } = watch(queue, { peers });
  enter();
  await expect.poll(() => outcomes.length, soon).toBeGreaterThan(6);
  expect(kinds()).toEqual(['SNAPSHOT', 'ADDED', 'ADDED']);
});

test('while another process has the turn, nothing is read; what that one has read is asked for, and told', async () => {
  const queue = new MovingQueue([first]);
  const { kinds, peers, tell } = await observeBeside(queue);
  await expect.poll(() => peers.sent, soon).toContainEqual({ kind: 'wanted' });
  expect(kinds()).toEqual([]);
  tell(observed(1, [first, second]));
  expect(kinds()).toEqual(['SNAPSHOT']);
  expect(queue.pagesRead).toBe(0);
});

test('whoever read last sends what it read to one that asks; others keep silent', async () => {
  const [one, other, third_] = joinPeers(3) as [TestPeers, TestPeers, TestPeers];
  const queue = new MovingQueue([first]);
  const reader = entered(queue, one, LONG_MS);
  await expect.poll(reader.kinds, soon).toEqual(['SNAPSHOT']);
  const [beside, later] = [other, third_].map((peers) => entered(queue, peers, LONG_MS));
  await expect.poll(() => beside?.kinds(), soon).toEqual(['SNAPSHOT']);
  await expect.poll(() => later?.kinds(), soon).toEqual(['SNAPSHOT']);
  expect(queue.pagesRead).toBe(1);
  expect(new Set([...other.sent, ...third_.sent].map((sent) => (sent as ObserverMessage).kind))).toEqual(
    new Set(['wanted']),
  );
});

test('a reading with nothing new is told to the others in a word; one that lacks the contents asks for them', async () => {
  const { kinds, peers, tell } = await observeBeside(new MovingQueue([]));
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
  const { kinds, peers, tell } = await observeBeside(new MovingQueue([]));
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
  const { kinds, tell } = await observeBeside(new MovingQueue([]));
  tell(observed(1, [first, second]));
  tell(observed(2, [first, third], { unreadable: [{}] }));
  expect(kinds()).toEqual(['SNAPSHOT', 'ADDED']);
  tell(observed(3, [first, third]));
  expect(kinds()).toEqual(['SNAPSHOT', 'ADDED', 'LEFT']);
});

test.each([
  { changes: 500, told: Array.from({ length: 500 }, () => 'ADDED') },
  { changes: 501, told: ['RESYNCED'] },
])('$changes changes at once are told as $told.length events', async ({ changes, told }) => {
  const { kinds, tell } = await observeBeside(new MovingQueue([]));
  tell(observed(1, [first]));
  const added = Array.from({ length: changes }, (_, index) => ({ postId: `n${index}`, postTitle: 'new' }));
  tell(observed(2, [first, ...added]));
  expect(kinds()).toEqual(['SNAPSHOT', ...told]);
});

test('readings that fail anywhere count together: the next one that succeeds is told as one after a gap', async () => {
  const { kinds, tell } = await observeBeside(new MovingQueue([]));
  tell(observed(1, [first]));
  for (let times = 0; times < 3; times += 1) tell({ kind: 'failed', pauseMs: 0 });
  tell(observed(2, [first]));
  expect(kinds()).toEqual(['SNAPSHOT', 'RESYNCED']);
});

test('a pause that the service asks one process for is kept by the others, whatever they had planned', async () => {
  vi.useFakeTimers();
  const [peers, other] = joinPeers(2) as [TestPeers, TestPeers];
  const queue = new MovingQueue([first]);
  entered(queue, peers, 1_000);
  await vi.advanceTimersByTimeAsync(0);
  const { pagesRead } = queue;
  other.publish(TOPIC, { kind: 'failed', pauseMs: 60_000 });
  await vi.advanceTimersByTimeAsync(59_900);
  expect(queue.pagesRead).toBe(pagesRead);
  await vi.advanceTimersByTimeAsync(200);
  expect(queue.pagesRead).toBeGreaterThan(pagesRead);
});

test('a process that cannot read does not keep the others from reading', async () => {
  const [one, other] = joinPeers(2) as [TestPeers, TestPeers];
  const queue = new MovingQueue([first]);
  const broken = new MovingQueue([first], () => isBroken);
  let isBroken = false;
  const both = [entered(broken, one, 20), entered(queue, other, 20)];
  for (const { kinds } of both) await expect.poll(kinds, soon).toContain('SNAPSHOT');
  isBroken = true;
  queue.become([first, second]);
  for (const { kinds } of both) await expect.poll(kinds, soon).toContain('ADDED');
});

test('a process that is cut off reads for itself, and then takes turns again', async () => {
  const [one, other] = joinPeers(2) as [TestPeers, TestPeers];
  const queue = new MovingQueue([first]);
  const pair = [one, other].map((peers) => entered(queue, peers, 20));
  for (const { kinds } of pair) await expect.poll(kinds, soon).toEqual(['SNAPSHOT']);
  other.isCutOff = true;
  queue.become([first, second]);
  for (const { kinds } of pair) await expect.poll(kinds, soon).toEqual(['SNAPSHOT', 'ADDED']);
  other.isCutOff = false;
  queue.become([second]);
  for (const { kinds } of pair) await expect.poll(kinds, soon).toEqual(['SNAPSHOT', 'ADDED', 'LEFT']);
});

test('what a key has read is not told to those who come once it is rejected', async () => {
  let isRejected = false;
  const queue = new MovingQueue([first], () => {
    if (isRejected) throw new SourceError('unauthenticated', 'current', 'rejected');
    return false;
  });
  const errors: Error[] = [];
  const onTold = (event: Told | Error): void => {
    if (event instanceof Error) errors.push(event);
  };
  const { kinds, enter } = watch(queue, { onTold });
  enter();
  await expect.poll(kinds, soon).toEqual(['SNAPSHOT']);
  isRejected = true;
  await expect.poll(() => errors, soon).toHaveLength(1);
  enter();
  await expect.poll(() => errors, soon).toHaveLength(2);
  expect(kinds()).toEqual(['SNAPSHOT']);
});

test('after a write that nobody watches for, nothing is read', async () => {
  const [peers] = joinPeers(1) as [TestPeers];
  const queue = new MovingQueue([]);
  const { observer, enter, kinds, outcomes } = watch(queue, { peers });
  observer.hasten();
  enter();
  await expect.poll(kinds, soon).toEqual(['SNAPSHOT']);
  expect(outcomes.length).toBeLessThanOrEqual(2);
});
