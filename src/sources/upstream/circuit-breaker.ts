import { SourceError, type SourceErrorKind, type Surface } from '../errors.ts';
import { FailureWindow } from './failure-window.ts';

// cockatiel's circuit breaker was measured to be insufficient: a probe whose caller disconnects closes it, calls that
// started before it opened keep it open, its counts do not age during seconds without calls, and it uses the wall
// clock, which can be set back.

/** When a surface is considered out of order. */
export interface BreakerLimits {
  /** Minimum number of calls within ten seconds before the breaker may open. */
  readonly minCalls: number;
  /** How long the breaker first stays open, in milliseconds; doubles each time, up to six times as long. */
  readonly pauseMs: number;
}

/** The error of a call that was not made because the surface is out of order. Retrying at once would not help. */
export class NotAsked extends SourceError {
  constructor(surface: Surface) {
    super('unreachable', surface, 'the circuit breaker is open', {
      publicMessage: `The ${surface} surface is failing; requests are suspended temporarily.`,
    });
  }
}

/** The share of failed calls at which the breaker opens. */
export const FAILING_SHARE = 0.5;
const LONGEST_PAUSES = 6;

/** How a call ended: its status or its failure. */
export type CallResult = number | SourceErrorKind;

/** Failures attributed to the surface. A 4xx response does not count: the service is up. */
const FAULTS: ReadonlySet<CallResult> = new Set(['unreachable', 'unavailable', 'timeout', 'malformed']);

/** Lets calls pass until half of them fail, then none for a while, then a single probe. */
export class CircuitBreaker {
  readonly #surface: Surface;
  readonly #limits: BreakerLimits;
  #window = new FailureWindow();
  #probesAt: number | null = null;
  #pauses = 0;
  #isProbing = false;
  // Results of calls that started before the last state change are ignored.
  #era = 0;

  constructor(surface: Surface, limits: BreakerLimits) {
    this.#surface = surface;
    this.#limits = limits;
  }

  get isOpen(): boolean {
    return this.#probesAt !== null;
  }

  /** True if it is closed and a call of the last ten seconds did not fail because of the surface. */
  get hasWorked(): boolean {
    return this.#window.hasSuccess();
  }

  /** @throws NotAsked while no call may be made. */
  check(): void {
    if (this.#probesAt === null) return;
    if (this.#isProbing || performance.now() < this.#probesAt) throw new NotAsked(this.#surface);
  }

  /** Records the start of a call that `check` has allowed. Pass the returned number to `end`. */
  begin(): number {
    this.#isProbing = this.#probesAt !== null;
    return this.#era;
  }

  /** Records how a call ended. `counts` is false if the result should not affect later calls. */
  end(era: number, result: CallResult, counts = true): void {
    if (era !== this.#era) return;
    const isFault = typeof result === 'number' ? result >= 500 : FAULTS.has(result);
    const provesNothing = typeof result === 'string' && !isFault;
    if (this.#isProbing && !provesNothing) return isFault ? this.#open() : this.#change(null);
    this.#isProbing = false;
    if (provesNothing || !counts) return;
    this.#window.add(isFault);
    const { calls, faults } = this.#window;
    if (calls >= this.#limits.minCalls && faults >= calls * FAILING_SHARE) this.#open();
  }

  #open(): void {
    const factor = Math.min(LONGEST_PAUSES, 2 ** Math.min(this.#pauses, LONGEST_PAUSES));
    this.#change(performance.now() + this.#limits.pauseMs * factor);
  }

  #change(probesAt: number | null): void {
    this.#probesAt = probesAt;
    this.#pauses = probesAt === null ? 0 : this.#pauses + 1;
    this.#isProbing = false;
    this.#era += 1;
    this.#window = new FailureWindow();
  }
}
