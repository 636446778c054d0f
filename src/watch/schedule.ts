/** Does a thing again and again, one at a time. */
export interface Schedule {
  /** Has it done as soon as that is allowed. */
  soon(): void;
  /** Lets so many milliseconds pass before it is done again, whoever asks. */
  pauseFor(ms: number): void;
  stop(): void;
}

/**
 * Has it done when it is asked for, and from then on after the milliseconds that it gives; never sooner than `leastMs` after
 * its last beginning.
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
    pauseFor: (ms) => void (notBefore = Math.max(notBefore, performance.now() + ms)),
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
