/** How often a list is read: less often while nothing changes. */
export interface Pace {
  /** Returns the milliseconds until the next reading, after one with or without a change. */
  next(hasChanged: boolean): number;
  /** Reads faster, because something has happened that a reading will show. */
  quicken(): void;
}

/** Readings without changes become less frequent, up to this multiple of the minimum interval. */
export const SLOWEST = 12;
const GROWTH = 1.5;

/** Creates a pace that starts with the minimum interval. */
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
