import { setTimeout as after } from 'node:timers/promises';

/** At most so many are dealt with in a second, but all within ten: their clients come back, and not all at once. */
const PER_SECOND = 180;
const LONGEST_MS = 10_000;

/** Does something with one after the other, spread over time when they are many. */
export async function paced<T>(all: readonly T[], act: (one: T) => void): Promise<void> {
  const gapMs = Math.min(1_000 / PER_SECOND, LONGEST_MS / Math.max(1, all.length));
  const startedAt = performance.now();
  for (const [index, one] of all.entries()) {
    const aheadMs = index * gapMs - (performance.now() - startedAt);
    if (aheadMs > 1) await after(aheadMs);
    act(one);
  }
}
