import { onTestFinished } from 'vitest';

/** The monotonic clock of this process, which moves when the test says so. */
export interface HeldClock {
  /** Moves the clock on; timers do not follow it. */
  advance(ms: number): void;
}

/** Stops `performance.now` until the test ends, at a whole number of milliseconds. */
export function holdClock(): HeldClock {
  let now = Math.ceil(performance.now());
  const original = Object.getOwnPropertyDescriptor(performance, 'now');
  Object.defineProperty(performance, 'now', { configurable: true, writable: true, value: () => now });
  onTestFinished(() => {
    if (original) Object.defineProperty(performance, 'now', original);
    else Reflect.deleteProperty(performance, 'now');
  });
  return {
    advance(ms) {
      now += ms;
    },
  };
}
