/** Runs callbacks later; `after` returns a function that cancels. */
export interface Timers {
  after(delayMs: number, run: () => void): () => void;
}

/** The sandbox's only source of time: epoch milliseconds, and delayed work that ends with the sandbox. */
export interface Clock extends Timers {
  now(): number;
  /** Moves the time forward; delayed work that is due by then runs immediately. */
  advance(ms: number): void;
  /** Cancels everything that is still pending. */
  stop(): void;
}

const realTimers: Timers = {
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Delayed work, and how to cancel its timer. */
interface Delayed {
  readonly dueAt: number;
  readonly run: () => void;
  cancel: () => void;
}

/** Creates a clock over the given sources, by default the machine's own. */
export function createClock(source: () => number = Date.now, timers: Timers = realTimers): Clock {
  const waiting = new Set<Delayed>();
  let advancedMs = 0;
  const now = () => source() + advancedMs;
  const start = (delayed: Delayed) => {
    delayed.cancel = timers.after(Math.max(0, delayed.dueAt - now()), () => {
      waiting.delete(delayed);
      delayed.run();
    });
  };
  return {
    now,
    advance(ms) {
      advancedMs += ms;
      for (const delayed of waiting) {
        delayed.cancel();
        start(delayed);
      }
    },
    after(delayMs, run) {
      const delayed: Delayed = { dueAt: now() + delayMs, run, cancel: () => undefined };
      waiting.add(delayed);
      start(delayed);
      return () => {
        waiting.delete(delayed);
        delayed.cancel();
      };
    },
    stop() {
      for (const { cancel } of waiting) cancel();
      waiting.clear();
    },
  };
}
