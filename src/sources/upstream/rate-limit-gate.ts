import { createBoundedCache } from '../../bounded-cache.ts';
import { SourceError, type Surface } from '../errors.ts';

/** Blocks calls of callers that a surface has asked to pause. */
export interface RateLimitGate {
  /** @throws SourceError of kind `rate-limited` while the caller must pause. */
  check(caller: string): void;
  /** Records a pause that the surface requested. It never shortens an earlier one. */
  note(caller: string, pauseMs: number): void;
}

/** A gate that also tells which pauses it keeps. */
export interface OwnRateLimitGate extends RateLimitGate {
  /** Returns the callers that must pause, and for how much longer. */
  pauses(): { readonly caller: string; readonly pauseMs: number }[];
}

/** Longest pause in milliseconds, because a service may request hours by mistake. */
const LONGEST_PAUSE_MS = 30_000;
const MAX_CALLERS = 10_000;

/** Creates the gate of one surface. */
export function createRateLimitGate(surface: Surface): OwnRateLimitGate {
  const ends = createBoundedCache<number>({ maxEntries: MAX_CALLERS, ttl: LONGEST_PAUSE_MS });
  const endOf = (caller: string): number => ends.get(caller) ?? 0;
  return {
    check(caller) {
      const end = endOf(caller);
      if (end === 0) return;
      const leftMs = end - performance.now();
      if (leftMs <= 0) return;
      throw new SourceError('rate-limited', surface, 'the rate limit has not been lifted yet', {
        retryAfterMs: Math.ceil(leftMs),
      });
    },
    note(caller, pauseMs) {
      const end = performance.now() + Math.min(pauseMs, LONGEST_PAUSE_MS);
      ends.set(caller, Math.max(end, endOf(caller)));
    },
    pauses() {
      const now = performance.now();
      return Array.from(ends.entries(), ([caller, end]) => ({ caller, pauseMs: end - now })).filter(
        ({ pauseMs }) => pauseMs > 0,
      );
    },
  };
}
