import { onTestFinished, expect, vi } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import { deadlines } from '../../src/sources/upstream/call.ts';

/** Stops `performance.now` until the test ends, at a whole number of milliseconds. */
export function holdClock() {
  let now = Math.ceil(performance.now());
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  return {
    /** Moves the clock on; timers do not follow it. */
    advance(ms: number) {
      now += ms;
    },
  };
}

// Longer than anything in the process waits, and just short of the longest timer that there can be.
let nextMark = 1_500_000_000;

/** Holds timers of this process until the test ends: they end when the test says so, and not by the clock. */
export function holdTimers() {
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
    /** Gives a number of milliseconds that no other timer has; a timer of that length is held, under the name. */
    mark(name: string) {
      nextMark += 1;
      marks.set(nextMark, name);
      return nextMark;
    },
    /** Holds timers of a length that the product chooses. */
    hold: (ms: number, name: string) => void marks.set(ms, name),
    /** Names of the timers that are held now. */
    get names() {
      return [...held.values()].map(({ name }) => name);
    },
    /** Ends the timers of a name, or all, or the oldest so many of them; fails the test if there are none. */
    fire(name?: string, count?: number) {
      const due = [...held].filter(([, timer]) => name === undefined || timer.name === name);
      expect(due.length, `timers of ${name ?? 'any name'} that are held`).toBeGreaterThan(0);
      for (const [timer, { run }] of due.slice(0, count)) {
        clearTimeout(timer as NodeJS.Timeout);
        run();
      }
    },
  };
}

/**
 * Takes the deadlines of some endpoints, or of all, off the clock until the test ends. A test that shortened them instead
 * would depend on a quick machine: the deadline might pass before the call has reached the sandbox.
 */
export function holdDeadlines(endpoints?: readonly EndpointName[]) {
  const timers = holdTimers();
  const { of: original } = deadlines;
  const spy = vi.spyOn(deadlines, 'of').mockImplementation((request) => {
    const { name } = request.endpoint;
    const isHeld = endpoints === undefined || endpoints.includes(name as EndpointName);
    return isHeld ? timers.mark(name) : original(request);
  });
  onTestFinished(() => {
    spy.mockRestore();
    // A call that a failed test leaves open would keep its server from closing.
    if (timers.names.length > 0) timers.fire();
  });
  return {
    /** Lets the deadline of every open call of an endpoint pass, or of all calls; fails the test if there are none. */
    pass: (endpoint?: string) => timers.fire(endpoint),
  };
}

/** Lets the pauses between attempts, which are of no whole milliseconds, be over at once until the test ends. */
export function skipPauses(): void {
  const wait = setTimeout;
  const waitLess = (act: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) =>
    wait(act, Number.isInteger(ms) ? ms : 0, ...values);
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(waitLess as typeof setTimeout);
}
