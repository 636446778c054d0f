import {
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  record,
  tuple,
} from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { NO_PEERS } from '../../src/live/peers.ts';
import type { QueuedPostRecord } from '../../src/records/queued-post.ts';
import type { WatchEvent } from '../../src/watch/observation.ts';
import { Observer, type ReadingOutcome } from '../../src/watch/observer.ts';
import { watchedQueue } from '../../src/watch/queue.ts';
import { cases } from '../support/depth.ts';
import { movingQueue, type MovingPost, type MovingQueue } from '../support/moving-queue.ts';

// Whatever happens to the queue while its pages are read: what is told are states that it had, one after the other.

type Told = WatchEvent<QueuedPostRecord>;

function observe(
  queue: MovingQueue,
  onReading: (outcome: ReadingOutcome) => void,
): Observer<QueuedPostRecord> {
  const observer = new Observer({
    list: watchedQueue,
    loaders: () => queue.loaders,
    topic: 'queue me',
    peers: NO_PEERS,
    intervalMs: 1,
    onDrift: () => undefined,
    onReading,
    onIdle: () => undefined,
  });
  onTestFinished(() => observer.close());
  return observer;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
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
      expect(posts.has(event.after.key)).toBe(event.kind === 'CHANGED');
      posts.set(event.after.key, event.after.record.part.title ?? '');
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

const oneChange = record({ kind: constantFrom(...CHANGES), at: nat(1_000) });
/** One leaves as another comes: the length tells nothing of it. */
const exchange = tuple(
  record({ kind: constantFrom('leave' as const, 'vanish' as const), at: nat(1_000) }),
  record({ kind: constantFrom('add' as const, 'add in front' as const, 'insert' as const), at: nat(1_000) }),
);
/** What happens before a page is read. */
const step = record({
  changes: oneof(constant([]), array(oneChange, { maxLength: 3 }), exchange),
  fails: nat(9).map((chance) => chance === 0),
});

function change(
  posts: readonly MovingPost[],
  { kind, at }: Change,
  fresh: MovingPost,
): readonly MovingPost[] {
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

test('every state that is told is one that the queue had, in order, and the last one is the last', async () => {
  await assert(
    asyncProperty(array(step, { maxLength: 60 }), integer({ min: 1, max: 4 }), async (steps, pageSize) => {
      const waiting = [...steps];
      let count = 0;
      const fresh = (): MovingPost => ({ postId: `p${(count += 1)}`, postTitle: `t${count}` });
      const queue = movingQueue(pageSize, (moving) => {
        const { changes, fails } = waiting.shift() ?? { changes: [], fails: false };
        let { posts } = moving;
        for (const one of changes) posts = change(posts, one, fresh());
        if (changes.length > 0) moving.become(posts);
        return fails;
      });
      queue.become(Array.from({ length: 5 }, fresh));
      const outcomes: ReadingOutcome[] = [];
      const observer = observe(queue, (outcome) => outcomes.push(outcome));
      const told: Told[] = [];
      const states: string[] = [];
      let isRefused = false;
      const enter = (): void => {
        observer.enter({
          push: (event) => {
            if (event instanceof Error) isRefused = true;
            else told.push(event);
          },
          end: () => undefined,
        });
      };
      enter();
      // The first reading may fail, and is told; whoever wants to know asks again.
      await until(() => {
        if (isRefused) {
          isRefused = false;
          enter();
        }
        return waiting.length === 0 && told.length > 0;
      });
      const settled = outcomes.length;
      // Ends that are as before hide a change in between for so many readings.
      await until(() => outcomes.length >= settled + 12);
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
    }),
    { numRuns: cases(30, 600) },
  );
});
