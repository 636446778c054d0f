/** How often a list is read: less often while nothing changes. */
interface Pace {
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

/** Repeats an action, one run at a time. */
interface Schedule {
  /** Runs it as soon as allowed. */
  soon(): void;
  /** Runs it after so many milliseconds, instead of when it was planned; without effect during a run. */
  in(delayMs: number): void;
  /** Waits at least this many milliseconds before the next run, whoever requests it. */
  pauseFor(ms: number): void;
  stop(): void;
}

/**
 * Creates a schedule that runs an action on request, and then after the number of milliseconds it returns, but never
 * sooner than `leastMs` after its last start.
 */
export function createSchedule(leastMs: number, act: () => Promise<number>): Schedule {
  let timer: NodeJS.Timeout | undefined;
  let notBefore = -Infinity;
  let isActing = false;
  let isAskedFor = false;
  let isStopped = false;
  const plan = (delayMs: number): void => {
    if (isStopped || isActing) return;
    clearTimeout(timer);
    timer = setTimeout(() => void run(), Math.max(delayMs, notBefore - performance.now())).unref();
  };
  const run = async (): Promise<void> => {
    isActing = true;
    isAskedFor = false;
    notBefore = performance.now() + leastMs;
    const delayMs = await act();
    isActing = false;
    plan(isAskedFor ? 0 : delayMs);
  };
  return {
    soon() {
      isAskedFor = true;
      plan(0);
    },
    in: (delayMs) => plan(delayMs),
    pauseFor: (ms) => void (notBefore = Math.max(notBefore, performance.now() + ms)),
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
