import { expect, test } from 'vitest';
import { keyOf } from '../../src/coordination/redis/connection.ts';
import { LEASE_MS } from '../../src/coordination/redis/locks.ts';
import { KEPT_MS } from '../../src/journal/journal.ts';
import { completed } from '../../src/writes/outcome.ts';
import { journalKey } from '../support/journal-keys.ts';
import { hearEachOther, joinRedis } from '../support/processes.ts';
import { isRedisHere, startRedis, type RedisServer } from '../support/redis.ts';

const RECORD = { mutation: 'createPost', fingerprint: 'f', startedAt: 0, result: null };
const POLL_MS = 60_000;
const LONG = 'ü'.repeat(5_000);
const LARGE = 'x'.repeat(300 * 1024);

async function join(): Promise<readonly [RedisServer, Awaited<ReturnType<typeof joinRedis>>]> {
  const redis = await startRedis();
  return [redis, await joinRedis(redis.port)];
}

test.runIf(isRedisHere)('whatever lies in Redis has a short name and an end', async () => {
  const redis = await startRedis();
  const pair = await Promise.all([joinRedis(redis.port), joinRedis(redis.port)] as const);
  await hearEachOther(pair);
  const [{ journal, mutex, peers, rateLimitGates }] = pair;
  await journal.begin(journalKey(LONG), RECORD);
  await journal.begin(journalKey('id'), RECORD);
  await journal.finish(journalKey('id'), { ...RECORD, result: completed(LONG) });
  await peers.takeTurn(LONG, POLL_MS);
  rateLimitGates.legacy.note('me', 1_000);
  await mutex.run(LONG, async () => {
    const keys = await redis.client.keys('*');
    expect(keys).toHaveLength(6);
    const ends = new Map<string, number>();
    for (const key of keys) {
      expect(key.length).toBeLessThanOrEqual(70);
      ends.set(key, await redis.client.pttl(key));
    }
    const endless = [...ends].filter(([, leftMs]) => leftMs === -1).map(([key]) => key);
    expect(endless.toSorted()).toEqual(['spg:epoch']);
    const leftMs = (kind: string, ...parts: string[]): number => ends.get(keyOf(kind, ...parts)) ?? 0;
    expect(leftMs('write', 'id')).toBeGreaterThan(KEPT_MS - 60_000);
    for (const [left, most] of [
      [leftMs('write', LONG), KEPT_MS],
      [leftMs('turn', LONG), LEASE_MS],
      [leftMs('poll', LONG), POLL_MS],
    ] as const) {
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(most);
    }
  });
});

test
  .runIf(isRedisHere)
  .each(['{"record":null}', '{}', 'null', '[]', '7', 'not JSON', '{"record":{"result":{}}}'])(
  'what lies under the name of a write and is none (%s) lets nothing be sent',
  async (text) => {
    const [redis, { journal }] = await join();
    await journal.begin(journalKey('id'), RECORD);
    await redis.client.set(keyOf('write', 'id'), text);
    await expect(journal.find(journalKey('id'))).rejects.toThrow();
    await expect(journal.begin(journalKey('id'), RECORD)).rejects.toThrow();
  },
);

test.runIf(isRedisHere)('a record that is too large is not stored', async () => {
  const [, { journal }] = await join();
  await journal.begin(journalKey('id'), RECORD);
  await journal.finish(journalKey('id'), { ...RECORD, result: completed(LARGE) });
  expect(await journal.find(journalKey('id'))).toEqual(RECORD);
});

test.runIf(isRedisHere)('a turn is renewed while its task runs', async () => {
  const [redis, { mutex }] = await join();
  await mutex.run('one', async (turn) => {
    const key = keyOf('turn', 'one');
    await redis.client.pexpire(key, LEASE_MS - 3_000);
    await expect.poll(() => redis.client.pttl(key)).toBeGreaterThan(LEASE_MS - 1_000);
    expect(turn.isHeld()).toBe(true);
  });
  await expect.poll(() => redis.client.exists(keyOf('turn', 'one'))).toBe(0);
});
