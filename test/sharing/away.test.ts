import { describe, expect, onTestFinished, test } from 'vitest';
import { keyOf } from '../../src/redis/key.ts';
import { TURN_LEASE_MS } from '../../src/redis/turns.ts';
import type { Sharing } from '../../src/sharing.ts';
import { completed } from '../../src/writes/outcome.ts';
import { hearEachOther, joinRedis, lookoutOf } from '../support/processes.ts';
import { MOST_LOST_MS, SCHEDULING_MS } from '../support/outages.ts';
import { isRedisHere, startRedis, type RedisServer } from '../support/redis.ts';
import { HEALED, timed } from '../support/shared-live.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const RECORD = { fingerprint: 'f', startedAt: 0, result: null };
const DONE = { ...RECORD, result: completed('made') };

const isBack = (sharing: Sharing): Promise<void> => expect.poll(sharing.isAgreed, HEALED).toBe(true);
const isAway = (sharing: Sharing): Promise<void> => expect.poll(sharing.isAgreed, HEALED).toBe(false);

async function joinTwo(): Promise<readonly [RedisServer, Sharing, Sharing]> {
  const redis = await startRedis();
  const pair = await Promise.all([joinRedis(redis.port), joinRedis(redis.port)] as const);
  await hearEachOther(pair);
  return [redis, ...pair];
}

async function restartEmpty(redis: RedisServer): Promise<void> {
  await redis.stop();
  await redis.start();
}

describe.runIf(isRedisHere)('while Redis does not answer', () => {
  const USES: readonly (readonly [what: string, use: (sharing: Sharing) => Promise<unknown>])[] = [
    ['begins a write', async ({ store }) => expect(store.begin('id', RECORD)).rejects.toThrow()],
    ['looks for a write', async ({ store }) => expect(store.find('id')).rejects.toThrow()],
    ['ends a write', ({ store }) => store.finish('id', DONE)],
    ['forgets a write', ({ store }) => store.forget('id')],
    ['takes a turn', ({ turns }) => turns.take('one', () => Promise.resolve())],
    ['asks for a generation', ({ generations }) => generations.refresh('me', ['c'])],
    ['asks for what is pending', ({ generations }) => generations.refreshPending('me')],
    ['asks whether to look', (sharing) => lookoutOf(sharing, 'me').ask(new Map([['c', 1]]))],
    ['opens an authorisation', ({ openAuthorizations }) => openAuthorizations.open('state')],
    ['takes an authorisation', ({ openAuthorizations }) => openAuthorizations.take('state')],
  ];
  test.each(USES)('nobody who %s waits for it for long', async (_what, use) => {
    const [redis, one] = await joinTwo();
    redis.freeze();
    onTestFinished(() => redis.thaw());
    // The first one finds out, and the next ones know.
    for (const mostMs of [MOST_LOST_MS, 0])
      expect(await timed(() => use(one))).toBeLessThan(mostMs + SCHEDULING_MS);
  });

  test('what began without an answer is gone when it is back', async () => {
    const [redis, one, other] = await joinTwo();
    redis.freeze();
    await expect(one.store.begin('id', RECORD)).rejects.toThrow();
    await isAway(one);
    redis.thaw();
    await Promise.all([isBack(one), isBack(other)]);
    expect(await other.store.find('id')).toBeNull();
    expect(await one.store.begin('id', RECORD)).toBeNull();
    expect(await other.store.begin('id', { ...RECORD, fingerprint: 'g' })).toEqual(RECORD);
  });

  test('a turn and an authorisation that were asked for leave nothing behind either', async () => {
    const [redis, one, other] = await joinTwo();
    redis.freeze();
    await Promise.all([one.turns.take('one', () => Promise.resolve()), one.openAuthorizations.open('state')]);
    redis.thaw();
    await Promise.all([isBack(one), isBack(other)]);
    expect(await redis.client.exists(keyOf('turn', 'one'))).toBe(0);
    expect(await one.openAuthorizations.take('state')).toBe(true);
    for (const { openAuthorizations } of [one, other])
      expect(await openAuthorizations.take('state')).toBe(false);
  });
});

describe.runIf(isRedisHere)('when Redis is back', () => {
  test('what ended while it was away is told', async () => {
    const [redis, one, other] = await joinTwo();
    await one.store.begin('done', RECORD);
    await one.store.begin('unsent', RECORD);
    one.generations.start('me', 'c', { wire: { contentId: 'c' }, isFinished: false });
    redis.freeze();
    await Promise.all([one.store.finish('done', DONE), one.store.forget('unsent')]);
    one.generations.finish('me', 'c', { contentId: 'c', aiResponse: 'The text.' });
    redis.thaw();
    await Promise.all([isBack(one), isBack(other)]);
    expect(await other.store.find('done')).toEqual(DONE);
    expect(await other.store.find('unsent')).toBeNull();
    await other.generations.refresh('me', ['c']);
    expect(other.generations.find('me', 'c')).toMatchObject({ status: 'COMPLETE', startedHere: true });
  });

  test('and has forgotten everything, it is told again before a write begins', async () => {
    const [redis, one, other] = await joinTwo();
    await one.store.begin('done', RECORD);
    await one.store.finish('done', DONE);
    await one.store.begin('under way', RECORD);
    await other.store.begin('of another', RECORD);
    one.generations.start('me', 'c', { wire: { contentId: 'c' }, isFinished: false });
    await redis.stop();
    await Promise.all([isAway(one), isAway(other)]);
    await redis.start();
    await Promise.all([isBack(one), isBack(other)]);
    const backAt = performance.now();
    const began = async ({ store }: Sharing, id: string) =>
      await store.begin(id, { ...RECORD, fingerprint: 'g' }).catch(() => 'refused');
    expect([await began(one, 'new'), await began(other, 'done')]).toEqual(['refused', 'refused']);
    await expect(one.store.find('done')).rejects.toThrow();
    await expect.poll(() => began(other, 'done'), HEALED).not.toBe('refused');
    expect(performance.now() - backAt).toBeGreaterThan(1_000);
    expect(await began(other, 'done')).toEqual(DONE);
    expect(await began(other, 'under way')).toEqual(RECORD);
    await expect.poll(() => began(one, 'of another'), HEALED).toEqual(RECORD);
    expect(await began(one, 'new')).toBeNull();
    await other.generations.refreshPending('me');
    expect(other.generations.pending('me')).toMatchObject([{ contentId: 'c' }]);
  });

  test('and has forgotten everything, a process that comes just then does not begin what was done', async () => {
    const [redis, one] = await joinTwo();
    await one.store.begin('done', RECORD);
    await one.store.finish('done', DONE);
    await restartEmpty(redis);
    const newcomer = await joinRedis(redis.port);
    const began = () => newcomer.store.begin('done', RECORD).catch(() => 'refused');
    await expect.poll(began, HEALED).not.toBe('refused');
    expect(await began()).toEqual(DONE);
  });

  test(
    'and has forgotten everything, whoever has much to tell keeps nobody waiting',
    { timeout: 40_000 },
    async () => {
      const [redis, one] = await joinTwo();
      const ids = Array.from({ length: 20_000 }, (_, index) => `id ${index}`);
      for (let from = 0; from < ids.length; from += 100)
        await Promise.all(ids.slice(from, from + 100).map((id) => one.store.begin(id, RECORD)));
      await restartEmpty(redis);
      let longestMs = 0;
      let last = performance.now();
      const timer = setInterval(() => {
        longestMs = Math.max(longestMs, performance.now() - last - 5);
        last = performance.now();
      }, 5);
      onTestFinished(() => clearInterval(timer));
      await expect.poll(() => redis.client.dbsize(), { timeout: 10_000 }).toBeGreaterThanOrEqual(20_000);
      expect(longestMs).toBeLessThan(MOST_LOST_MS);
    },
  );
});

describe.runIf(isRedisHere)('a turn whose process is cut off', () => {
  test('passes to another when its lease has ended, and it knows', async () => {
    const redis = await startRedis();
    const proxy = await startTcpProxy(redis.port);
    const [cutOff, other] = await Promise.all([joinRedis(proxy.port), joinRedis(redis.port)]);
    await cutOff.turns.take('one', async (turn) => {
      const key = keyOf('turn', 'one');
      expect(await redis.client.pttl(key)).toBeGreaterThan(TURN_LEASE_MS - 2_000);
      proxy.cut();
      await isAway(cutOff);
      expect(turn.isHeld()).toBe(true);
      // The rest of the lease passes more quickly here.
      const endsAt = performance.now() + 500;
      await redis.client.pexpire(key, 500);
      expect(await other.turns.take('one', () => Promise.resolve(performance.now()))).toBeGreaterThan(
        endsAt - 20,
      );
      await other.turns.take('one', async () => {
        proxy.restore();
        await expect.poll(() => turn.isHeld(), HEALED).toBe(false);
      });
    });
    expect(await other.turns.take('one', (turn) => Promise.resolve(turn.isHeld()))).toBe(true);
  });

  test('ends by itself, without a word from Redis', async () => {
    const redis = await startRedis();
    const proxy = await startTcpProxy(redis.port);
    const [cutOff, other] = await Promise.all([joinRedis(proxy.port), joinRedis(redis.port)]);
    await cutOff.turns.take('one', async (turn) => {
      proxy.mute();
      const startedAt = performance.now();
      const wasHeld = await other.turns.take('one', () => Promise.resolve(turn.isHeld()));
      expect(wasHeld).toBe(false);
      expect(performance.now() - startedAt).toBeLessThan(TURN_LEASE_MS + 1_000);
    });
  });
});
