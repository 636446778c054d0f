import { beforeEach, describe, expect, test, vi } from 'vitest';
import { EventQueue } from '../../src/live/event-queue.ts';

const onEnd = vi.fn<() => void>();
const onFull = vi.fn<() => void>();

beforeEach(() => {
  vi.resetAllMocks();
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

const PATIENCE_MS = 2_000;

function queueOf(limit = 128, burst = 2_000): EventQueue<number> {
  return new EventQueue<number>({ limit, burst, patienceMs: PATIENCE_MS, onEnd, onFull });
}

const DONE = { done: true, value: undefined };

describe('a queue', () => {
  test('gives its events in order, whether they or their reader come first', async () => {
    const queue = queueOf();
    queue.push(1);
    queue.push(2);
    const read = [queue.next(), queue.next(), queue.next(), queue.next()];
    queue.push(3);
    queue.push(4);
    expect((await Promise.all(read)).map(({ value }) => value as unknown)).toEqual([1, 2, 3, 4]);
  });

  test('that ends still gives what is there, and then no more', async () => {
    const queue = queueOf();
    queue.push(1);
    queue.end(2);
    queue.push(3);
    queue.end(4);
    const read: number[] = [];
    for await (const event of queue) read.push(event);
    expect(read).toEqual([1, 2]);
    expect(onEnd).toHaveBeenCalledTimes(1);
    expect(await queue.next()).toEqual(DONE);
  });

  test('that ends lets all go that wait for an event, with the last one for the first', async () => {
    const queue = queueOf();
    const read = [queue.next(), queue.next(), queue.next()];
    queue.end(7);
    expect(await Promise.all(read)).toEqual([{ done: false, value: 7 }, DONE, DONE]);
  });

  test.each(['return', 'throw'] as const)('lets its reader go at once by %s, full or awaited', async (go) => {
    const [full, awaited] = [queueOf(), queueOf()];
    for (let event = 0; event < 128; event += 1) full.push(event);
    const waiting = awaited.next();
    for (const queue of [full, awaited]) expect(await queue[go]?.()).toEqual(DONE);
    expect(await waiting).toEqual(DONE);
    full.push(1);
    expect(await full.next()).toEqual(DONE);
    expect(onEnd).toHaveBeenCalledTimes(2);
    expect(onFull).not.toHaveBeenCalled();
  });

  test('is left by a loop that breaks', async () => {
    const queue = queueOf();
    for (let event = 0; event < 10; event += 1) queue.push(event);
    for await (const event of queue) if (event === 3) break;
    expect(onEnd).toHaveBeenCalledTimes(1);
  });

  test('that always has events yields to its reader’s leaving', async () => {
    vi.useRealTimers();
    const queue = new EventQueue<number>({
      limit: 128,
      burst: 2_000,
      patienceMs: PATIENCE_MS,
      onFull,
      onEnd,
    });
    let consumed = 0;
    const feed = setInterval(() => {
      for (let event = 0; event < 100; event += 1) queue.push(event);
    }, 1);
    const reading = (async () => {
      for await (const event of queue) consumed += event < 0 ? 0 : 1;
    })();
    await expect.poll(() => consumed, { interval: 1 }).toBeGreaterThan(1_000);
    await queue.return?.();
    const before = consumed;
    await reading;
    clearInterval(feed);
    expect(consumed).toBe(before);
    expect(await queue.next()).toEqual(DONE);
  });
});

describe('a reader', () => {
  test('may have 128 events wait, for ever', () => {
    const queue = queueOf();
    for (let event = 0; event < 128; event += 1) queue.push(event);
    vi.advanceTimersByTime(100 * PATIENCE_MS);
    expect(onFull).not.toHaveBeenCalled();
  });

  test('that takes none of more than 128 for two seconds is too slow', () => {
    const queue = queueOf();
    for (let event = 0; event < 129; event += 1) queue.push(event);
    vi.advanceTimersByTime(PATIENCE_MS - 1);
    expect(onFull).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onFull).toHaveBeenCalledTimes(1);
  });

  test('that takes some all the while is not', async () => {
    const queue = queueOf();
    for (let event = 0; event < 140; event += 1) queue.push(event);
    for (let round = 0; round < 20; round += 1) {
      await queue.next();
      vi.advanceTimersByTime(PATIENCE_MS);
    }
    expect(onFull).not.toHaveBeenCalled();
  });

  test('that stops taking after a while is found out too', async () => {
    const queue = queueOf();
    for (let event = 0; event < 140; event += 1) queue.push(event);
    await queue.next();
    vi.advanceTimersByTime(2 * PATIENCE_MS);
    expect(onFull).toHaveBeenCalledTimes(1);
  });

  test('is given up at 2,000 events however they come, and the one beyond is not kept', async () => {
    const queue = queueOf();
    for (let event = 0; event < 2_000; event += 1) queue.push(event);
    expect(onFull).not.toHaveBeenCalled();
    queue.push(2_000);
    expect(onFull).toHaveBeenCalledTimes(1);
    queue.end(-1);
    const read: number[] = [];
    for await (const event of queue) read.push(event);
    expect(read).toHaveLength(2_001);
    expect(read.at(-1)).toBe(-1);
  });

  test('that has left leaves no clock behind', async () => {
    const queue = queueOf();
    for (let event = 0; event < 129; event += 1) queue.push(event);
    await queue.return?.();
    expect(vi.getTimerCount()).toBe(0);
  });
});
