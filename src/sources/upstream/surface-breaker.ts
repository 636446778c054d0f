import { createBoundedCache } from '../../bounded-cache.ts';
import type { Surface } from '../errors.ts';
import { CircuitBreaker, FAILING_SHARE, type BreakerLimits, type CallResult } from './circuit-breaker.ts';
import { FailureWindow } from './failure-window.ts';

/** A call that the breaker has let pass. */
export interface PassedCall {
  /** Records how the call ended. */
  end(result: CallResult): void;
}

/** The state of one caller's calls. */
class Caller {
  readonly breaker: CircuitBreaker;
  /** Calls that counted for the shared breaker. */
  readonly #counted = new FailureWindow();

  constructor(breaker: CircuitBreaker) {
    this.breaker = breaker;
  }

  /** Counts the call and returns true while fewer than `most` of the last ten seconds have counted for all. */
  counts(most: number): boolean {
    this.#counted.forgetOld();
    if (this.#counted.calls >= most) return false;
    this.#counted.add(false);
    return true;
  }
}

/** Beyond this number, the caller whose last call is oldest is forgotten. */
const MAX_CALLERS = 1_000;

/**
 * Stops calls to a surface that is out of order, for the caller whose calls fail or for all callers. Failures of one
 * caller say little about others, so the counted calls of a single caller are too few to open the shared breaker.
 */
export class SurfaceBreaker {
  readonly #surface: Surface;
  readonly #limits: BreakerLimits;
  readonly #forAll: CircuitBreaker;
  readonly #countedPerCaller: number;
  readonly #callers = createBoundedCache<Caller>({ maxEntries: MAX_CALLERS });

  constructor(surface: Surface, limits: BreakerLimits) {
    this.#surface = surface;
    this.#limits = limits;
    this.#forAll = new CircuitBreaker(surface, limits);
    this.#countedPerCaller = Math.ceil(limits.minCalls * FAILING_SHARE) - 1;
  }

  /** True while the surface is called for none of the recent callers. */
  get isOpen(): boolean {
    if (this.#forAll.isOpen) return true;
    const breakers = [...this.#callers.values()].map(({ breaker }) => breaker);
    return breakers.some(({ isOpen }) => isOpen) && !breakers.some(({ hasWorked }) => hasWorked);
  }

  /** @throws NotAsked while no call may be made for the caller. */
  check(name: string): void {
    this.#callers.get(name)?.breaker.check();
    this.#forAll.check();
  }

  /** Records the start of a call that `check` has allowed. */
  begin(name: string): PassedCall {
    const caller = this.#callerOf(name);
    const ownEra = caller.breaker.begin();
    const era = this.#forAll.begin();
    return {
      end: (result) => {
        caller.breaker.end(ownEra, result);
        this.#forAll.end(era, result, caller.counts(this.#countedPerCaller));
      },
    };
  }

  #callerOf(name: string): Caller {
    const known = this.#callers.get(name);
    if (known !== undefined) return known;
    const caller = new Caller(new CircuitBreaker(this.#surface, this.#limits));
    this.#callers.set(name, caller);
    return caller;
  }
}
