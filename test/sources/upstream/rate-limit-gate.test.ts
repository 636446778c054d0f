import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  always,
  fakeSurface,
  guarded,
  outcomeOf,
  outcomesOf,
  readOf,
  writeOf,
} from '../../support/fake-surface.ts';

const NOW = Date.parse('2026-11-20T08:00:00Z');

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

const inSeconds = (seconds: number): string => new Date(NOW + seconds * 1_000).toUTCString();

/** Each form of Retry-After, and how long nothing is sent after it, in milliseconds. */
const FORMS: readonly (readonly [header: string | undefined, quietMs: number])[] = [
  ['0', 0],
  ['2', 2_000],
  ['29', 29_000],
  ['3600', 30_000],
  ['1000000000', 30_000],
  ['9'.repeat(400), 30_000],
  [inSeconds(10), 10_000],
  [inSeconds(86_400), 30_000],
  [inSeconds(-60), 0],
  ['-5', 0],
  ['1e9', 30_000],
  ['19.7', 19_700],
  ['soon', 0],
  ['', 0],
  [undefined, 0],
];

describe('a pause that the service asks for with a 429', () => {
  test.each(FORMS)('and Retry-After: %s is kept, and no longer: %d ms', async (header, quietMs) => {
    const headers = header === undefined ? {} : { 'retry-after': header };
    const fake = fakeSurface((call, count) => call.answer(count === 1 ? 429 : 200, headers));
    const guardian = guarded(fake, { attempts: 1 });
    expect(await outcomeOf(guardian.send(readOf()))).toBe(429);
    if (quietMs > 0) {
      for (const later of [0, quietMs - 1]) {
        await vi.advanceTimersByTimeAsync(later);
        expect(await outcomeOf(guardian.send(readOf()))).toBe('rate-limited');
        expect(await outcomeOf(guardian.send(writeOf()))).toBe('rate-limited');
      }
      expect(fake.calls).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(await outcomeOf(guardian.send(readOf()))).toBe(200);
  });

  test('is waited for by a read where it is two seconds at most, and then the read is sent once more', async () => {
    const fake = fakeSurface((call, count) => call.answer(count === 1 ? 429 : 200, { 'retry-after': '2' }));
    const guardian = guarded(fake);
    const outcome = outcomeOf(guardian.send(readOf()));
    await vi.advanceTimersByTimeAsync(2_000);
    expect(fake.calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(await outcome).toBe(200);
    expect(fake.calls).toHaveLength(2);
  });

  test.each(['3', '3600', inSeconds(10), 'soon', undefined])(
    'with Retry-After: %s is not waited for',
    async (header) => {
      const fake = fakeSurface(always(429, header === undefined ? {} : { 'retry-after': header }));
      expect(await outcomeOf(guarded(fake).send(readOf()))).toBe(429);
      expect(fake.calls).toHaveLength(1);
    },
  );

  test('is waited for once: a second 429 is the answer', async () => {
    const fake = fakeSurface(always(429, { 'retry-after': '0' }));
    const outcome = outcomeOf(guarded(fake).send(readOf()));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await outcome).toBe(429);
    expect(fake.calls).toHaveLength(2);
  });

  test('is never waited for by a write, which was sent once', async () => {
    const fake = fakeSurface(always(429, { 'retry-after': '0' }));
    expect(await outcomeOf(guarded(fake).send(writeOf()))).toBe(429);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(fake.calls).toHaveLength(1);
  });

  test('is not cut short by an answer that asks for less', async () => {
    const fake = fakeSurface();
    const guardian = guarded(fake, { attempts: 1 });
    const both = outcomesOf(2, (page) => guardian.send(readOf(page)));
    await vi.advanceTimersByTimeAsync(0);
    fake.calls[0]?.answer(429, { 'retry-after': '20' });
    fake.calls[1]?.answer(429, { 'retry-after': '0' });
    expect(await both).toEqual([429, 429]);
    await vi.advanceTimersByTimeAsync(19_999);
    expect(await outcomeOf(guardian.send(readOf()))).toBe('rate-limited');
    expect(fake.calls).toHaveLength(2);
  });

  test('is kept by calls that were waiting for their turn', async () => {
    const fake = fakeSurface();
    const guardian = guarded(fake, { callsPerCaller: 1, attempts: 1 });
    const all = outcomesOf(10, (page) => guardian.send(readOf(page)));
    await vi.advanceTimersByTimeAsync(0);
    fake.calls[0]?.answer(429, { 'retry-after': '5' });
    expect(await all).toEqual([429, ...Array<string>(9).fill('rate-limited')]);
    expect(fake.calls).toHaveLength(1);
  });

  test('is the caller’s own: others go on', async () => {
    const fake = fakeSurface((call) =>
      call.answer(call.request.caller === 'ann' ? 429 : 200, { 'retry-after': '30' }),
    );
    const guardian = guarded(fake);
    await outcomeOf(guardian.send(readOf()));
    const others = await outcomesOf(100, (n) => guardian.send(readOf(1, { caller: `caller ${n}` })));
    expect(others).toEqual(Array<number>(100).fill(200));
    expect(await outcomeOf(guardian.send(readOf()))).toBe('rate-limited');
    expect(fake.calls).toHaveLength(101);
  });

  test('does not grow when the clock of the machine is set back', async () => {
    const fake = fakeSurface((call, count) => call.answer(count === 1 ? 429 : 200, { 'retry-after': '10' }));
    const guardian = guarded(fake, { attempts: 1 });
    await outcomeOf(guardian.send(readOf()));
    vi.setSystemTime(NOW - 3_600_000);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await outcomeOf(guardian.send(readOf()))).toBe(200);
  });

  test('is told to who asks meanwhile, in whole milliseconds', async () => {
    const fake = fakeSurface(always(429, { 'retry-after': '10' }));
    const guardian = guarded(fake, { attempts: 1 });
    await outcomeOf(guardian.send(readOf()));
    await vi.advanceTimersByTimeAsync(3_000);
    await expect(guardian.send(readOf())).rejects.toMatchObject({ details: { retryAfterMs: 7_000 } });
  });
});
