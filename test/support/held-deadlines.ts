import { expect, onTestFinished, vi } from 'vitest';
import type { EndpointName } from '../../src/sandbox/endpoints.ts';
import { deadlines } from '../../src/sources/deadline.ts';

/** The deadlines of calls to the service, which pass when the test says so. */
export interface HeldDeadlines {
  /** Lets the deadline of every open call of an endpoint pass, or of all calls; fails the test if there are none. */
  pass(endpoint?: string): void;
}

/** Recognises the timers of deadlines among all others: nothing else in the process waits for so long. */
const MARK_MS = 2_000_000_000;

/**
 * Takes the deadlines of some endpoints, or of all, off the clock until the test ends. A test that shortened them instead
 * would depend on a quick machine: the deadline might pass before the call has reached the sandbox.
 */
export function holdDeadlines(endpoints?: readonly EndpointName[]): HeldDeadlines {
  const names: string[] = [];
  const held = new Map<ReturnType<typeof setTimeout>, { readonly name: string; readonly run: () => void }>();
  const { of: original } = deadlines;
  const [start, stop] = [globalThis.setTimeout, globalThis.clearTimeout];
  const ofSpy = vi.spyOn(deadlines, 'of').mockImplementation((request) => {
    const { name } = request.endpoint;
    if (endpoints && !endpoints.includes(name as EndpointName)) return original(request);
    return MARK_MS + names.push(name) - 1;
  });
  const setSpy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
    run: () => void,
    ms = 0,
    ...args: readonly unknown[]
  ) => {
    const timer = start(run, ms, ...args);
    if (ms >= MARK_MS) held.set(timer, { name: names[ms - MARK_MS] ?? '', run });
    return timer;
  }) as typeof setTimeout);
  const clearSpy = vi.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    held.delete(timer as ReturnType<typeof setTimeout>);
    stop(timer);
  });
  onTestFinished(() => {
    for (const timer of held.keys()) stop(timer);
    for (const spy of [ofSpy, setSpy, clearSpy]) spy.mockRestore();
  });
  return {
    pass(endpoint) {
      const due = [...held].filter(([, { name }]) => endpoint === undefined || name === endpoint);
      expect(due.length, `open calls of ${endpoint ?? 'any endpoint'}`).toBeGreaterThan(0);
      for (const [timer, { run }] of due) {
        clearTimeout(timer);
        run();
      }
    },
  };
}
