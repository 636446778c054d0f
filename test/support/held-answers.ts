import { expect } from 'vitest';
import type { FaultTarget } from '../../packages/sandbox/src/faults/fault.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { holdTimers } from './held-timers.ts';

/** Calls of the service that wait for the test before they are answered. */
export interface HeldAnswers {
  /** How many calls are held now. */
  readonly count: number;
  /** Waits until so many calls have arrived and are held. */
  arrived(count?: number): Promise<void>;
  /** Lets every call that is held be answered. */
  release(): void;
}

/**
 * Holds the true answers to some calls until the test releases them. With `effect: 'none'` the call itself waits, and is
 * not made at all if its caller has gone by then.
 */
export function holdAnswers({ faults }: Pick<Sandbox, 'faults'>, target: FaultTarget): HeldAnswers {
  const timers = holdTimers();
  faults.add({ ...target, kind: 'delay', ms: timers.mark('answer') });
  return {
    get count() {
      return timers.names.length;
    },
    arrived: (count = 1) => expect.poll(() => timers.names.length).toBe(count),
    release: () => timers.fire('answer'),
  };
}
