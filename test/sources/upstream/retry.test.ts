import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SourceError } from '../../../src/sources/errors.ts';
import { RetryPolicy } from '../../../src/sources/upstream/retry.ts';
import { cases } from '../../support/depth.ts';
import {
  always,
  fakeSurface,
  guarded,
  outcomeOf,
  readOf,
  writeOf,
  type Failure,
  type SentCall,
} from '../../support/fake-surface.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const READS = cases(2_000, 10_000);

type How = number | Failure;

const respond = (call: SentCall, how: How | undefined): void => {
  if (typeof how === 'string') call.fail(how);
  else call.answer(how ?? 200);
};

/** Sends a read to a surface that answers one way after the other; gives what came of it, and each time of sending. */
async function readThrough(ways: readonly How[], attempts = 3) {
  const fake = fakeSurface((call, count) => respond(call, ways[count - 1]));
  const outcome = outcomeOf(guarded(fake, { attempts }).send(readOf()));
  await vi.advanceTimersByTimeAsync(15_000);
  return { outcome: await outcome, sent: fake.calls.length, times: fake.calls.map(({ at }) => at) };
}

describe('a read', () => {
  test.each<readonly [readonly How[], How, number]>([
    [[503, 503, 200], 200, 3],
    [[502, 504, 200], 200, 3],
    [['unreachable', 'unavailable', 200], 200, 3],
    ...[520, 521, 522, 523, 524].map((status) => [[status, status, 200], 200, 3] as const),
    [[503, 503, 503, 200], 503, 3],
    [['unavailable', 'unavailable', 'unavailable', 200], 'unavailable', 3],
    [[503, 404], 404, 2],
    [[503, 'timeout'], 'timeout', 2],
    ...([500, 501, 505, 519, 525, 530, 400, 401, 403, 404, 409, 422, 302, 204] as const).map(
      (status) => [[status, 200], status, 1] as const,
    ),
    ...(['timeout', 'malformed'] as const).map((kind) => [[kind, 200], kind, 1] as const),
  ])('that meets %j comes to %s after %d times', async (ways, outcome, sent) => {
    expect(await readThrough(ways)).toMatchObject({ outcome, sent });
  });

  test('is sent as often as the setting says', async () => {
    for (const attempts of [1, 2, 4]) {
      expect(await readThrough([503, 503, 503, 503, 503, 503], attempts)).toMatchObject({ sent: attempts });
    }
  });

  test('is repeated after a random time, up to a tenth of a second and then twice that', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.999_999);
    const { times } = await readThrough([503, 503, 200]);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeCloseTo(100, -1);
    expect((times[2] ?? 0) - (times[1] ?? 0)).toBeCloseTo(200, -1);
    vi.mocked(Math.random).mockReturnValue(0);
    const atOnce = await readThrough([503, 503, 200]);
    expect((atOnce.times[2] ?? 0) - (atOnce.times[0] ?? 0)).toBeLessThan(5);
  });

  test('is not repeated when there is no time for it, and no attempt outlasts the deadline', async () => {
    const fake = fakeSurface((call, count) => {
      if (count === 1) setTimeout(() => call.answer(503), 14_900);
    });
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const guardian = guarded(fake);
    const startedAt = performance.now();
    const outcome = outcomeOf(guardian.send(readOf()));
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await outcome).toBe('timeout');
    expect(performance.now() - startedAt).toBe(15_000);
    expect(fake.calls).toHaveLength(2);
    vi.mocked(Math.random).mockReturnValue(0.999);
    const late = fakeSurface((call) => setTimeout(() => call.answer(503), 14_950));
    const tooLate = outcomeOf(guarded(late).send(readOf()));
    await vi.advanceTimersByTimeAsync(14_950);
    expect(await tooLate).toBe(503);
    expect(late.calls).toHaveLength(1);
  });

  test('is not sent again for a caller who left between two attempts', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.9);
    const fake = fakeSurface(always(503));
    const leaving = new AbortController();
    const outcome = outcomeOf(guarded(fake).send(readOf(1, { signal: leaving.signal })));
    await vi.advanceTimersByTimeAsync(10);
    leaving.abort();
    expect(await outcome).toBe('cancelled');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(fake.calls).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a write', () => {
  test.each<How>([500, 502, 503, 504, 522, 429, 'unreachable', 'unavailable', 'timeout', 'malformed'])(
    'that meets %s is sent once',
    async (how) => {
      const fake = fakeSurface((call) => respond(call, how));
      const outcome = outcomeOf(guarded(fake).send(writeOf()));
      await vi.advanceTimersByTimeAsync(30_000);
      expect(await outcome).toBe(how);
      expect(fake.calls).toHaveLength(1);
      expect(fake.calls[0]?.request.cancellation).toBeUndefined();
    },
  );
});

describe('many reads of a service that fails', () => {
  test.each<readonly [pace: string, everyMs: number]>([
    ['at once', 0],
    ['a thousand a second', 100],
  ])('%s are repeated for a tenth of them, and for three a second', async (_pace, everyMs) => {
    const fake = fakeSurface(always(503));
    const guardian = guarded(fake);
    const startedAt = performance.now();
    const all: Promise<unknown>[] = [];
    for (let page = 0; page < READS; page += 100) {
      for (let n = 0; n < 100; n += 1) all.push(outcomeOf(guardian.send(readOf(page + n))));
      await vi.advanceTimersByTimeAsync(everyMs);
    }
    await vi.advanceTimersByTimeAsync(2_000);
    expect(new Set(await Promise.all(all))).toEqual(new Set([503]));
    const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
    expect(fake.calls.length).toBeLessThanOrEqual(1.1 * READS + 3 * seconds);
    expect(fake.calls.length).toBeGreaterThan(1.01 * READS);
  });

  test('are repeated three times in each second, also without others that succeed', () => {
    const retries = new RetryPolicy({ attempts: 3 });
    const failure = new SourceError('unavailable', 'current', 'no answer');
    const repeated = Array.from({ length: 4 }, () => {
      const pauses = Array.from({ length: 5 }, () => retries.pauseAfter(failure, 1, Infinity));
      vi.advanceTimersByTime(1_000);
      return pauses.filter((pauseMs) => pauseMs !== null).length;
    });
    expect(repeated).toEqual([3, 3, 3, 3]);
  });
});
