import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  fakeSurface,
  guarded,
  outcomeOf,
  outcomesOf,
  readOf,
  type SentCall,
} from '../../support/fake-surface.ts';

const LIMITS = { minCalls: 20, pauseMs: 5_000, attempts: 1 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A surface that fails for some callers. */
function surfaceFailingFor(isOdd: (caller: string) => boolean) {
  let fails = isOdd;
  const fake = fakeSurface((call: SentCall) => call.answer(fails(call.request.caller) ? 500 : 200));
  const guardian = guarded(fake, LIMITS);
  return {
    guardian,
    failFor: (next: (caller: string) => boolean) => (fails = next),
    /** So many calls of a caller, one after the other. */
    call: async (caller: string, times = 1): Promise<unknown[]> => {
      const outcomes = [];
      for (let page = 1; page <= times; page += 1)
        outcomes.push(await outcomeOf(guardian.send(readOf(page, { caller }))));
      return outcomes;
    },
  };
}

const filled = (count: number, outcome: unknown): unknown[] => Array<unknown>(count).fill(outcome);

describe('a surface that fails for one caller', () => {
  test('is left alone for that caller and works for the others, whoever calls first', async () => {
    const { guardian, call } = surfaceFailingFor((caller) => caller === 'odd');
    expect(await call('odd', 100)).toEqual([...filled(20, 500), ...filled(80, 'unreachable')]);
    expect(await call('ann', 30)).toEqual(filled(30, 200));
    expect(await call('odd')).toEqual(['unreachable']);
    expect(guardian.isOutOfOrder).toBe(false);
  });

  test('never stops the others, in whatever order the calls come', async () => {
    const { guardian, call } = surfaceFailingFor((caller) => caller === 'odd');
    for (let round = 0; round < 200; round += 1) {
      await call('odd', round % 7);
      expect(await call('ann', round % 3)).not.toContain('unreachable');
      expect(await call('bob')).toEqual([200]);
      await vi.advanceTimersByTimeAsync(100 * (round % 9));
    }
    expect(guardian.isOutOfOrder).toBe(false);
  });

  test('is asked for that caller again after the pause, by one call', async () => {
    const { call, failFor } = surfaceFailingFor((caller) => caller === 'odd');
    await call('odd', 20);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await call('odd', 3)).toEqual([500, 'unreachable', 'unreachable']);
    failFor(() => false);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await call('odd', 3)).toEqual(filled(3, 200));
  });

  test('counts as out of order while nobody else calls', async () => {
    const { guardian, call } = surfaceFailingFor((caller) => caller === 'odd');
    await call('odd', 20);
    expect(guardian.isOutOfOrder).toBe(true);
    await call('ann');
    expect(guardian.isOutOfOrder).toBe(false);
    await vi.advanceTimersByTimeAsync(11_000);
    expect(guardian.isOutOfOrder).toBe(true);
  });
});

test('calls of more than ten seconds ago do not keep those of the same callers from counting for all', async () => {
  const { guardian, call, failFor } = surfaceFailingFor(() => false);
  const ofAll = () => outcomesOf(20, (n) => guardian.send(readOf(n, { caller: `caller ${n % 5}` })));
  for (let round = 0; round < 3; round += 1) await ofAll();
  await vi.advanceTimersByTimeAsync(11_000);
  failFor(() => true);
  await ofAll();
  expect(await call('new', 3)).toEqual(filled(3, 'unreachable'));
});

test('a surface that fails for many callers is left alone for all', async () => {
  const { guardian, call, failFor } = surfaceFailingFor(() => true);
  await outcomesOf(20, (n) => guardian.send(readOf(n, { caller: `caller ${n % 5}` })));
  expect(await call('new', 3)).toEqual(filled(3, 'unreachable'));
  expect(guardian.isOutOfOrder).toBe(true);
  failFor(() => false);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await call('new', 3)).toEqual(filled(3, 200));
  expect(guardian.isOutOfOrder).toBe(false);
});
