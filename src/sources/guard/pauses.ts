import { LRUCache } from 'lru-cache';
import { SourceError, type Surface } from '../errors.ts';

/** The pauses that a surface has asked callers for. */
export interface Pauses {
  /** Throws a SourceError of kind `rate-limited` while a caller may not be called for. */
  check(caller: string): void;
  /** Notes that the surface asked for a pause. A longer one that it asked for before stands. */
  note(caller: string, pauseMs: number): void;
}

/** Longest pause that is kept, in milliseconds: a service may err by hours. */
export const LONGEST_PAUSE_MS = 30_000;
const MAX_CALLERS = 10_000;

/** Makes the memory of pauses of one surface. */
export function createPauses(surface: Surface): Pauses {
  const ends = new LRUCache<string, number>({ max: MAX_CALLERS, ttl: LONGEST_PAUSE_MS });
  const endOf = (caller: string): number => ends.get(caller) ?? 0;
  return {
    check(caller) {
      const leftMs = endOf(caller) - performance.now();
      if (leftMs <= 0) return;
      throw new SourceError('rate-limited', surface, 'the pause is not over', {
        retryAfterMs: Math.ceil(leftMs),
      });
    },
    note(caller, pauseMs) {
      const end = performance.now() + Math.min(pauseMs, LONGEST_PAUSE_MS);
      ends.set(caller, Math.max(end, endOf(caller)));
    },
  };
}
