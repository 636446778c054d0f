import { setTimeout as after } from 'node:timers/promises';

/** Maximum per second, but all within ten seconds: their clients reconnect, and should not all do so at once. */
const PER_SECOND = 180;
const LONGEST_MS = 10_000;

/** Calls a function with each item in turn, spread over time if there are many. */
export async function paced<T>(all: readonly T[], act: (one: T) => void): Promise<void> {
  const gapMs = Math.min(1_000 / PER_SECOND, LONGEST_MS / Math.max(1, all.length));
  const startedAt = performance.now();
  for (const [index, one] of all.entries()) {
    const aheadMs = index * gapMs - (performance.now() - startedAt);
    if (aheadMs > 1) await after(aheadMs);
    act(one);
  }
}
