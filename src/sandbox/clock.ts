/** Runs callbacks later; `after` returns a function that cancels. */
export interface Timers {
  after(delayMs: number, run: () => void): () => void;
}

/** The sandbox's only source of time: epoch milliseconds, and delayed work that ends with the sandbox. */
export interface Clock extends Timers {
  now(): number;
  /** Cancels everything that is still pending. */
  stop(): void;
}

const realTimers: Timers = {
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Creates a clock over the given sources, by default the machine's own. */
export function createClock(now: () => number = Date.now, timers: Timers = realTimers): Clock {
  const waiting = new Set<() => void>();
  return {
    now,
    after(delayMs, run) {
      const cancel = timers.after(delayMs, () => {
        waiting.delete(cancel);
        run();
      });
      waiting.add(cancel);
      return () => {
        waiting.delete(cancel);
        cancel();
      };
    },
    stop() {
      for (const cancel of waiting) cancel();
      waiting.clear();
    },
  };
}
