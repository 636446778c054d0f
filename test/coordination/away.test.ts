import type { ChainableCommander, Redis } from 'ioredis';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openLog } from '../../src/observability/log.ts';
import { within } from '../../src/coordination/redis/connection.ts';
import { keyOf } from '../../src/coordination/redis/connection.ts';
import { RedisLink } from '../../src/coordination/redis/link.ts';
import type { Coordination } from '../../src/coordination/coordination.ts';
import { Generations } from '../../src/live/generations.ts';
import { completed, unknown } from '../../src/writes/outcome.ts';
import { journalKey } from '../support/journal-keys.ts';
import { cases } from '../support/depth.ts';
import { hearEachOther, joinRedis } from '../support/processes.ts';
import { isRedisHere, startRedis, type RedisServer } from '../support/redis.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const SILENT = openLog('error', () => undefined);

// Redis is to count as away within a second.
const SOON_AWAY = { commandTimeoutMs: 1_000 };
const RECORD = { mutation: 'createPost', fingerprint: 'f', startedAt: 0, result: null };
const DONE = { ...RECORD, result: completed('made') };

const isBack = (sharing: Coordination): Promise<void> => expect.poll(sharing.isAgreed).toBe(true);
const isAway = (sharing: Coordination): Promise<void> => expect.poll(sharing.isAgreed).toBe(false);

async function joinTwo(): Promise<readonly [RedisServer, Coordination, Coordination]> {
  const redis = await startRedis();
  const pair = await Promise.all([
    joinRedis(redis.port, SOON_AWAY),
    joinRedis(redis.port, SOON_AWAY),
  ] as const);
  await hearEachOther(pair);
  return [redis, ...pair];
}

/** Two processes, of which one reaches Redis through a proxy. */
async function joinOneThatIsCutOff() {
  const redis = await startRedis();
  const proxy = await startTcpProxy(redis.port);
  const [cutOff, other] = await Promise.all([
    joinRedis(proxy.port, SOON_AWAY),
    joinRedis(redis.port, SOON_AWAY),
  ]);
  return { redis, proxy, cutOff, other };
}

async function restartEmpty(redis: RedisServer): Promise<void> {
  await redis.stop();
  await redis.start();
}

describe.runIf(isRedisHere)('while Redis does not answer', () => {
  const USES: readonly (readonly [what: string, use: (sharing: Coordination) => Promise<unknown>])[] = [
    [
      'begins a write',
      async ({ journal }) => expect(journal.begin(journalKey('id'), RECORD)).rejects.toThrow(),
    ],
    ['looks for a write', async ({ journal }) => expect(journal.find(journalKey('id'))).rejects.toThrow()],
    ['ends a write', ({ journal }) => journal.finish(journalKey('id'), DONE)],
    ['forgets a write', ({ journal }) => journal.forget(journalKey('id'))],
    ['takes a turn', ({ mutex }) => mutex.run('one', () => Promise.resolve())],
    ['takes the turn to poll', async ({ peers }) => expect(await peers.takeTurn('me', 1_000)).toBe(0)],
  ];
  test('nobody waits for it', async () => {
    const [redis, one] = await joinTwo();
    redis.freeze();
    onTestFinished(() => redis.thaw());
    // Redis never answers here. The first calls find that out, and the others know.
    await Promise.all(USES.map(async ([, use]) => await use(one)));
    for (const [, use] of USES) await use(one);
    expect(one.isAgreed()).toBe(false);
  });

  test('a command is given up when its time is over, and then none is sent before it is back', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const outcome = within(new Promise(() => undefined), 120).catch(String);
    await vi.advanceTimersByTimeAsync(119);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(2);
    expect(await outcome).toContain('timed out');
    vi.useRealTimers();

    const redis = await startRedis();
    const link = new RedisLink({ url: redis.url, ...SOON_AWAY }, SILENT);
    onTestFinished(() => link.close());
    await expect.poll(() => link.isUp).toBe(true);
    redis.freeze();
    onTestFinished(() => redis.thaw());
    await expect(link.run((client) => client.ping())).rejects.toThrow('timed out');
    const command = vi.fn<(client: Redis) => Promise<string>>((client) => client.ping());
    await expect(link.run(command)).rejects.toThrow('Redis is unavailable');
    expect(command).not.toHaveBeenCalled();
  });

  test('what began without an answer is gone when it is back', async () => {
    const [redis, one, other] = await joinTwo();
    redis.freeze();
    await expect(one.journal.begin(journalKey('id'), RECORD)).rejects.toThrow();
    await isAway(one);
    redis.thaw();
    await Promise.all([isBack(one), isBack(other)]);
    expect(await other.journal.find(journalKey('id'))).toBeNull();
    expect(await one.journal.begin(journalKey('id'), RECORD)).toBeNull();
    expect(await other.journal.begin(journalKey('id'), { ...RECORD, fingerprint: 'g' })).toEqual(RECORD);
  });

  test('a turn that was asked for leaves nothing behind either', async () => {
    const [redis, one, other] = await joinTwo();
    redis.freeze();
    await one.mutex.run('one', () => Promise.resolve());
    redis.thaw();
    await Promise.all([isBack(one), isBack(other)]);
    expect(await redis.client.exists(keyOf('turn', 'one'))).toBe(0);
  });
});

describe.runIf(isRedisHere)('when Redis is back', () => {
  test('what ended while it was away is told', async () => {
    const [redis, one, other] = await joinTwo();
    await one.journal.begin(journalKey('done'), RECORD);
    await one.journal.begin(journalKey('unsent'), RECORD);
    const [mine, theirs] = [one, other].map(({ peers }) => new Generations(60_000, peers));
    mine?.start('me', 'c', { wire: { contentId: 'c' }, isFinished: false });
    redis.freeze();
    await Promise.all([
      one.journal.finish(journalKey('done'), DONE),
      one.journal.forget(journalKey('unsent')),
    ]);
    mine?.finish('me', 'c', { contentId: 'c', aiResponse: 'The text.' });
    redis.thaw();
    await Promise.all([isBack(one), isBack(other)]);
    expect(await other.journal.find(journalKey('done'))).toEqual(DONE);
    expect(await other.journal.find(journalKey('unsent'))).toBeNull();
    await expect.poll(() => theirs?.find('me', 'c')).toMatchObject({ status: 'COMPLETE', startedHere: true });
  });

  test('what another process has found out meanwhile stands', async () => {
    const { proxy, cutOff, other } = await joinOneThatIsCutOff();
    await cutOff.journal.begin(journalKey('id'), RECORD);
    await cutOff.journal.finish(journalKey('id'), { ...RECORD, result: unknown('Look.') });
    proxy.cut();
    await isAway(cutOff);
    await other.journal.finish(journalKey('id'), DONE);
    proxy.restore();
    await isBack(cutOff);
    for (const { journal } of [cutOff, other]) expect(await journal.find(journalKey('id'))).toEqual(DONE);
  });

  test('and has forgotten everything, it is told again before a write begins', async () => {
    const [redis, one, other] = await joinTwo();
    await one.journal.begin(journalKey('done'), RECORD);
    await one.journal.finish(journalKey('done'), DONE);
    await one.journal.begin(journalKey('under way'), RECORD);
    await other.journal.begin(journalKey('of another'), RECORD);
    await redis.stop();
    await Promise.all([isAway(one), isAway(other)]);
    await redis.start();
    await Promise.all([isBack(one), isBack(other)]);
    const began = async ({ journal }: Coordination, id: string) =>
      await journal.begin(journalKey(id), { ...RECORD, fingerprint: 'g' }).catch(() => 'refused');
    expect([await began(one, 'new'), await began(other, 'done')]).toEqual(['refused', 'refused']);
    await expect(one.journal.find(journalKey('done'))).rejects.toThrow();
    await expect.poll(() => began(other, 'done')).not.toBe('refused');
    expect(await began(other, 'done')).toEqual(DONE);
    expect(await began(other, 'under way')).toEqual(RECORD);
    await expect.poll(() => began(one, 'of another')).toEqual(RECORD);
    expect(await began(one, 'new')).toBeNull();
  });

  test('and has forgotten everything, a process that comes just then does not begin what was done', async () => {
    const [redis, one] = await joinTwo();
    await one.journal.begin(journalKey('done'), RECORD);
    await one.journal.finish(journalKey('done'), DONE);
    await restartEmpty(redis);
    const newcomer = await joinRedis(redis.port, SOON_AWAY);
    const began = () => newcomer.journal.begin(journalKey('done'), RECORD).catch(() => 'refused');
    await expect.poll(began).not.toBe('refused');
    expect(await began()).toEqual(DONE);
  });

  test('and has forgotten everything, a process that has much to tell sends it in small portions', async () => {
    const [redis, one] = await joinTwo();
    const count = cases(1_000, 20_000);
    const ids = Array.from({ length: count }, (_, index) => `id ${index}`);
    for (let from = 0; from < ids.length; from += 100)
      await Promise.all(ids.slice(from, from + 100).map((id) => one.journal.begin(journalKey(id), RECORD)));
    const pipelines = vi.spyOn(Object.getPrototypeOf(redis.client) as Redis, 'pipeline');
    onTestFinished(() => pipelines.mockRestore());
    await restartEmpty(redis);
    await expect.poll(() => redis.client.dbsize()).toBeGreaterThanOrEqual(count);
    // Between two portions the process does other things.
    const portions = pipelines.mock.results.map(({ value }) => (value as ChainableCommander).length);
    expect(portions.reduce((sum, length) => sum + length, 0)).toBeGreaterThanOrEqual(count);
    expect(Math.max(...portions)).toBeLessThanOrEqual(200);
  });
});

describe.runIf(isRedisHere)('a turn whose process is cut off', () => {
  test('passes to another when its lease has ended, and it knows', async () => {
    const { redis, proxy, cutOff, other } = await joinOneThatIsCutOff();
    await cutOff.mutex.run('one', async (turn) => {
      const key = keyOf('turn', 'one');
      expect(await redis.client.pttl(key)).toBeGreaterThan(0);
      proxy.cut();
      await isAway(cutOff);
      // The rest of the lease passes more quickly here.
      const endsAt = performance.now() + 500;
      await redis.client.pexpire(key, 500);
      const begunAt = await other.mutex.run('one', () => Promise.resolve(performance.now()));
      expect(begunAt).toBeGreaterThan(endsAt - 20);
      await other.mutex.run('one', async () => {
        proxy.restore();
        await expect.poll(() => turn.isHeld()).toBe(false);
      });
    });
    expect(await other.mutex.run('one', (turn) => Promise.resolve(turn.isHeld()))).toBe(true);
  });

  test('ends by itself, without a word from Redis', async () => {
    const { proxy, cutOff, other } = await joinOneThatIsCutOff();
    await cutOff.mutex.run('one', async (turn) => {
      proxy.mute();
      expect(await other.mutex.run('one', () => Promise.resolve(turn.isHeld()))).toBe(false);
    });
  });
});
