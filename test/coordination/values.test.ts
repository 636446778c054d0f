import { expect, test } from 'vitest';
import type { Generations } from '../../src/live/generations.ts';
import { keyOf } from '../../src/coordination/redis/key.ts';
import { LOOK_LEASE_MS } from '../../src/coordination/redis/poll-leader.ts';
import { LEASE_MS } from '../../src/journal/locks.ts';
import { KEPT_MS } from '../../src/journal/journal.ts';
import { completed } from '../../src/writes/outcome.ts';
import { journalKey } from '../support/journal-keys.ts';
import { ORIGIN, hearEachOther, joinRedis, candidacyOf } from '../support/processes.ts';
import { isRedisHere, startRedis, type RedisServer } from '../support/redis.ts';

const RECORD = { mutation: 'createPost', fingerprint: 'f', startedAt: 0, result: null };
const LONG = 'ü'.repeat(5_000);
const LARGE = 'x'.repeat(300 * 1024);
const pending = (at: Generations, contentId: string, text = ''): void =>
  void at.start('me', contentId, { wire: { contentId, tone: text }, isFinished: false });

async function join(): Promise<readonly [RedisServer, Awaited<ReturnType<typeof joinRedis>>]> {
  const redis = await startRedis();
  return [redis, await joinRedis(redis.port)];
}

/** Waits for a key, and gives the milliseconds that it has left. */
async function leftOf({ client }: RedisServer, key: string): Promise<number> {
  await expect.poll(() => client.exists(key)).toBe(1);
  return await client.pttl(key);
}

test.runIf(isRedisHere)('whatever lies in Redis has a short name and an end', async () => {
  const redis = await startRedis();
  const pair = await Promise.all([joinRedis(redis.port), joinRedis(redis.port)] as const);
  await hearEachOther(pair);
  const [{ journal, mutex, generations, openAuthorizations, rateLimitGates }] = pair;
  await journal.begin(journalKey(LONG), RECORD);
  await journal.begin(journalKey('id'), RECORD);
  await journal.finish(journalKey('id'), { ...RECORD, result: completed(LONG) });
  pending(generations, 'c');
  pending(generations, LONG);
  generations.finish('me', 'd', { contentId: 'd', aiResponse: LONG });
  await candidacyOf(pair[0], LONG).ask(new Map([['c', 1]]));
  await openAuthorizations.open(LONG, ORIGIN);
  rateLimitGates.legacy.note('me', 1_000);
  await mutex.run(LONG, async () => {
    await leftOf(redis, keyOf('generation', 'me', 'd'));
    const keys = await redis.client.keys('*');
    expect(keys.length).toBeGreaterThanOrEqual(10);
    const ends = new Map<string, number>();
    for (const key of keys) {
      expect(key.length).toBeLessThanOrEqual(70);
      ends.set(key, await redis.client.pttl(key));
    }
    const endless = [...ends].filter(([, leftMs]) => leftMs === -1).map(([key]) => key);
    expect(endless.toSorted()).toEqual(['spg:epoch', 'spg:news']);
    const leftMs = (kind: string, ...parts: string[]): number => ends.get(keyOf(kind, ...parts)) ?? 0;
    expect(leftMs('write', 'id')).toBeGreaterThan(KEPT_MS - 60_000);
    for (const [left, most] of [
      [leftMs('write', LONG), KEPT_MS],
      [leftMs('turn', LONG), LEASE_MS],
      [leftMs('look', LONG), LOOK_LEASE_MS],
      [leftMs('wanted', LONG), LOOK_LEASE_MS],
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

test.runIf(isRedisHere)('a record or a content id that is too large is not stored', async () => {
  const [redis, { journal, generations }] = await join();
  await journal.begin(journalKey('id'), RECORD);
  await journal.finish(journalKey('id'), { ...RECORD, result: completed(LARGE) });
  expect(await journal.find(journalKey('id'))).toEqual(RECORD);
  pending(generations, 'large', LARGE.repeat(4));
  pending(generations, 'x'.repeat(10_000));
  pending(generations, 'a marker');
  await leftOf(redis, keyOf('generation', 'me', 'a marker'));
  // The marker, and what says of the others that they are there.
  expect((await redis.dump()).length).toBeLessThan(3_000);
});

/** Adds as many entries to the news, and to what is pending for a caller, as others might have in a long time. */
const FILL = `
for index = 1, ARGV[1] do redis.call('XADD', KEYS[1], '*', 'from', 'others', 'what', '{}') end
for index = 1, ARGV[2] do redis.call('ZADD', KEYS[2], index, 'c' .. index) end`;

test.runIf(isRedisHere)('what is pending and what is told is bounded in number', async () => {
  const [{ client }, { generations, rateLimitGates }] = await join();
  const pendingKey = keyOf('pending', 'me');
  await client.eval(FILL, 2, 'spg:news', pendingKey, 22_000, 2_100);
  rateLimitGates.current.note('me', 0);
  pending(generations, 'the newest');
  await expect.poll(() => client.zscore(pendingKey, 'the newest')).not.toBeNull();
  await expect.poll(() => client.xlen('spg:news')).toBeLessThan(20_500);
  expect(await client.xlen('spg:news')).toBeGreaterThanOrEqual(20_000);
  expect(await client.zcard(pendingKey)).toBe(2_000);
});

test.runIf(isRedisHere)('news that nobody can read do not keep the later ones away', async () => {
  const redis = await startRedis();
  const pair = await Promise.all([joinRedis(redis.port), joinRedis(redis.port)] as const);
  await hearEachOther(pair);
  await redis.client.xadd('spg:news', '*', 'from', 'a later version', 'what', 'no JSON');
  await redis.client.xadd('spg:news', '*', 'from', 'a later version', 'what', '{"kind":"unheard of"}');
  await redis.client.xadd('spg:news', '*', 'other', 'fields');
  await hearEachOther(pair);
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
