import { onTestFinished, expect, vi } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import { deadlines } from '../../src/sources/upstream/call.ts';

/** The monotonic clock of this process, which moves when the test says so. */
interface HeldClock {
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

/** Timers of this process that end when the test says so, and not by the clock. */
interface HeldTimers {
  /** A number of milliseconds that no other timer has; a timer of that length is held, under the name. */
  mark(name: string): number;
  /** Holds timers of a length that the product chooses. */
  hold(ms: number, name: string): void;
  /** Names of the timers that are held now. */
  readonly names: readonly string[];
  /** Ends the timers of a name, or all, or the oldest so many of them; fails the test if there are none. */
  fire(name?: string, count?: number): void;
}

// Longer than anything in the process waits, and just short of the longest timer that there can be.
let nextMark = 1_500_000_000;

/** Holds timers until the test ends. */
export function holdTimers(): HeldTimers {
  const marks = new Map<number, string>();
  const held = new Map<unknown, { readonly name: string; readonly run: () => void }>();
  const { setTimeout: start, clearTimeout: stop } = globalThis;
  const setHeld = (run: (...values: unknown[]) => void, ms?: number, ...values: unknown[]) => {
    const timer = start(() => run(...values), ms);
    const name = marks.get(ms ?? 0);
    if (name !== undefined) held.set(timer, { name, run: () => run(...values) });
    return timer;
  };
  globalThis.setTimeout = Object.assign(setHeld, start);
  globalThis.clearTimeout = (timer) => {
    held.delete(timer);
    stop(timer);
  };
  onTestFinished(() => {
    globalThis.setTimeout = start;
    globalThis.clearTimeout = stop;
    for (const timer of held.keys()) stop(timer as NodeJS.Timeout);
  });
  return {
    mark(name) {
      nextMark += 1;
      marks.set(nextMark, name);
      return nextMark;
    },
    hold(ms, name) {
      marks.set(ms, name);
    },
    get names() {
      return [...held.values()].map(({ name }) => name);
    },
    fire(name, count) {
      const due = [...held].filter(([, timer]) => name === undefined || timer.name === name);
      expect(due.length, `timers of ${name ?? 'any name'} that are held`).toBeGreaterThan(0);
      for (const [timer, { run }] of due.slice(0, count)) {
        clearTimeout(timer as NodeJS.Timeout);
        run();
      }
    },
  };
}

/** The deadlines of calls to the service, which pass when the test says so. */
interface HeldDeadlines {
  /** Lets the deadline of every open call of an endpoint pass, or of all calls; fails the test if there are none. */
  pass(endpoint?: string): void;
}

/**
 * Takes the deadlines of some endpoints, or of all, off the clock until the test ends. A test that shortened them instead
 * would depend on a quick machine: the deadline might pass before the call has reached the sandbox.
 */
export function holdDeadlines(endpoints?: readonly EndpointName[]): HeldDeadlines {
  const timers = holdTimers();
  const { of: original } = deadlines;
  const spy = vi.spyOn(deadlines, 'of').mockImplementation((request) => {
    const { name } = request.endpoint;
    const isHeld = endpoints === undefined || endpoints.includes(name as EndpointName);
    return isHeld ? timers.mark(name) : original(request);
  });
  onTestFinished(() => {
    spy.mockRestore();
  });
  return { pass: (endpoint) => timers.fire(endpoint) };
}
