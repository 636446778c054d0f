import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { inflateSync } from 'node:zlib';
import { Redis, type ChainableCommander } from 'ioredis';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Coordination } from '../../src/coordination/coordination.ts';
import { keyOf } from '../../src/coordination/redis/connection.ts';
import { problemOfRedis, RedisLink } from '../../src/coordination/redis/link.ts';
import { createRedisKeyedMutex, LEASE_MS } from '../../src/coordination/redis/locks.ts';
import { KEPT_MS } from '../../src/journal/journal.ts';
import { createKeyedMutex } from '../../src/journal/locks.ts';
import { Generations } from '../../src/live/generations.ts';
import { openLog } from '../../src/observability/log.ts';
import { Origin } from '../../src/writes/find-created.ts';
import { completed, unknown } from '../../src/writes/outcome.ts';
import { cases } from '../support/depth.ts';
import { freePort, startTcpProxy } from '../support/network.ts';
import {
  journalKey,
  hearEachOther,
  joinRedis,
  sideBySide,
  type JoinOptions,
  isRedisHere,
  listenIn,
  openRedis,
  pauseOf,
  startRedis,
  tellNothingForgotten,
  type RedisServer,
} from '../support/redis.ts';
import { shared as share } from '../support/shared.ts';

// What lies in Redis, what goes through it, and what processes do while it is away and when it is back.

const SILENT = openLog('error', () => undefined);
// Redis is to count as away soon, but not where a busy machine keeps it from answering.
const SOON_AWAY = { commandTimeoutMs: 2_000 };
const RECORD = { mutation: 'createPost', fingerprint: 'f', startedAt: 0, result: null };
const DONE = { ...RECORD, result: completed('made') };

/** A Redis with nothing in it but what says that it has not forgotten anything just now. */
function shareRedis(): () => RedisServer {
  const running = share(openRedis, ({ close }) => close());
  beforeEach(async () => {
    const { client } = running();
    await client.config('SET', 'maxmemory-policy', 'noeviction');
    await client.flushall();
    await tellNothingForgotten(client);
  });
  return running;
}

async function reasonAt(url: string): Promise<unknown> {
  const lines: string[] = [];
  const log = openLog('warn', (line) => void lines.push(line));
  const link = new RedisLink({ url, ...SOON_AWAY }, log);
  await link.tried;
  await link.close();
  expect(lines).toHaveLength(1);
  return (JSON.parse(lines[0] ?? '') as { readonly reason: unknown }).reason;
}

test('the log says why no connection to Redis was made', async () => {
  expect(await reasonAt(`redis://127.0.0.1:${await freePort()}`)).toBe('ECONNREFUSED');
  expect(await reasonAt('redis://redis.invalid')).toMatch(/^(?:ENOTFOUND|EAI_AGAIN)$/);
  const reasonOfServer = async (answer: (socket: Socket) => void): Promise<unknown> => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      answer(socket);
    });
    onTestFinished(() => void server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as { readonly port: number };
    return await reasonAt(`redis://127.0.0.1:${port}`);
  };
  const answersHttp = await reasonOfServer((socket) => {
    socket.once('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
  });
  expect(answersHttp).toBe('not a Redis server');
  expect(await reasonOfServer((socket) => void socket.destroy())).toBe('the connection was closed');
});

test('a lock that Redis renews late is held from when that was asked for, not from when it was answered', async () => {
  vi.useFakeTimers();
  const begunAt = performance.now();
  let renewedAt = 0;
  const redis = new Redis({ lazyConnect: true });
  vi.spyOn(redis, 'set').mockResolvedValue('OK');
  const renew = vi.spyOn(redis, 'eval').mockRejectedValue(new Error('away'));
  renew.mockImplementationOnce(() => {
    renewedAt = performance.now();
    return new Promise((resolve) => setTimeout(() => resolve(1), LEASE_MS / 2));
  });
  const link: Parameters<typeof createRedisKeyedMutex>[1] = {
    run: (command) => command(redis),
    deliver: () => Promise.resolve(),
    isUp: true,
    ageMs: Infinity,
  };
  await createRedisKeyedMutex(createKeyedMutex(), link).run('one', async (lease) => {
    await vi.advanceTimersByTimeAsync(LEASE_MS + 100);
    expect(renewedAt).toBeGreaterThan(begunAt);
    expect(lease.isHeld()).toBe(true);
    await vi.advanceTimersByTimeAsync(renewedAt - begunAt);
    expect(lease.isHeld()).toBe(false);
  });
});

const isBack = (sharing: Coordination): Promise<void> => expect.poll(sharing.isAgreed).toBe(true);
const isAway = (sharing: Coordination): Promise<void> => expect.poll(sharing.isAgreed).toBe(false);

/** What a process knows of a write, once Redis answers it. */
const knows = ({ journal }: Coordination, id: string) =>
  expect.poll(() => journal.find(journalKey(id)).catch(() => 'refused'));
const began = async ({ journal }: Coordination, id: string) =>
  await journal.begin(journalKey(id), { ...RECORD, fingerprint: 'g' }).catch(() => 'refused');

interface Numbered {
  readonly number: number;
  readonly filling?: string;
}

describe.runIf(isRedisHere)('in Redis', () => {
  const shared = shareRedis();
  const join = (options?: JoinOptions) => joinRedis(shared().port, options);

  async function joinTwo() {
    const pair = [await join(), await join()] as const;
    await hearEachOther(pair);
    const [{ peers: one }, { peers: other }] = pair;
    return { one, other, pair };
  }

  test('whatever lies there has a short name and an end', async () => {
    const { pair } = await joinTwo();
    const [{ journal, mutex, peers, rateLimitGates }] = pair;
    const [POLL_MS, LONG] = [60_000, 'ü'.repeat(5_000)];
    await journal.begin(journalKey(LONG), RECORD);
    await journal.begin(journalKey('id'), RECORD);
    await journal.finish(journalKey('id'), { ...RECORD, result: completed(LONG) });
    await peers.takeTurn(LONG, POLL_MS);
    rateLimitGates.legacy.note('me', 1_000);
    await mutex.run(LONG, async () => {
      const { client } = shared();
      const keys = await client.keys('*');
      expect(keys).toHaveLength(6);
      expect(Math.max(...keys.map(({ length }) => length))).toBeLessThanOrEqual(70);
      const ends = new Map<string, number>();
      for (const key of keys) ends.set(key, await client.pttl(key));
      const endless = [...ends].filter(([, leftMs]) => leftMs === -1).map(([key]) => key);
      expect(endless).toEqual(['spg:epoch']);
      const leftMs = (kind: string, name: string): number => ends.get(keyOf(kind, name)) ?? 0;
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

  test.each(['{"record":null}', '{}', 'null', '[]', '7', 'not JSON', '{"record":{"result":{}}}'])(
    'what lies under the name of a write and is none (%s) lets nothing be sent',
    async (text) => {
      const { journal } = await join();
      await journal.begin(journalKey('id'), RECORD);
      await shared().client.set(keyOf('write', 'id'), text);
      await expect(journal.find(journalKey('id'))).rejects.toThrow();
      await expect(journal.begin(journalKey('id'), RECORD)).rejects.toThrow();
    },
  );

  test('a record that is too large is not stored', async () => {
    const { journal } = await join();
    await journal.begin(journalKey('id'), RECORD);
    await journal.finish(journalKey('id'), { ...RECORD, result: completed('x'.repeat(300 * 1024)) });
    expect(await journal.find(journalKey('id'))).toEqual(RECORD);
  });

  test('a record that cannot be read stops no process from using Redis', async () => {
    const { client } = shared();
    const { journal } = await join();
    await client.set(keyOf('write', journalKey('damaged').id), JSON.stringify({ record: {} }));
    await journal.forget(journalKey('damaged'));
    await journal.finish(journalKey('damaged'), RECORD);
    expect(await journal.begin(journalKey('another'), RECORD)).toBe(null);
  });

  test('a lock is renewed while its task runs', async () => {
    const { mutex } = await join();
    const key = keyOf('turn', 'one');
    await mutex.run('one', async (turn) => {
      await shared().client.pexpire(key, LEASE_MS - 3_000);
      await expect.poll(() => shared().client.pttl(key)).toBeGreaterThan(LEASE_MS - 1_000);
      expect(turn.isHeld()).toBe(true);
    });
    await expect.poll(() => shared().client.exists(key)).toBe(0);
  });

  test('a lock that another process has taken meanwhile is left to it', async () => {
    const sharing = await join();
    const { client } = shared();
    await sharing.mutex.run('one', () => client.set(keyOf('turn', 'one'), 'another'));
    await sharing.close();
    expect(await client.get(keyOf('turn', 'one'))).toBe('another');
  });

  test('a turn to poll that would last too long, because the clock of Redis was set back, is taken over', async () => {
    const [{ peers: one }, { peers: other }] = [await join(), await join()];
    expect(await one.takeTurn('a', 1_000)).toBe(0);
    await shared().client.pexpire(keyOf('poll', 'a'), 3_600_000);
    expect(await other.takeTurn('a', 1_000)).toBe(0);
    expect(await one.takeTurn('a', 1_000)).toBeGreaterThan(0);
  });

  test('a write whose record expired because the clock of Redis jumped is not begun again', async () => {
    const { pair } = await joinTwo();
    const [one, other] = pair;
    const record = { ...RECORD, startedAt: Date.now() };
    expect(await one.journal.begin(journalKey('id'), record)).toBeNull();
    // The clock of Redis is ahead of what the processes expect, and its keys have expired.
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() - 25 * 3_600_000);
    await shared().client.del(await shared().client.keys('spg:write:*'));
    const again = () => other.journal.begin(journalKey('id'), record);
    await expect(again()).rejects.toThrow();
    await expect.poll(() => again().catch(() => null)).not.toBeNull();
    expect(other.isAgreed()).toBe(true);
  });

  test('messages reach the listeners of their topic in other processes, in order, however large each is', async () => {
    const { one, other, pair } = await joinTwo();
    const [own, onOther, onClosed] = [vi.fn(), vi.fn(), vi.fn()];
    const heard: number[] = [];
    one.listen('topic', { onMessage: own });
    other.listen<Numbered>('topic', { onMessage: ({ number }) => void heard.push(number) });
    other.listen('another', { onMessage: onOther });
    other.listen('topic', { onMessage: onClosed })();
    await hearEachOther(pair);
    const filling = Array.from({ length: 100_000 }, (_none, index) => index * 7_919).join(' ');
    const numbers = Array.from({ length: 20 }, (_none, index) => index);
    for (const number of numbers) one.publish('topic', { number, ...(number === 0 ? { filling } : {}) });
    await expect.poll(() => heard).toEqual(numbers);
    for (const silent of [own, onOther, onClosed]) expect(silent).not.toHaveBeenCalled();
  });

  test('nothing of a message or of its topic can be read', async () => {
    const { one, other, pair } = await joinTwo();
    const heard = vi.fn();
    other.listen('the-topic', { onMessage: heard });
    await hearEachOther(pair);
    const seen = await listenIn(shared());
    one.publish('the-topic', { secret: 'the-secret' });
    await expect.poll(() => heard).toHaveBeenCalledWith({ secret: 'the-secret' });
    // What was heard before the subscription may arrive late, so there can be more than this message; it precedes the end.
    await shared().client.publish('the-end', '');
    await expect.poll(() => seen.at(-1)).toBe('the-end ');
    expect(seen.length).toBeGreaterThan(1);
    for (const message of seen.slice(0, -1)) {
      expect(message).toMatch(/^spg:messages:/);
      expect(message).not.toMatch(/the-topic|the-secret/);
      // It is compressed as well, which keeps nothing secret.
      expect(() => inflateSync(Buffer.from(message.split(' ')[2] ?? '', 'base64'))).toThrow();
    }
  });

  test('what is no message, or of processes with another secret or in another database, is not heard', async () => {
    const { one, other, pair } = await joinTwo();
    const [heard, onStranger] = [vi.fn(), vi.fn()];
    other.listen('topic', { onMessage: heard });
    await hearEachOther(pair);
    const channels = (await shared().client.pubsub('CHANNELS', 'spg:*')) as string[];
    expect(channels).toHaveLength(2);
    const secret = 'another secret of more than 32 characters';
    const strangers = [await join({ secret }), await join({ database: 1 })];
    for (const { peers } of strangers) peers.listen('topic', { onMessage: onStranger });
    await hearEachOther(pair);
    for (const channel of channels)
      for (const text of ['', 'no message', 'a b', '{}', `x ${'A'.repeat(100)}`])
        await shared().client.publish(channel, text);
    for (const { peers } of strangers) peers.publish('topic', { number: 0 });
    one.publish('topic', { number: 1 });
    await expect.poll(() => heard.mock.calls).toEqual([[{ number: 1 }]]);
    expect(onStranger).not.toHaveBeenCalled();
  });

  test('a user who may not send messages is named in the log, and everything else is used', async () => {
    const rules = ['reset', 'on', '>of-the-tests', '~spg:*', '+@all', '-@dangerous', '+info'];
    await shared().client.call('ACL', 'SETUSER', 'silent', ...rules);
    const lines: string[] = [];
    const log = openLog('warn', (line) => void lines.push(line));
    const sharing = await join({ log, user: 'silent:of-the-tests@' });
    sharing.peers.publish('topic', {});
    await expect.poll(() => lines.join('')).toContain('Redis does not permit messages');
    expect(await sharing.peers.takeTurn('a', 60_000)).toBe(0);
    expect(await sharing.peers.takeTurn('a', 60_000)).toBeGreaterThan(0);
    expect(sharing.isAgreed()).toBe(true);
  });

  test('a user who may not read the policy is a problem', async () => {
    const { client, port } = shared();
    const problemWith = async (...rules: readonly string[]) => {
      await client.call('ACL', 'SETUSER', 'app', 'reset', 'on', '>of-the-tests', '~spg:*', ...rules);
      const url = `redis://app:of-the-tests@127.0.0.1:${port}`;
      return await problemOfRedis({ url, commandTimeoutMs: 30_000 });
    };
    expect(await problemWith('+@all', '-@dangerous')).toBe('NOPERM');
    expect(await problemWith('+@all', '-@dangerous', '+info')).toBeNull();
  });

  test('every policy but noeviction is a problem, whether memory is limited or not', async () => {
    const { client, url } = shared();
    const problem = () => problemOfRedis({ url, commandTimeoutMs: 30_000 });
    expect(await problem()).toBeNull();
    for (const scope of ['allkeys', 'volatile'])
      for (const order of ['lru', 'lfu', 'random', ...(scope === 'volatile' ? ['ttl'] : [])])
        for (const maxmemory of ['0', '1gb']) {
          await client.config('SET', 'maxmemory', maxmemory);
          await client.config('SET', 'maxmemory-policy', `${scope}-${order}`);
          expect(await problem()).toBe(`maxmemory-policy is ${scope}-${order}, not noeviction`);
        }
    await client.config('SET', 'maxmemory', '0');
    await client.config('SET', 'maxmemory-policy', 'noeviction');
  });

  test('no database of the number in the URL, or a password, is told in the log', async () => {
    const { client, port } = shared();
    await client.del('spg:beat');
    expect(await reasonAt(`redis://127.0.0.1:${port}/99`)).toBe('no database with that number');
    // Nothing was written into another one.
    expect(await client.exists('spg:beat')).toBe(0);
    await client.config('SET', 'requirepass', 'of-the-tests');
    expect(await reasonAt(`redis://:wrong@127.0.0.1:${port}`)).toMatch(/^(?:NOAUTH|WRONGPASS)$/);
    await client.config('SET', 'requirepass', '');
  });

  test('what is lost is told again in small portions by a process that has much to tell', async () => {
    const redis = shared();
    const [one] = [await join(SOON_AWAY)];
    const ids = Array.from({ length: cases(450, 20_000) }, (_, index) => `id ${index}`);
    await Promise.all(ids.map((id) => one.journal.begin(journalKey(id), RECORD)));
    const pipelines = vi.spyOn(Object.getPrototypeOf(redis.client) as Redis, 'pipeline');
    await redis.stop();
    await redis.start();
    await expect.poll(() => redis.client.dbsize()).toBeGreaterThanOrEqual(ids.length);
    // Between two portions the process does other things.
    const portions = pipelines.mock.results.map(({ value }) => (value as ChainableCommander).length);
    expect(portions.reduce((sum, length) => sum + length, 0)).toBeGreaterThanOrEqual(ids.length);
    // With what tells the others that there is more.
    expect(Math.max(...portions)).toBeLessThanOrEqual(200 + 1);
  });
});

async function startTwo() {
  const redis = await startRedis();
  const pair = [await joinRedis(redis.port, SOON_AWAY), await joinRedis(redis.port, SOON_AWAY)] as const;
  await hearEachOther(pair);
  const [one, other] = pair;
  return { redis, one, other };
}

/** Two processes, each of which reaches a Redis through a proxy of its own, and another Redis. */
async function startBetweenTwo(options = SOON_AWAY) {
  const [redis, another] = [await startRedis(), await startRedis()];
  const proxies = [await startTcpProxy(redis.port), await startTcpProxy(redis.port)] as const;
  const [one, other] = [await joinRedis(proxies[0].port, options), await joinRedis(proxies[1].port, options)];
  return { redis, another, proxies, one, other };
}

async function make({ journal }: Coordination, id = 'id'): Promise<void> {
  await journal.begin(journalKey(id), RECORD);
  await journal.finish(journalKey(id), DONE);
}

/** Lets a Redis follow another one, or nobody, and waits until it does. */
const follows = async ({ client }: RedisServer, ...of: readonly string[]): Promise<void> => {
  await client.call('REPLICAOF', ...of);
  await expect.poll(() => client.info('replication')).toMatch(/role:master|master_link_status:up/);
};

/** Two processes, of which one reaches Redis through a proxy; it may be cut off from the start. */
async function startOneThatIsCutOff({ fromTheStart = false } = {}) {
  const redis = await startRedis();
  const proxy = await startTcpProxy(redis.port);
  if (fromTheStart) proxy.cut();
  const [cutOff, other] = [await joinRedis(proxy.port, SOON_AWAY), await joinRedis(redis.port, SOON_AWAY)];
  return { redis, proxy, cutOff, other };
}

const AWAY: Readonly<Record<string, () => Promise<void>>> = {
  async 'after a command that timed out, none is sent before Redis is back'() {
    const redis = await startRedis();
    const link = new RedisLink({ url: redis.url, ...SOON_AWAY }, SILENT);
    await expect.poll(() => link.isUp).toBe(true);
    redis.freeze();
    await expect(link.run((client) => client.ping())).rejects.toThrow('timed out');
    const command = vi.fn<(client: Redis) => Promise<string>>((client) => client.ping());
    await expect(link.run(command)).rejects.toThrow('Redis is unavailable');
    expect(command).not.toHaveBeenCalled();
    redis.thaw();
    await link.close();
  },

  async 'what began without an answer is gone when Redis is back, and a lock leaves nothing behind'() {
    const { redis, one, other } = await startTwo();
    redis.freeze();
    const lock = one.mutex.run('one', () => Promise.resolve());
    await expect(one.journal.begin(journalKey('id'), RECORD)).rejects.toThrow();
    await lock;
    await isAway(one);
    redis.thaw();
    await Promise.all([isBack(one), isBack(other)]);
    expect(await redis.client.exists(keyOf('turn', 'one'))).toBe(0);
    await knows(other, 'id').toBeNull();
    await expect.poll(() => one.journal.begin(journalKey('id'), RECORD).catch(() => 'refused')).toBeNull();
    await expect.poll(() => began(other, 'id')).toEqual(RECORD);
  },

  async 'what ended while Redis was away is told when it is back'() {
    const { redis, one, other } = await startTwo();
    await one.journal.begin(journalKey('done'), RECORD);
    await one.journal.begin(journalKey('unsent'), RECORD);
    const [mine, theirs] = [one, other].map(({ peers }) => new Generations(60_000, peers));
    mine?.start('me', 'c', { wire: { contentId: 'c' }, isFinished: false });
    redis.freeze();
    const { journal } = one;
    await Promise.all([journal.finish(journalKey('done'), DONE), journal.forget(journalKey('unsent'))]);
    mine?.finish('me', 'c', { contentId: 'c', aiResponse: 'The text.' });
    redis.thaw();
    await Promise.all([isBack(one), isBack(other)]);
    await knows(other, 'done').toEqual(DONE);
    await knows(other, 'unsent').toBeNull();
    await expect.poll(() => theirs?.find('me', 'c')).toMatchObject({ status: 'COMPLETE', startedHere: true });
  },

  async 'what another process has found out while one was cut off stands'() {
    const { proxy, cutOff, other } = await startOneThatIsCutOff();
    await cutOff.journal.begin(journalKey('id'), RECORD);
    await cutOff.journal.finish(journalKey('id'), { ...RECORD, result: unknown('Look.') });
    proxy.cut();
    await isAway(cutOff);
    await other.journal.finish(journalKey('id'), DONE);
    proxy.restore();
    await isBack(cutOff);
    for (const sharing of [cutOff, other]) await knows(sharing, 'id').toEqual(DONE);
  },

  async 'a Redis that has forgotten everything is told it again before a write begins, by whoever comes just then, too'() {
    const { redis, one, other } = await startTwo();
    await make(one, 'done');
    await one.journal.begin(journalKey('under way'), RECORD);
    await other.journal.begin(journalKey('of another'), RECORD);
    await redis.stop();
    await Promise.all([isAway(one), isAway(other)]);
    await redis.start();
    const joining = joinRedis(redis.port, SOON_AWAY);
    await Promise.all([isBack(one), isBack(other)]);
    expect([await began(one, 'new'), await began(other, 'done')]).toEqual(['refused', 'refused']);
    await expect(one.journal.find(journalKey('done'))).rejects.toThrow();
    const newcomer = await joining;
    await expect.poll(() => began(newcomer, 'done')).not.toBe('refused');
    for (const [sharing, id, record] of [
      [newcomer, 'done', DONE],
      [other, 'done', DONE],
      [other, 'under way', RECORD],
      [one, 'of another', RECORD],
      [one, 'new', null],
    ] as const)
      await expect.poll(() => began(sharing, id)).toEqual(record);
  },

  async 'a process that takes long to tell a Redis what it has forgotten is waited for'() {
    const { redis, proxy, cutOff: slow, other } = await startOneThatIsCutOff();
    const ids = Array.from({ length: 800 }, (_, index) => `id ${index}`);
    for (const id of ids) await slow.journal.begin(journalKey(id), RECORD);
    proxy.delay(1_000);
    await redis.stop();
    await Promise.all([isAway(slow), isAway(other)]);
    await redis.start();
    const [oldest = ''] = ids;
    const answers: unknown[] = [];
    const ask = async (): Promise<unknown> => {
      answers.push(await other.journal.find(journalKey(oldest)).catch(() => 'refused'));
      answers.push(await began(other, oldest));
      return answers.at(-1);
    };
    await expect.poll(ask, { timeout: 30_000 }).not.toBe('refused');
    expect(answers.at(-1)).toEqual(RECORD);
    expect(answers).not.toContain(null);
  },

  async 'a Redis that has forgotten everything keeps what was found out, whoever tells it what first'() {
    const { redis, proxy, cutOff, other } = await startOneThatIsCutOff();
    await other.journal.begin(journalKey('id'), RECORD);
    await other.journal.finish(journalKey('id'), { ...RECORD, result: unknown('Look.') });
    await cutOff.journal.finish(journalKey('id'), DONE);
    const [first, second] = [other, cutOff].map(
      ({ journal }, index) => new Origin(journal, 'me', `write ${index}`, ['words']),
    ) as [Origin, Origin];
    await first.declare(0);
    await second.declare(0);
    await other.journal.finish(journalKey('renewed'), DONE);
    await after(1_000);
    const renewedAt = performance.now();
    await cutOff.journal.finish(journalKey('renewed'), DONE);
    proxy.cut();
    await isAway(cutOff);
    await redis.client.flushall();
    await knows(other, 'id').toMatchObject({ result: { outcome: 'UNKNOWN' } });
    proxy.restore();
    await isBack(cutOff);
    await knows(other, 'id').toEqual(DONE);
    expect(await first.isOnly()).toBe(false);
    const leftMs = await redis.client.pttl(keyOf('write', journalKey('renewed').id));
    expect(leftMs + performance.now() - renewedAt).toBeGreaterThan(KEPT_MS - 500);
  },

  async 'a replica that takes over without the latest writes begins none before they are told again'() {
    const { redis, another: replica, proxies, one, other } = await startBetweenTwo();
    await replica.client.set('spg:epoch', (await redis.client.get('spg:epoch')) ?? '');
    await make(one);
    for (const proxy of proxies) proxy.cut();
    await Promise.all([isAway(one), isAway(other)]);
    proxies[1].restore(replica.port);
    await isBack(other);
    expect(await began(other, 'id')).toBe('refused');
    proxies[0].restore(replica.port);
    await isBack(one);
    await expect.poll(() => began(other, 'id')).toEqual(DONE);
  },

  async 'a primary that falls silent is left by all at about the same time, however long they wait for an answer'() {
    const patient = { commandTimeoutMs: 1_000 };
    const { another: replica, proxies, one: busy, other: idle } = await startBetweenTwo(patient);
    await make(idle);
    await hearEachOther([busy, idle]);
    await replica.client.del('spg:epoch');
    for (const proxy of proxies) {
      proxy.mute();
      proxy.restore(replica.port);
    }
    await Promise.all(['a', 'b', 'c'].map((id) => busy.journal.find(journalKey(id)).catch(() => null)));
    await expect.poll(() => began(busy, 'id'), { timeout: 30_000 }).not.toBe('refused');
    expect(await began(busy, 'id')).toEqual(DONE);
  },

  async 'an old primary that takes over again, without what was stored elsewhere, begins no write before it is told'() {
    const { redis: old, another, proxies, one, other } = await startBetweenTwo();
    await tellNothingForgotten(another.client, 2);
    const move = async (index: 0 | 1, port: number): Promise<void> => {
      const sharing = index === 0 ? one : other;
      proxies[index].cut();
      await isAway(sharing);
      proxies[index].restore(port);
      await isBack(sharing);
    };
    await Promise.all([move(0, another.port), move(1, another.port)]);
    await make(one);
    await move(1, old.port);
    expect(await began(other, 'id')).toBe('refused');
    await move(0, old.port);
    await expect.poll(() => began(other, 'id')).toEqual(DONE);
  },

  async 'a primary that was a replica of one without the latest writes begins none before they are told again'() {
    const { redis, proxy, cutOff: one, other } = await startOneThatIsCutOff();
    const behind = await startRedis();
    await follows(behind, '127.0.0.1', String(redis.port));
    await follows(behind, 'NO', 'ONE');
    await make(one);
    await follows(redis, '127.0.0.1', String(behind.port));
    await Promise.all([isAway(one), isAway(other)]);
    proxy.cut();
    await follows(redis, 'NO', 'ONE');
    await isBack(other);
    expect(await began(other, 'id')).toBe('refused');
    proxy.restore();
    await isBack(one);
    await expect.poll(() => began(other, 'id')).toEqual(DONE);
  },

  async 'a lock that Redis has lost passes to another when its lease has ended'() {
    const { redis, proxy, cutOff, other } = await startOneThatIsCutOff();
    await cutOff.mutex.run('one', async (turn) => {
      proxy.cut();
      await redis.stop();
      await isAway(other);
      await redis.start();
      await isBack(other);
      expect(turn.isHeld()).toBe(true);
      await other.mutex.run('one', () => Promise.resolve(expect(turn.isHeld()).toBe(false)));
    });
  },

  async 'a lock whose process is cut off passes to another when its lease has ended, and the process knows'() {
    const { redis, proxy, cutOff, other } = await startOneThatIsCutOff();
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
  },

  async 'a process that was cut off hears again, and that it may have missed something'() {
    const { proxy, cutOff, other } = await startOneThatIsCutOff();
    await hearEachOther([cutOff, other]);
    const onJoin = vi.fn<(missedMs: number) => void>();
    const heard = vi.fn();
    cutOff.peers.listen('topic', { onMessage: heard, onJoin });
    await hearEachOther([cutOff, other]);
    expect(onJoin).not.toHaveBeenCalled();
    proxy.cut();
    await expect.poll(() => cutOff.peers.areReachable).toBe(false);
    expect(await cutOff.peers.takeTurn('a', 60_000)).toBe(0);
    expect(await other.peers.takeTurn('a', 60_000)).toBe(0);
    proxy.restore();
    await expect.poll(() => onJoin.mock.calls.length).toBe(1);
    expect(onJoin.mock.calls[0]?.[0]).toBeGreaterThan(0);
    other.peers.publish('topic', { number: 1 });
    await expect.poll(() => heard).toHaveBeenCalledWith({ number: 1 });
    expect(await cutOff.peers.takeTurn('a', 60_000)).toBeGreaterThan(0);
  },

  async 'a process that starts while it is cut off is told what it missed, and tells what the others did'() {
    const { proxy, cutOff, other } = await startOneThatIsCutOff({ fromTheStart: true });
    const [here, there] = [cutOff, other].map(({ peers }) => new Generations(60_000, peers));
    here?.start('me', 'a', { wire: { contentId: 'a' }, isFinished: true });
    there?.start('me', 'b', { wire: { contentId: 'b' }, isFinished: true });
    proxy.restore();
    const told = { status: 'COMPLETE', startedHere: true };
    await expect.poll(() => here?.find('me', 'b')).toMatchObject(told);
    await expect.poll(() => there?.find('me', 'a')).toMatchObject(told);
  },

  async 'a process that starts, or was cut off, keeps the pauses that others were asked for, and they keep its own'() {
    const { redis, proxy, cutOff, other } = await startOneThatIsCutOff();
    await hearEachOther([cutOff, other]);
    proxy.cut();
    await isAway(cutOff);
    cutOff.rateLimitGates.current.note('of the one', 30_000);
    other.rateLimitGates.legacy.note('of the other', 30_000);
    proxy.restore();
    const newcomer = await joinRedis(redis.port, SOON_AWAY);
    for (const { rateLimitGates } of [newcomer, cutOff, other]) {
      await expect.poll(() => pauseOf(rateLimitGates.current, 'of the one')).toBeGreaterThan(0);
      await expect.poll(() => pauseOf(rateLimitGates.legacy, 'of the other')).toBeGreaterThan(0);
      expect(pauseOf(rateLimitGates.legacy, 'of the one')).toBe(0);
    }
  },

  // A Redis that may evict keys forgets which writes were done, and so begins none, noticed by a heartbeat or not.
  async 'a write whose record was evicted is not begun again, and is known once keys are kept'() {
    const { redis, one, other } = await startTwo();
    await make(one);
    await redis.client.config('SET', 'maxmemory-policy', 'volatile-lru');
    await redis.client.del(keyOf('write', 'id'));
    expect(await began(other, 'id')).toBe('refused');
    await Promise.all([isAway(one), isAway(other)]);
    expect(await began(other, 'id')).toBe('refused');
    await redis.client.config('SET', 'maxmemory-policy', 'noeviction');
    await Promise.all([isBack(one), isBack(other)]);
    await expect.poll(() => began(other, 'id')).toEqual(DONE);
  },
};

test.runIf(isRedisHere)('processes agree while Redis is away, and when it is back', () =>
  sideBySide(AWAY, (run) => run()),
);
