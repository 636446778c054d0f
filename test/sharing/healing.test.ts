import { randomUUID } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { expectHealed, expectRefused, MOST_LOST_MS, slowestOf } from '../support/outages.ts';
import { isRedisHere } from '../support/redis.ts';
import { HEALED, startShared, timed, type SharedLive, type SharingServer } from '../support/shared-live.ts';
import { EXAMPLES } from '../support/writes.ts';

const FLAPPING_MS = 12_000;
const EVERY_MS = 250;
const MOST_CONNECTIONS = 4;

test.runIf(isRedisHere).each([
  ['itself', true],
  ['behind a proxy that takes connections and ends them', false],
])('a server starts without Redis, and finds it when it comes, %s', async (_name, isDirect) => {
  const shared = await startShared({ servers: 1, isDirect, before: (redis) => redis.stop() });
  const [server] = shared.servers as [SharingServer];
  expect(await server.redis()).toBe('degraded');
  await slowestOf(server);
  await expectRefused(server, shared);
  // Longer than the longest pause between two attempts.
  await after(1_500);
  await shared.redis.start();
  await expectHealed(server, shared);
});

/** How long something takes in the middle of five times, in milliseconds. */
async function medianOf(run: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let times = 0; times < 5; times += 1) took.push(await timed(run));
  return took.toSorted((one, other) => one - other)[2] ?? 0;
}

test.runIf(isRedisHere).each(['createDraft', 'pauseAccount'] as const)(
  'a Redis that answers a little late slows %s by little',
  async (name) => {
    const shared = await startShared({ servers: 1 });
    const [server] = shared.servers as [SharingServer];
    const key = () => (name === 'createDraft' ? { idempotencyKey: randomUUID() } : {});
    const run = () => server.write(name, { ...EXAMPLES[name], ...key() });
    const before = await medianOf(run);
    for (const lateMs of [100, 150]) {
      server.proxy.delay(lateMs);
      expect(await medianOf(run)).toBeLessThan(before + MOST_LOST_MS);
    }
  },
);

/** Warnings of this process, from now on. */
function warnings(): readonly string[] {
  const seen: string[] = [];
  const note = ({ name, message }: Error): void => void seen.push(`${name}: ${message}`);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  return seen;
}

const FLAPPING: readonly (readonly [string, (shared: SharedLive, isDown: boolean) => unknown])[] = [
  [
    'is cut off and back',
    ({ servers }, isDown) => servers.forEach(({ proxy }) => (isDown ? proxy.cut() : proxy.restore())),
  ],
  [
    'closes its connections',
    ({ redis }) => redis.client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'),
  ],
  [
    'takes connections and loses them',
    async ({ redis, servers }, isDown) => {
      if (isDown) return servers.forEach(({ proxy }) => proxy.mute());
      servers.forEach(({ proxy }) => proxy.restore());
      await redis.client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    },
  ],
];

test.runIf(isRedisHere).each(FLAPPING)(
  'a Redis that %s all the time leaves nothing behind',
  { timeout: 40_000 },
  async (_name, flap) => {
    const seen = warnings();
    const shared = await startShared({ servers: 1 });
    const [server] = shared.servers as [SharingServer];
    const follower = server.follow();
    const { contentId } = await server.ask();
    const endsAt = performance.now() + FLAPPING_MS / (FLAPPING.length - 1);
    for (let isDown = true; performance.now() < endsAt; isDown = !isDown) {
      await flap(shared, isDown);
      await Promise.all([after(EVERY_MS), server.ask({ content: 'quickly' })]);
      const clients = String(await shared.redis.client.call('CLIENT', 'LIST', 'TYPE', 'normal'));
      // One of them is the test's own.
      expect(clients.trim().split('\n').length - 1).toBeLessThanOrEqual(MOST_CONNECTIONS);
    }
    expect(server.proxy.mostOpen).toBeLessThanOrEqual(MOST_CONNECTIONS);
    await flap(shared, false);
    await expectHealed(server, shared);
    shared.sandbox.generations.finish(contentId);
    await expect
      .poll(() => follower.events.map(({ generation }) => generation.contentId as string), HEALED)
      .toContain(contentId);
    expect(seen).toEqual([]);
  },
);

test.runIf(isRedisHere)(
  'a Redis that was away for long leaves nothing behind',
  { timeout: 40_000 },
  async () => {
    const seen = warnings();
    const shared = await startShared({ servers: 1 });
    const [server] = shared.servers as [SharingServer];
    server.proxy.cut();
    await after(5_000);
    server.proxy.restore();
    await expectHealed(server, shared);
    expect(seen).toEqual([]);
  },
);
