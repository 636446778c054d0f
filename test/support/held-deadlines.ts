import { expect, onTestFinished, vi } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import { DeadlineQueue, Deadlines, deadlines, type Expiring } from '../../src/sources/upstream/deadlines.ts';

/** The deadlines of calls to the service, which pass when the test says so. */
export interface HeldDeadlines {
  /** Lets the deadline of every open call of an endpoint pass, or of all calls; fails the test if there are none. */
  pass(endpoint?: string): void;
}

// Longer than any call may take.
let nextMark = 1_500_000_000;

/**
 * Takes the deadlines of some endpoints, or of all, off the clock until the test ends. A test that shortened them instead
 * would depend on a quick machine: the deadline might pass before the call has reached the sandbox.
 */
export function holdDeadlines(endpoints?: readonly EndpointName[]): HeldDeadlines {
  const marks = new Map<number, string>();
  const held = new Map<Expiring, string>();
  const { of: originalOf } = deadlines;
  const of = vi.spyOn(deadlines, 'of').mockImplementation((request) => {
    const { name } = request.endpoint;
    if (endpoints && !endpoints.includes(name as EndpointName)) return originalOf(request);
    nextMark += 1;
    marks.set(nextMark, name);
    return nextMark;
  });
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its own `this` below
  const originalStart = Deadlines.prototype.start;
  const start = vi.spyOn(Deadlines.prototype, 'start').mockImplementation(function (
    this: Deadlines,
    call,
    ms,
  ) {
    const name = marks.get(ms);
    if (name === undefined) return originalStart.call(this, call, ms);
    held.set(call, name);
    return new HeldQueue(held);
  });
  onTestFinished(() => {
    of.mockRestore();
    start.mockRestore();
  });
  return {
    pass(endpoint) {
      const due = [...held].filter(([, name]) => endpoint === undefined || name === endpoint);
      expect(due.length, `open calls of ${endpoint ?? 'any endpoint'}`).toBeGreaterThan(0);
      for (const [call] of due) {
        held.delete(call);
        call.expire();
      }
    },
  };
}

/** A queue without a timer. */
class HeldQueue extends DeadlineQueue {
  private readonly held: Map<Expiring, string>;

  constructor(held: Map<Expiring, string>) {
    super(0);
    this.held = held;
  }

  override delete(call: Expiring): void {
    this.held.delete(call);
  }
}
