import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Channel, type LiveCaller, type LiveEvent, type LiveReader } from '../../src/live/channel.ts';
import { SlowReaderError } from '../../src/live/event-queue.ts';
import { Generations } from '../../src/live/generations.ts';
import { NO_PEERS } from '../../src/live/peers.ts';
import { Relay } from '../../src/live/relay.ts';
import { presentError } from '../../src/schema/errors.ts';
import type { HistoryListener, HistorySearch } from '../../src/sources/ai-results/history.ts';

const MAX_WAIT_MS = 10_000;
const config = {
  aiSocket: null,
  aiResultMaxWaitMs: MAX_WAIT_MS,
  aiPollIntervalMs: 1_000,
  currentMaxPageSize: 100,
};
const PARTS = { config, peers: NO_PEERS, onDrift: () => undefined };
const wireOf = (contentId: string, aiResponse = ''): object => ({ contentId, aiResponse, ownerId: 1 });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const statusesOf = (events: readonly LiveEvent[]): string[] =>
  events.map((event) => (event instanceof Error ? event.name : `${event.contentId} ${event.status}`));

interface Listener extends LiveReader {
  readonly events: LiveEvent[];
  readonly ended: { times: number };
}

function reader(): Listener {
  const events: LiveEvent[] = [];
  const ended = { times: 0 };
  return { events, ended, push: (event) => void events.push(event), end: () => void (ended.times += 1) };
}

const neverCalled = () => Promise.reject(new Error('never called'));
const idleClient: LiveCaller['client'] = () => ({ call: neverCalled, read: neverCalled });

describe('the relay', () => {
  const noCalls = vi.fn<LiveCaller['client']>(() => {
    throw new Error('nobody is to be called');
  });
  const hangUp = vi.fn<() => void>();
  const caller: LiveCaller = { holder: 'h', apiKey: 'k', client: noCalls, hangUp };
  const relayOf = () => new Relay(PARTS);
  beforeEach(() => void vi.clearAllMocks());

  test('ends a reader that is too slow with an error that says to come again, and hangs up on it', async () => {
    const relay = relayOf();
    const events = relay.follow({ ...caller, client: idleClient });
    for (let index = 0; index <= 3_000; index += 1) {
      const contentId = String(index);
      relay.started('h', { contentId, wire: wireOf(contentId, 'text'), isFinished: true });
    }
    expect(hangUp).toHaveBeenCalledTimes(1);
    const read: LiveEvent[] = [];
    for await (const event of events) read.push(event);
    const last = read.pop();
    expect(read).toHaveLength(2_000);
    expect(last).toBeInstanceOf(SlowReaderError);
    expect(presentError(last, 'r').error.extensions).toEqual({
      code: 'OVERLOADED',
      retryable: true,
      requestId: 'r',
    });
    relay.close();
  });

  test('that is closed opens nothing more, and ends whoever comes', async () => {
    const relay = relayOf();
    relay.close();
    for (const events of [relay.follow(caller), relay.read(caller, 'a')])
      expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(noCalls).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a channel', () => {
  let generations: Generations;
  const ways = { lookSoon: vi.fn<() => void>(), postpone: vi.fn<() => void>(), close: vi.fn<() => void>() };
  const opened: (HistorySearch & HistoryListener)[] = [];
  const openHistory = (search: HistorySearch, listener: HistoryListener) => {
    opened.push({ ...search, ...listener });
    return ways;
  };
  const onIdle = vi.fn<() => void>();
  let channel: Channel;

  beforeEach(() => {
    vi.clearAllMocks();
    opened.length = 0;
    generations = new Generations(MAX_WAIT_MS, NO_PEERS);
    const caller = { holder: 'h', apiKey: 'k', client: idleClient, hangUp: () => undefined };
    channel = new Channel({ ...PARTS, caller, generations, openHistory, onIdle });
  });

  const start = (contentId: string, isFinished = false) =>
    generations.start('h', contentId, { wire: wireOf(contentId), isFinished });

  test('that was asked for what is known already opens no ways, and is not kept', () => {
    generations.start('h', 'a', { wire: wireOf('a', 'text'), isFinished: true });
    const one = reader();
    channel.read('a', one);
    expect(statusesOf(one.events)).toEqual(['a COMPLETE']);
    expect(one.ended.times).toBe(1);
    vi.advanceTimersByTime(1_000);
    expect(onIdle).toHaveBeenCalled();
    expect(opened).toEqual([]);
  });

  test('is closed a second after its last reader left, whatever is asked for meanwhile', () => {
    const leave = channel.follow(reader());
    leave();
    for (let passed = 0; passed < 1_000; passed += 100) {
      start(`quick ${passed}`, true);
      expect(ways.close).not.toHaveBeenCalled();
      vi.advanceTimersByTime(100);
    }
    expect(ways.close).toHaveBeenCalledTimes(1);
    expect(onIdle).toHaveBeenCalledTimes(1);
  });

  test('stays open when somebody comes within that second', () => {
    channel.follow(reader())();
    vi.advanceTimersByTime(999);
    const leave = channel.follow(reader());
    vi.advanceTimersByTime(100_000);
    expect(ways.close).not.toHaveBeenCalled();
    leave();
    vi.advanceTimersByTime(1_000);
    expect(ways.close).toHaveBeenCalledTimes(1);
  });

  test('that is closed closes its ways at once, whoever reads', () => {
    channel.follow(reader());
    channel.close();
    expect(ways.close).toHaveBeenCalledTimes(1);
  });

  test('waits for nothing once the last reader has gone', () => {
    const [one, other] = [reader(), reader()];
    const leaves = [channel.read('a', one), channel.follow(other)];
    start('b');
    expect([...(opened[0]?.wanted().keys() ?? [])]).toEqual(['a', 'b']);
    for (const leave of leaves) leave();
    for (const leave of leaves) leave();
    expect(opened[0]?.wanted().size).toBe(0);
  });

  test('tells what the history showed before the call that asked for it had answered', () => {
    const [one, follower] = [reader(), reader()];
    channel.read('a', one);
    channel.follow(follower);
    opened[0]?.onResult({ contentId: 'a', wire: wireOf('a', 'text'), hasText: true, isProven: true });
    expect(statusesOf(one.events)).toEqual(['a PENDING', 'a COMPLETE']);
    start('a');
    expect(statusesOf(follower.events)).toEqual(['a COMPLETE']);
    expect(generations.find('h', 'a')).toMatchObject({ status: 'COMPLETE', startedHere: true });
  });

  test('tells followers once that one is given up, its readers each time', () => {
    const follower = reader();
    channel.follow(follower);
    start('a');
    opened[0]?.onOverdue(['a']);
    const one = reader();
    channel.read('a', one);
    opened[0]?.onOverdue(['a']);
    expect(statusesOf(one.events)).toEqual(['a EXPIRED']);
    expect(statusesOf(follower.events)).toEqual(['a EXPIRED']);
  });

  test('believes a socket only in what was asked for here, and of the same owner', () => {
    const follower = reader();
    channel.follow(follower);
    start('a');
    const pushed = (contentId: string, changes: object = {}): void =>
      opened[0]?.onResult({
        contentId,
        wire: { ...wireOf(contentId, 'text'), ...changes },
        hasText: true,
        isProven: false,
      });
    pushed('b');
    pushed('a', { ownerId: 2 });
    expect(follower.events).toEqual([]);
    expect(ways.lookSoon).toHaveBeenCalledTimes(3);
    pushed('a');
    pushed('a');
    start('b');
    expect(statusesOf(follower.events)).toEqual(['a COMPLETE', 'b COMPLETE']);
  });
});
