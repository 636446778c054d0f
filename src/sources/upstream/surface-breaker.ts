import { createBoundedCache } from '../../bounded-cache.ts';
import type { Surface } from '../errors.ts';
import { CircuitBreaker, FAILING_SHARE, type BreakerLimits, type CallResult } from './circuit-breaker.ts';
import { FailureWindow } from './failure-window.ts';

/** A call that a breaker has let pass. */
export interface PassedCall {
  /** Notes how the call ended. */
  end(result: CallResult): void;
}

/** What is known of one caller's calls. */
class Caller {
  readonly breaker: CircuitBreaker;
  /** Those that count for all. */
  readonly #counted = new FailureWindow();

  constructor(breaker: CircuitBreaker) {
    this.breaker = breaker;
  }

  /** True, and counted, while fewer than so many of the last ten seconds count for all. */
  counts(most: number): boolean {
    this.#counted.forgetOld();
    if (this.#counted.calls >= most) return false;
    this.#counted.add(false);
    return true;
  }
}

/** For one caller more, the one that has not called for longest is forgotten. */
const MAX_CALLERS = 1_000;

/**
 * Leaves a surface alone that is out of order: for one caller, whose calls fail, or for all. What fails for one caller says
 * little about the others, so one alone cannot stop them: fewer of its calls count for all than it takes.
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

  /** True while the surface is not asked for anybody who has called lately. */
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

  /** Notes that a call begins, which `check` has allowed. */
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
