/** How often a list is read: slower while nothing changes. */
export interface Pace {
  /** Milliseconds until the next reading, after one that showed a change or none. */
  next(hasChanged: boolean): number;
  /** Something has happened that a reading will show. */
  quicken(): void;
}

/** Readings with nothing new in between become rarer, up to so many times the least interval. */
export const SLOWEST = 12;
const GROWTH = 1.5;

/** Begins with the least interval. */
export function createPace(leastMs: number): Pace {
  let interval = leastMs;
  return {
    next(hasChanged) {
      interval = hasChanged ? leastMs : Math.min(interval * GROWTH, leastMs * SLOWEST);
      return interval;
    },
    quicken: () => void (interval = leastMs),
  };
}
