import { setTimeout as after } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Reading } from '../support/live-reading.ts';
import { SOCKETS } from '../support/live.ts';
import { isRedisHere } from '../support/redis.ts';
import { startShared, type SharedLive, type SharingServer } from '../support/shared-live.ts';

// Redis is to count as away within a second.
const SOON_AWAY = { REDIS_COMMAND_TIMEOUT: '1s' };

/** How the connection of the second server to Redis breaks and comes back. */
const BREAKS: readonly (readonly [string, (shared: SharedLive) => Promise<void>])[] = [
  ['cut off for a moment', (shared) => cutOff(shared)],
  // Longer than a reading of the news may take.
  ['cut off for four seconds', (shared) => cutOff(shared, 4_000)],
  [
    'restarted empty',
    async ({ redis }) => {
      await redis.stop();
      await redis.start();
    },
  ],
];

async function cutOff({ servers }: SharedLive, forMs = 0): Promise<void> {
  const other = servers[1] as SharingServer;
  other.proxy.cut();
  // On a busy machine it may have counted as away before.
  await other.redisIs('degraded');
  await after(forMs);
  other.proxy.restore();
}

async function isBack({ servers }: SharedLive): Promise<void> {
  for (const server of servers) await server.redisIs('connected');
}

const told = ({ events }: Reading): string[] =>
  events.map(({ generation }) => generation.contentId as string);
const once = (...all: readonly { readonly contentId: string }[]): string[] =>
  all.map(({ contentId }) => contentId).toSorted();

async function completes(readings: readonly Reading[]): Promise<void> {
  for (const reading of readings) {
    expect(await reading.ended()).toEqual({ how: 'complete' });
    expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
  }
}

async function expectNothingLost(breakOff: (shared: SharedLive) => Promise<void>): Promise<void> {
  const shared = await startShared({ environment: SOON_AWAY });
  const { sandbox } = shared;
  const [one, other] = shared.servers as [SharingServer, SharingServer];
  const follower = other.follow();
  const before = await one.ask({ prompt: 'quickly' });
  await follower.received(1);
  const [early, late, after_] = [await one.ask(), await one.ask(), await one.ask()];
  const readings = [early, late, after_].map(({ contentId }) => other.watch(contentId));
  for (const reading of readings) await reading.received(1);
  const over = breakOff(shared);
  sandbox.generations.finish(early.contentId);
  const quickMeanwhile = await one.ask({ prompt: 'quickly' });
  const slowMeanwhile = await one.ask();
  readings.push(other.watch(slowMeanwhile.contentId));
  await readings.at(-1)?.received(1);
  sandbox.generations.finish(slowMeanwhile.contentId);
  await over;
  sandbox.generations.finish(late.contentId);
  await isBack(shared);
  sandbox.generations.finish(after_.contentId);
  await completes(readings);
  const last = await one.ask({ prompt: 'quickly' });
  const all = once(before, early, late, after_, quickMeanwhile, slowMeanwhile, last);
  await expect.poll(() => told(follower).toSorted()).toEqual(all);
  expect(new Set(follower.said)).toEqual(new Set(['COMPLETE']));
}

test.runIf(isRedisHere)(
  'while Redis is cut off or restarted empty, no result is lost that the other server asked for, and each is told once',
  { timeout: 180_000 },
  async () => {
    // Each has a Redis of its own, and waits most of the time.
    const results = await Promise.allSettled(BREAKS.map(([, breakOff]) => expectNothingLost(breakOff)));
    const failures = results.flatMap((result, index) =>
      result.status === 'rejected' ? [[BREAKS[index]?.[0], String(result.reason)]] : [],
    );
    expect(failures).toEqual([]);
  },
);

describe.runIf(isRedisHere).each(SOCKETS)('by %s, without the history', (way) => {
  test('what came to one server while the other was cut off is told there afterwards', async () => {
    const shared = await startShared({ way, environment: SOON_AWAY });
    const { sandbox } = shared;
    const [one, other] = shared.servers as [SharingServer, SharingServer];
    const reading = one.watch((await one.ask()).contentId);
    const { contentId } = await one.ask();
    const [here, there] = [one.watch(contentId), other.watch(contentId)];
    await Promise.all([here.received(1), there.received(1), reading.received(1)]);
    await sandbox.push.waitForOpen(2, { owner: 'harbour' });
    other.proxy.cut();
    sandbox.push.refuse(true);
    sandbox.push.kill();
    await sandbox.push.waitForOpen(0);
    await other.redisIs('degraded');
    // Only the one that is not cut off hears of it.
    const quick = await one.ask({ prompt: 'quickly' });
    const follower = other.follow();
    other.proxy.restore();
    await isBack(shared);
    sandbox.push.refuse(false);
    await sandbox.push.waitForOpen(2, { owner: 'harbour' });
    sandbox.generations.finish(contentId, { history: false });
    await completes([here, there]);
    await follower.received(1);
    expect(told(follower)).toContain(contentId);
    expect(new Set(told(follower)).size).toBe(told(follower).length);
    expect(quick.status).toBe('COMPLETE');
  });
});
