import type { CallLimits } from '../../config.ts';
import { getOrInsertComputed } from '../../remember.ts';
import { SourceError, type SourceErrorKind, type Surface } from '../errors.ts';

// cockatiel's circuit breaker was measured to be insufficient: a probe whose caller disconnects closes it, calls that
// started before it opened keep it open, its counts do not age during seconds without calls, and it uses the wall
// clock, which can be set back.

/** The share of failed calls at which the breaker opens. */
const FAILING_SHARE = 0.5;
/** The breaker stays open twice as long each time, up to so many times as long as first. */
const LONGEST_PAUSES = 6;
const WINDOW_SECONDS = 10;
/** At this number, which calls of whom were counted is forgotten. */
const MAX_CALLERS = 1_000;

/** How a call ended: its status or its failure. */
export type CallResult = number | SourceErrorKind;

/** Failures attributed to the surface. A 4xx response does not count: the service is up. */
const FAULTS: ReadonlySet<CallResult> = new Set(['unreachable', 'unavailable', 'timeout', 'malformed']);

/** The calls of one second. */
interface Second {
  readonly second: number;
  calls: number;
  faults: number;
  /** The calls of the only caller beyond those that count while there are others. */
  extra: number;
  extraFaults: number;
}

/**
 * Lets calls pass until half of them fail, then none for a while, then a single probe. Failures of one caller say little
 * about others, so while there are others, the counted calls of a single caller are too few to open it.
 */
export class CircuitBreaker {
  readonly #surface: Surface;
  readonly #limits: Pick<CallLimits, 'minCalls' | 'pauseMs'>;
  readonly #countedPerCaller: number;
  /** When the counted calls of each caller ended, in seconds. */
  readonly #counted = new Map<string, number[]>();
  #lastCaller = '';
  /** When the last call ended, and the last one of another caller than that, in seconds. */
  #lastAt = -Infinity;
  #othersLastAt = -Infinity;
  /** The counted calls of the last ten seconds, oldest first. */
  #window: Second[] = [];
  #probesAt: number | null = null;
  #pauses = 0;
  #isProbing = false;
  // Results of calls that started before the last state change are ignored.
  #era = 0;

  constructor(surface: Surface, limits: CallLimits) {
    this.#surface = surface;
    this.#limits = limits;
    this.#countedPerCaller = Math.max(1, Math.ceil(limits.minCalls * FAILING_SHARE) - 1);
  }

  get isOpen(): boolean {
    return this.#probesAt !== null;
  }

  /** @throws SourceError of kind `unreachable` while no call may be made. */
  check(): void {
    if (this.#probesAt === null || (!this.#isProbing && performance.now() >= this.#probesAt)) return;
    throw new SourceError('unreachable', this.#surface, 'the circuit breaker is open', {
      publicMessage: `The ${this.#surface} surface is failing; requests are suspended temporarily.`,
    });
  }

  /** Records the start of a call that `check` has allowed. Pass the returned number to `end`. */
  begin(): number {
    this.#isProbing = this.#probesAt !== null;
    return this.#era;
  }

  /** Records how a call ended. */
  end(caller: string, era: number, result: CallResult): void {
    if (era !== this.#era) return;
    const isFault = typeof result === 'number' ? result >= 500 : FAULTS.has(result);
    const provesNothing = typeof result === 'string' && !isFault;
    if (this.#isProbing && !provesNothing) return isFault ? this.#open() : this.#change(null);
    this.#isProbing = false;
    if (!provesNothing && this.#isFailing(caller, isFault)) this.#open();
  }

  /** Counts a call, and returns whether half of those counted have failed. */
  #isFailing(caller: string, isFault: boolean): boolean {
    const now = Math.floor(performance.now() / 1_000);
    const oldest = now - WINDOW_SECONDS;
    if (caller !== this.#lastCaller) this.#othersLastAt = this.#lastAt;
    this.#lastCaller = caller;
    this.#lastAt = now;
    if (this.#counted.size >= MAX_CALLERS) this.#counted.clear();
    const times = getOrInsertComputed(this.#counted, caller, (): number[] => []);
    while (times[0] !== undefined && times[0] <= oldest) times.shift();
    const isExtra = times.length >= this.#countedPerCaller;
    if (!isExtra) times.push(now);
    else if (this.#othersLastAt > oldest) return false;

    const window = this.#window;
    while (window[0] && window[0].second <= oldest) window.shift();
    let last = window.at(-1);
    if (last?.second !== now)
      window.push((last = { second: now, calls: 0, faults: 0, extra: 0, extraFaults: 0 }));
    last[isExtra ? 'extra' : 'calls'] += 1;
    if (isFault) last[isExtra ? 'extraFaults' : 'faults'] += 1;
    let [calls, faults] = [0, 0];
    for (const second of window) {
      calls += second.calls + (isExtra ? second.extra : 0);
      faults += second.faults + (isExtra ? second.extraFaults : 0);
    }
    return calls >= this.#limits.minCalls && faults >= calls * FAILING_SHARE;
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
    this.#window = [];
    this.#counted.clear();
    this.#lastAt = this.#othersLastAt = -Infinity;
  }
}
