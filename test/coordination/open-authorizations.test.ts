import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  AUTHORIZATION_MS,
  createOpenAuthorizations,
  MAX_OPEN,
  type OpenAuthorizations,
  type Opening,
} from '../../src/coordination/open-authorizations.ts';
import { keyOf } from '../../src/coordination/redis/key.ts';
import { journalKey } from '../support/journal-keys.ts';
import { joinRedis, PAIRS } from '../support/processes.ts';
import { isRedisHere, startRedis } from '../support/redis.ts';

const RECORD = { mutation: 'createPost', fingerprint: 'f', startedAt: 0, result: null };
const MINE = { network: '192.0.2.1', limit: 3 };
const THEIRS = { network: '192.0.2.2', limit: 3 };
const UNBOUNDED = { network: '192.0.2.3', limit: 1_000_000 };
const ALL = 'spg:authorizations';

/** What callers begin in ten minutes. */
const MANY = 30_000;
/** As many as take the room without a bound, with so little for each. */
const UNBOUND = 70_000;
/** Most that those that are open may take, and what Redis has room for beyond what it holds without them. */
const LARGEST_BYTES = 6_000_000;
const ROOM_BYTES = 7_000_000;

/** Sets a thousand keys. */
const FILL = `for i = 1, 1000 do redis.call('SET', KEYS[1] .. i, '1', 'PX', ARGV[1]) end`;

/** Opens many, some at a time. */
async function openMany(to: OpenAuthorizations, count: number, origin = UNBOUNDED): Promise<Opening[]> {
  const openings: Opening[] = [];
  while (openings.length < count) {
    const size = Math.min(500, count - openings.length);
    const states = Array.from({ length: size }, (_, index) => `s${openings.length + index}`);
    openings.push(...(await Promise.all(states.map((state) => to.open(state, origin)))));
  }
  return openings;
}

describe.each(PAIRS)('open authorisations, %s,', (_name, open) => {
  test('are so many for each network over all processes, and one that ends makes room', async () => {
    const [{ openAuthorizations: one }, { openAuthorizations: other }] = await open();
    expect(await one.open('a', MINE)).toBe('open');
    expect(await other.open('b', MINE)).toBe('open');
    expect(await one.open('c', MINE)).toBe('open');
    for (const side of [one, other]) expect(await side.open('d', MINE)).toBe('network-full');
    expect(await other.open('e', THEIRS)).toBe('open');
    expect(await other.take('d')).toBe(false);
    expect(await other.take('a')).toBe(true);
    await expect.poll(() => one.open('f', MINE)).toBe('open');
    expect(await one.open('g', MINE)).toBe('network-full');
    for (const state of ['b', 'c', 'e', 'f']) expect([state, await one.take(state)]).toEqual([state, true]);
  });

  test('are so many in all, and none of them is given up for another', async () => {
    const [{ openAuthorizations: one }, { openAuthorizations: other }] = await open();
    await one.open('mine', MINE);
    const openings = await openMany(other, MAX_OPEN + 100);
    expect(openings.filter((opening) => opening === 'open')).toHaveLength(MAX_OPEN - 1);
    expect(openings.filter((opening) => opening === 'full')).toHaveLength(101);
    expect(await one.take('mine')).toBe(true);
    expect(await one.take('s0')).toBe(true);
    await expect.poll(() => one.open('mine again', MINE)).toBe('open');
  });
});

test('one that took too long makes room in memory', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  const authorizations = createOpenAuthorizations();
  await openMany(authorizations, 3, MINE);
  clock.mockReturnValue(AUTHORIZATION_MS - 1);
  expect(await authorizations.open('late', MINE)).toBe('network-full');
  clock.mockReturnValue(AUTHORIZATION_MS);
  expect(await authorizations.open('late', MINE)).toBe('open');
  expect(await authorizations.take('s0')).toBe(false);
});

describe.runIf(isRedisHere)('in Redis', () => {
  test('one that took too long makes room', async () => {
    const { client, port } = await startRedis();
    const { openAuthorizations } = await joinRedis(port);
    await openMany(openAuthorizations, 3, MINE);
    expect(await openAuthorizations.open('late', MINE)).toBe('network-full');
    for (const key of (await client.keys('*')).filter((one) => /authorizations/.test(one)))
      for (const member of await client.zrange(key, 0, 0)) await client.zadd(key, Date.now() - 1, member);
    expect(await openAuthorizations.open('late', MINE)).toBe('open');
    expect(await client.zcard(ALL)).toBe(3);
  });

  test('nobody can read which networks they are of', async () => {
    const redis = await startRedis();
    const { openAuthorizations } = await joinRedis(redis.port);
    await openAuthorizations.open('state', MINE);
    const dump = await redis.dump();
    expect(dump).toContain(ALL);
    expect(dump).not.toContain(MINE.network);
    expect(dump).not.toContain(keyOf('authorizations-of', MINE.network));
  });

  test('they leave the memory to the writes, however many are begun', async () => {
    const redis = await startRedis();
    const { client } = redis;
    const { openAuthorizations, journal, isAgreed } = await joinRedis(redis.port);
    const used = async (): Promise<number> =>
      Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);
    const before = await used();
    await client.config('SET', 'maxmemory', String(before + ROOM_BYTES));
    await openMany(openAuthorizations, MANY);
    expect(await client.dbsize()).toBeLessThan(MAX_OPEN + 100);
    expect((await used()) - before).toBeLessThan(LARGEST_BYTES);
    expect(await journal.begin(journalKey('id'), RECORD)).toBeNull();

    // The control: without a bound, as many take the room.
    const fill = async (first: number): Promise<void> => {
      await client
        .eval(FILL, 1, keyOf('authorization', `u${first}`), AUTHORIZATION_MS)
        .catch(() => undefined);
    };
    for (let first = 0; first < UNBOUND; first += 1_000) await fill(first);
    await expect(journal.begin(journalKey('another'), RECORD)).rejects.toThrow();
    expect(isAgreed()).toBe(false);
  });
});
