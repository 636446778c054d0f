import { expect, onTestFinished, test, vi } from 'vitest';
import { keyOf } from '../../src/coordination/redis/connection.ts';
import { openLog } from '../../src/observability/log.ts';
import { hearEachOther, joinRedis } from '../support/processes.ts';
import { isRedisHere, startRedis } from '../support/redis.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

// What processes tell each other through Redis.

interface Numbered {
  readonly number: number;
  readonly filling?: string;
}

async function openTwo() {
  const redis = await startRedis();
  const pair = await Promise.all([joinRedis(redis.port), joinRedis(redis.port)] as const);
  await hearEachOther(pair);
  const [{ peers: one }, { peers: other }] = pair;
  return { redis, one, other, pair };
}

test.runIf(isRedisHere)(
  'messages reach the listeners of their topic in other processes, in order, however large each is',
  async () => {
    const { one, other, pair } = await openTwo();
    const [own, onOther, onClosed] = [vi.fn(), vi.fn(), vi.fn()];
    const heard: number[] = [];
    one.listen('topic', { onMessage: own });
    other.listen<Numbered>('topic', { onMessage: ({ number }) => void heard.push(number) });
    other.listen('another', { onMessage: onOther });
    other.listen('topic', { onMessage: onClosed })();
    await hearEachOther(pair);
    const filling = Array.from({ length: 200_000 }, (_none, index) => index * 7_919).join(' ');
    const numbers = Array.from({ length: 20 }, (_none, index) => index);
    for (const number of numbers) one.publish('topic', { number, ...(number === 0 ? { filling } : {}) });
    await expect.poll(() => heard).toEqual(numbers);
    for (const silent of [own, onOther, onClosed]) expect(silent).not.toHaveBeenCalled();
  },
);

test.runIf(isRedisHere)('nothing of a message or of its topic can be read in Redis', async () => {
  const { redis, one, other, pair } = await openTwo();
  const heard = vi.fn();
  other.listen('the-topic', { onMessage: heard });
  await hearEachOther(pair);
  const subscriber = redis.client.duplicate();
  onTestFinished(() => subscriber.disconnect());
  const seen: string[] = [];
  subscriber.on('pmessage', (_pattern, channel, text) => seen.push(channel + text));
  await subscriber.psubscribe('*');
  one.publish('the-topic', { secret: 'the-secret' });
  await expect.poll(() => heard).toHaveBeenCalledWith({ secret: 'the-secret' });
  // What was heard before the subscription may arrive late, so there can be more than this message; it precedes the end.
  await redis.client.publish('the-end', '');
  await expect.poll(() => seen.at(-1)).toBe('the-end');
  expect(seen.length).toBeGreaterThan(1);
  for (const message of seen.slice(0, -1)) {
    expect(message).toMatch(/^spg:messages:/);
    expect(message).not.toMatch(/the-topic|the-secret/);
  }
});

test.runIf(isRedisHere)(
  'what is no message of these processes is ignored, and the next one is heard',
  async () => {
    const { redis, one, other, pair } = await openTwo();
    const heard = vi.fn();
    other.listen('topic', { onMessage: heard });
    await hearEachOther(pair);
    const channels = await redis.client.pubsub('CHANNELS', 'spg:*');
    expect(channels).toHaveLength(2);
    for (const channel of channels as string[])
      for (const text of ['', 'no message', 'a b', '{}', `x ${'A'.repeat(100)}`])
        await redis.client.publish(channel, text);
    one.publish('topic', { number: 1 });
    await expect.poll(() => heard.mock.calls).toEqual([[{ number: 1 }]]);
  },
);

test.runIf(isRedisHere)(
  'a process that was cut off hears again, and that it may have missed something',
  async () => {
    const redis = await startRedis();
    const proxy = await startTcpProxy(redis.port);
    const soonAway = { commandTimeoutMs: 1_000 };
    const pair = await Promise.all([
      joinRedis(proxy.port, soonAway),
      joinRedis(redis.port, soonAway),
    ] as const);
    await hearEachOther(pair);
    const [{ peers: cutOff }, { peers: other }] = pair;
    const onJoin = vi.fn<(missedMs: number) => void>();
    const heard = vi.fn();
    cutOff.listen('topic', { onMessage: heard, onJoin });
    await hearEachOther(pair);
    expect(onJoin).not.toHaveBeenCalled();
    proxy.cut();
    await expect.poll(() => cutOff.areReachable).toBe(false);
    expect([await cutOff.takeTurn('a', 60_000), await other.takeTurn('a', 60_000)]).toEqual([0, 0]);
    proxy.restore();
    await expect.poll(() => onJoin.mock.calls.length).toBe(1);
    expect(onJoin.mock.calls[0]?.[0]).toBeGreaterThan(0);
    other.publish('topic', { number: 1 });
    await expect.poll(() => heard).toHaveBeenCalledWith({ number: 1 });
    expect(await cutOff.takeTurn('a', 60_000)).toBeGreaterThan(0);
  },
);

test.runIf(isRedisHere)(
  'a turn that would last longer than an interval, because the clock of Redis was set back, is taken over',
  async () => {
    const { redis, one, other } = await openTwo();
    expect(await one.takeTurn('a', 1_000)).toBe(0);
    await redis.client.pexpire(keyOf('poll', 'a'), 3_600_000);
    expect(await other.takeTurn('a', 1_000)).toBe(0);
    expect(await one.takeTurn('a', 1_000)).toBeGreaterThan(0);
  },
);

test.runIf(isRedisHere)(
  'a user who may not send messages is named in the log, and everything else of Redis is used',
  async () => {
    const redis = await startRedis();
    const rules = ['reset', 'on', '>of-the-tests', '~spg:*', '+@all', '-@dangerous', '+info'];
    await redis.client.call('ACL', 'SETUSER', 'app', ...rules);
    const lines: string[] = [];
    const log = openLog('warn', (line) => void lines.push(line));
    const sharing = await joinRedis(redis.port, { log, user: 'app:of-the-tests@' });
    sharing.peers.publish('topic', {});
    await expect.poll(() => lines.join('')).toContain('Redis does not permit messages');
    expect(sharing.isAgreed()).toBe(true);
    expect(await sharing.peers.takeTurn('a', 60_000)).toBe(0);
    expect(await sharing.peers.takeTurn('a', 60_000)).toBeGreaterThan(0);
    expect(sharing.isAgreed()).toBe(true);
  },
);

test.runIf(isRedisHere)('processes with another secret, or in another database, are not heard', async () => {
  const { redis, one, other, pair } = await openTwo();
  const [heard, onStranger] = [vi.fn(), vi.fn()];
  const strangers = [
    await joinRedis(redis.port, { secret: 'another secret of more than 32 characters' }),
    await joinRedis(redis.port, { database: 1 }),
  ];
  for (const { peers } of strangers) peers.listen('topic', { onMessage: onStranger });
  other.listen('topic', { onMessage: heard });
  await hearEachOther(pair);
  for (const { peers } of strangers) peers.publish('topic', { number: 0 });
  one.publish('topic', { number: 1 });
  await expect.poll(() => heard.mock.calls).toEqual([[{ number: 1 }]]);
  expect(onStranger).not.toHaveBeenCalled();
});
