import { SourceError, type SourceErrorKind, type Surface } from '../errors.ts';
import { FailureWindow } from './failure-window.ts';

// cockatiel's circuit breaker was measured to fall short here: a probe whose caller leaves closes it, calls that began
// before it opened keep it open, seconds without calls do not age what it counted, and it follows the wall clock, which
// can be set back.

/** When a surface counts as out of order. */
export interface BreakerLimits {
  /** Fewer calls than this within ten seconds prove nothing. */
  readonly minCalls: number;
  /** How long the breaker stays open at first, in milliseconds; doubles each time, up to six times as long. */
  readonly pauseMs: number;
}

/** The failure of a call that is not made because the surface is out of order: retrying at once is of no use. */
export class NotAsked extends SourceError {
  constructor(surface: Surface) {
    super('unreachable', surface, 'no call is made after many failures', {
      publicMessage: `The ${surface} surface is out of order; it is not asked for a while.`,
    });
  }
}

/** The breaker opens when so many of the calls have failed. */
export const FAILING_SHARE = 0.5;
const LONGEST_PAUSES = 6;

/** How a call ended: its status, or how it failed. */
export type CallResult = number | SourceErrorKind;

/** What is the surface's fault. A 4xx response does not count: the service is up. */
const FAULTS: ReadonlySet<CallResult> = new Set(['unreachable', 'unavailable', 'timeout', 'malformed']);

/** Lets calls pass until half of them fail; then none for a while, then a single probe. */
export class CircuitBreaker {
  readonly #surface: Surface;
  readonly #limits: BreakerLimits;
  #window = new FailureWindow();
  #probesAt: number | null = null;
  #pauses = 0;
  #isProbing = false;
  // Calls that began before the last change of state say nothing about the time after it.
  #era = 0;

  constructor(surface: Surface, limits: BreakerLimits) {
    this.#surface = surface;
    this.#limits = limits;
  }

  get isOpen(): boolean {
    return this.#probesAt !== null;
  }

  /** True if it is closed and a call of the last ten seconds was no fault of the surface. */
  get hasWorked(): boolean {
    return this.#window.hasSuccess();
  }

  /** @throws NotAsked while no call may be made. */
  check(): void {
    if (this.#probesAt === null) return;
    if (this.#isProbing || performance.now() < this.#probesAt) throw new NotAsked(this.#surface);
  }

  /** Notes that a call begins, which `check` has allowed; the returned number must be given to `end`. */
  begin(): number {
    this.#isProbing = this.#probesAt !== null;
    return this.#era;
  }

  /** Notes how a call ended; `counts` is false where it says nothing of the calls to come. */
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
