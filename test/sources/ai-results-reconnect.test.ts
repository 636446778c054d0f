import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  keepConnected,
  pauseBefore,
  type Connect,
  type ConnectionEvents,
} from '../../src/sources/ai-results/push.ts';

const pauses = (random: number): number[] =>
  [0, 1, 2, 3, 5, 6, 20, 2_000].map((attempt) => pauseBefore(attempt, () => random));

describe('the pause before a try', () => {
  test('doubles from half a second to half a minute, and is by chance up to a half shorter', () => {
    expect(pauses(0)).toEqual([500, 1_000, 2_000, 4_000, 16_000, 30_000, 30_000, 30_000]);
    expect(pauses(1)).toEqual([250, 500, 1_000, 2_000, 8_000, 15_000, 15_000, 15_000]);
  });

  test('is another one for each who waits', () => {
    const drawn = Array.from({ length: 200 }, () => pauseBefore(6));
    expect(new Set(drawn).size).toBeGreaterThan(190);
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(15_000);
    expect(Math.max(...drawn)).toBeLessThanOrEqual(30_000);
    expect(Math.max(...drawn) - Math.min(...drawn)).toBeGreaterThan(10_000);
  });
});

describe('a connection that is kept', () => {
  const told = {
    onOpen: vi.fn<() => void>(),
    onMessage: vi.fn<(message: unknown) => void>(),
    onClose: vi.fn<() => void>(),
  };
  const closed = vi.fn<() => void>();
  let tries: ConnectionEvents[] = [];
  const connect: Connect = (events) => {
    tries.push(events);
    return { close: closed };
  };
  const last = (): ConnectionEvents => tries.at(-1) as ConnectionEvents;

  beforeEach(() => {
    vi.resetAllMocks();
    vi.useFakeTimers();
    vi.spyOn(Math, 'random').mockReturnValue(0);
    tries = [];
  });
  afterEach(() => void vi.useRealTimers());

  test('is tried again after each failure, after ever longer', () => {
    keepConnected(connect, told);
    for (const pauseMs of [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      const before = tries.length;
      last().onClose();
      vi.advanceTimersByTime(pauseMs - 1);
      expect(tries).toHaveLength(before);
      vi.advanceTimersByTime(1);
      expect(tries).toHaveLength(before + 1);
    }
    expect(told.onClose).toHaveBeenCalledTimes(8);
  });

  test('that holds for ten seconds begins with short pauses anew, one that flaps does not', () => {
    keepConnected(connect, told);
    const holdFor = (ms: number): void => {
      last().onOpen();
      vi.advanceTimersByTime(ms);
      last().onClose();
    };
    holdFor(9_000);
    vi.advanceTimersByTime(500);
    holdFor(9_000);
    vi.advanceTimersByTime(999);
    expect(tries).toHaveLength(2);
    vi.advanceTimersByTime(1);
    expect(tries).toHaveLength(3);
    holdFor(10_001);
    vi.advanceTimersByTime(500);
    expect(tries).toHaveLength(4);
  });

  test('that is closed is told nothing more, and not tried again', () => {
    const feed = keepConnected(connect, told);
    last().onOpen();
    last().onMessage('one');
    feed.close();
    expect(closed).toHaveBeenCalledTimes(1);
    last().onMessage('two');
    last().onOpen();
    last().onClose();
    vi.advanceTimersByTime(100_000);
    expect(tries).toHaveLength(1);
    expect(told.onMessage.mock.calls).toEqual([['one']]);
    expect([told.onOpen, told.onClose].map((mock) => mock.mock.calls.length)).toEqual([1, 0]);
  });

  test('that is closed during a pause is not tried again', () => {
    const feed = keepConnected(connect, told);
    last().onClose();
    feed.close();
    vi.advanceTimersByTime(100_000);
    expect(tries).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
