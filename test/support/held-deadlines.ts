import { onTestFinished, vi } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import { deadlines } from '../../src/sources/upstream/call.ts';
import { holdTimers } from './held-timers.ts';

/** The deadlines of calls to the service, which pass when the test says so. */
export interface HeldDeadlines {
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
