import { describe, expect, test } from 'vitest';
import { PAIRS } from '../support/processes.ts';

/** The pause that a check speaks of, in milliseconds. */
const waitOf = (check: () => void): number => {
  try {
    check();
    return 0;
  } catch (error) {
    return (error as { details: { retryAfterMs: number } }).details.retryAfterMs;
  }
};

describe.each(PAIRS)('rate-limit gates, %s,', (_name, open) => {
  test('that one was asked for are kept by all, and the longer one stands', async () => {
    const [{ rateLimitGates: one }, { rateLimitGates: other }] = await open();
    one.current.note('me', 10_000);
    await expect.poll(() => waitOf(() => other.current.check('me'))).toBeGreaterThan(8_000);
    other.current.note('me', 1_000);
    other.current.note('a marker', 5_000);
    await expect.poll(() => waitOf(() => one.current.check('a marker'))).toBeGreaterThan(0);
    for (const { current } of [one, other]) expect(waitOf(() => current.check('me'))).toBeGreaterThan(5_000);
    other.current.note('me', 20_000);
    await expect.poll(() => waitOf(() => one.current.check('me'))).toBeGreaterThan(15_000);
    one.current.note('me', 1e9);
    await expect.poll(() => waitOf(() => other.current.check('me'))).toBeGreaterThan(25_000);
    expect(waitOf(() => other.current.check('me'))).toBeLessThanOrEqual(30_000);
  });

  test('concern one caller and one surface', async () => {
    const [{ rateLimitGates: one }, { rateLimitGates: other }] = await open();
    one.legacy.note('me', 10_000);
    await expect.poll(() => waitOf(() => other.legacy.check('me'))).toBeGreaterThan(0);
    for (const rateLimitGates of [one, other]) {
      expect(waitOf(() => rateLimitGates.current.check('me'))).toBe(0);
      expect(waitOf(() => rateLimitGates.legacy.check('you'))).toBe(0);
    }
  });
});
