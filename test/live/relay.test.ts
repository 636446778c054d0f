import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Channel, type LiveCaller, type LiveReader } from '../../src/live/channel.ts';
import { EventQueue, SlowReaderError } from '../../src/live/event-queue.ts';
import { Generations } from '../../src/live/generations.ts';
import { NO_PEERS, type Peers } from '../../src/live/peers.ts';
import { Relay } from '../../src/live/relay.ts';
import { presentError } from '../../src/schema/errors.ts';

beforeEach(() => {
  vi.clearAllMocks();
  vi.useFakeTimers();
});

const DONE = { done: true, value: undefined };

async function readAll(queue: EventQueue<number>): Promise<unknown[]> {
  const read: unknown[] = [];
  for await (const event of queue) read.push(event);
  return read;
}

describe('the queue of a reader', () => {
  const leave = vi.fn<() => void>();
  const hangUp = vi.fn<() => void>();

  function queueWith(count: number): EventQueue<number> {
    const queue = new EventQueue<number>({ hangUp }, () => leave);
    for (let event = 0; event < count; event += 1) queue.push(event);
    return queue;
  }

  test('gives what it has when it ends, and then no more; others who wait for an event are let go', async () => {
    const [full, awaited] = [queueWith(1), queueWith(0)];
    full.end(2);
    full.push(3);
    full.end(4);
    expect(await readAll(full)).toEqual([0, 2]);
    expect(leave).toHaveBeenCalledTimes(1);
    expect(await full.next()).toEqual(DONE);
    const read = [awaited.next(), awaited.next(), awaited.next()];
    awaited.end(7);
    expect(await Promise.all(read)).toEqual([{ done: false, value: 7 }, DONE, DONE]);
  });

  test('lets its reader go at once, full or awaited', async () => {
    const [full, awaited] = [queueWith(129), queueWith(0)];
    const waiting = awaited.next();
    for (const queue of [full, awaited]) expect(await queue.return()).toEqual(DONE);
    expect(await waiting).toEqual(DONE);
    full.push(1);
    expect(await full.next()).toEqual(DONE);
    expect(leave).toHaveBeenCalledTimes(2);
    expect(hangUp).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('may hold 128 events for ever, and more for as long as some are taken every two seconds', async () => {
    queueWith(128);
    vi.advanceTimersByTime(200_000);
    const queue = queueWith(140);
    for (let round = 0; round < 8; round += 1) {
      await queue.next();
      vi.advanceTimersByTime(2_000);
    }
    vi.advanceTimersByTime(1_999);
    expect(hangUp).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(hangUp).toHaveBeenCalledTimes(1);
  });

  test('is given up at 2,000 events however they come, with an error that says to subscribe again', async () => {
    const queue = queueWith(2_000);
    expect(hangUp).not.toHaveBeenCalled();
    queue.push(2_000);
    expect(hangUp).toHaveBeenCalledTimes(1);
    const read = await readAll(queue);
    expect(read).toHaveLength(2_001);
    expect(read.at(-1)).toBeInstanceOf(SlowReaderError);
    const extensions = { code: 'OVERLOADED', retryable: true, requestId: 'r' };
    expect(presentError(read.at(-1), 'r').error.extensions).toEqual(extensions);
  });
});

const MAX_WAIT_MS = 10_000;
const config = {
  aiSocket: null,
  aiResultMaxWaitMs: MAX_WAIT_MS,
  aiPollIntervalMs: 1_000,
  currentMaxPageSize: 100,
};
const PARTS = { config, peers: NO_PEERS, onDrift: () => undefined };
const neverCalled = () => Promise.reject(new Error('never called'));
const client = vi.fn<LiveCaller['client']>(() => ({ call: neverCalled, read: neverCalled }));
const caller: LiveCaller = { holder: 'h', apiKey: 'k', client, hangUp: () => undefined };

test('a relay that is closed opens nothing more, and ends whoever comes', async () => {
  const relay = new Relay(PARTS);
  relay.close();
  for (const events of [relay.follow(caller), relay.read(caller, 'a')])
    expect(await events.next()).toEqual(DONE);
  expect(client).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

describe('a channel', () => {
  const feed = { lookSoon: vi.fn<() => void>(), postpone: vi.fn<() => void>(), close: vi.fn<() => void>() };
  const openHistory = vi.fn(() => feed);
  const onIdle = vi.fn<() => void>();
  const reader = { push: vi.fn<LiveReader['push']>(), end: vi.fn<() => void>() };
  const listen = vi.fn<Peers['listen']>(() => () => undefined);
  let generations: Generations;
  let channel: Channel;

  beforeEach(() => {
    generations = new Generations(MAX_WAIT_MS, { ...NO_PEERS, listen });
    channel = new Channel({ ...PARTS, caller, generations, openHistory, onIdle });
  });
  afterEach(() => channel.close());

  const finish = (contentId: string): void =>
    generations.start('h', contentId, { wire: { contentId, aiResponse: 'text' }, isFinished: true });

  test('that was asked for what is known already opens nothing, and is not kept', () => {
    finish('a');
    channel.read('a', reader);
    expect(reader.push.mock.calls).toMatchObject([[{ contentId: 'a', status: 'COMPLETE' }]]);
    expect(reader.end).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1_000);
    expect(onIdle).toHaveBeenCalled();
    expect(openHistory).not.toHaveBeenCalled();
  });

  test('tells a follower of what was pending while more texts came than are kept', () => {
    channel.follow(reader);
    for (const contentId of ['finished', 'pending'])
      generations.start('h', contentId, { wire: { contentId }, isFinished: false });
    generations.finish('h', 'finished', { aiResponse: 'text' });
    const aiResponse = 'x'.repeat(8 * 1024 * 1024);
    for (let index = 0; index < 8; index += 1) generations.finish('other', String(index), { aiResponse });
    expect(generations.find('h', 'finished')).toBeNull();
    expect(generations.pending('h')).toMatchObject([{ contentId: 'pending' }]);
    generations.finish('h', 'pending', { aiResponse: 'text' });
    expect(reader.push.mock.calls).toMatchObject([
      [{ contentId: 'finished', status: 'COMPLETE' }],
      [{ contentId: 'pending', status: 'COMPLETE' }],
    ]);
    expect(generations.pending('h')).toEqual([]);
  });

  test('tells its followers once of a generation that another process has known for longer', () => {
    channel.follow(reader);
    finish('a');
    const known = { ...generations.find('h', 'a'), holder: 'h', knownSince: 0 };
    listen.mock.calls[0]?.[1].onMessage({ kind: 'known', generations: [known] });
    expect(generations.find('h', 'a')?.knownSince).toBe(0);
    expect(reader.push).toHaveBeenCalledTimes(1);
  });

  test('is closed a second after its last reader left, whatever is asked for meanwhile', () => {
    channel.follow(reader)();
    for (let passed = 0; passed < 1_000; passed += 100) {
      finish(`quick ${passed}`);
      expect(feed.close).not.toHaveBeenCalled();
      vi.advanceTimersByTime(100);
    }
    expect(feed.close).toHaveBeenCalledTimes(1);
    expect(onIdle).toHaveBeenCalledTimes(1);
  });

  test('stays open when somebody comes within that second', () => {
    channel.follow(reader)();
    vi.advanceTimersByTime(999);
    const leave = channel.follow(reader);
    vi.advanceTimersByTime(100_000);
    expect(feed.close).not.toHaveBeenCalled();
    leave();
    vi.advanceTimersByTime(1_000);
    expect(feed.close).toHaveBeenCalledTimes(1);
  });
});
