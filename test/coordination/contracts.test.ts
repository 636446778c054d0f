import { describe, expect, test } from 'vitest';
import { ORIGIN, PAIRS, type Pair } from '../support/processes.ts';

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `name ${index}`);
/** The two processes in turn. */
const sideOf = ([one, other]: Pair, index: number) => (index % 2 === 0 ? one : other);

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

describe.each(PAIRS)('authorisations, %s,', (_name, open) => {
  test('that began at one end once, at any', async () => {
    const [{ openAuthorizations: one }, { openAuthorizations: other }] = await open();
    await one.open('state', ORIGIN);
    expect(await other.take('another')).toBe(false);
    expect(await other.take('state')).toBe(true);
    for (const side of [one, other]) expect(await side.take('state')).toBe(false);
    await one.open('own', ORIGIN);
    expect(await one.take('own')).toBe(true);
    expect(await other.take('own')).toBe(false);
  });

  test('are taken by one of fifty', async () => {
    const pair = await open();
    await pair[0].openAuthorizations.open('state', ORIGIN);
    const taken = await Promise.all(
      names(50).map((_, index) => sideOf(pair, index).openAuthorizations.take('state')),
    );
    expect(taken.filter(Boolean)).toHaveLength(1);
  });
});
