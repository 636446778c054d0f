import { SourceError, type SourceErrorKind, type Surface } from '../errors.ts';
import type { HttpAnswer } from '../http-answer.ts';

// cockatiel's breaker was measured to fall short here: a probe whose caller leaves closes it, calls that began before it
// opened keep it open, seconds without calls do not age what it counted, and it goes by a clock that can be set back.

/** When a surface counts as out of order. */
export interface BreakerLimits {
  /** Fewer calls than this within ten seconds prove nothing. */
  readonly minCalls: number;
  /** For how long no call is made at first, in milliseconds; it doubles each time, up to six times as long. */
  readonly pauseMs: number;
}

/** Lets calls pass until half of them fail; then none for a while, then one to see. */
export interface Breaker {
  /** Throws a NotAsked while no call is to be made. */
  check(): void;
  /** Makes a call, or fails as `check` does. */
  run(call: () => Promise<HttpAnswer>): Promise<HttpAnswer>;
  readonly isOpen: boolean;
}

/** The failure of a call that is not made because the surface is out of order: trying again at once is of no use. */
export class NotAsked extends SourceError {
  constructor(surface: Surface) {
    super('unreachable', surface, 'no call is made after many failures', {
      publicMessage: `The ${surface} surface is out of order; it is not asked for a while.`,
    });
  }
}

const WINDOW_SECONDS = 10;
const FAILING_SHARE = 0.5;
const LONGEST_PAUSES = 6;

/** Makes the breaker of one surface. */
export function createBreaker(surface: Surface, { minCalls, pauseMs }: BreakerLimits): Breaker {
  let counts = countCalls();
  let pauseEndsAt: number | null = null;
  let pauses = 0;
  let isProbing = false;
  // Calls that began before the last change of state say nothing of the time after it.
  let era = 0;
  const change = (endsAt: number | null): void => {
    pauseEndsAt = endsAt;
    pauses = endsAt === null ? 0 : pauses + 1;
    isProbing = false;
    era += 1;
    counts = countCalls();
  };
  const open = (): void =>
    change(performance.now() + pauseMs * Math.min(LONGEST_PAUSES, 2 ** Math.min(pauses, LONGEST_PAUSES)));
  const note = (verdict: Verdict): void => {
    if (isProbing && verdict !== 'none') return verdict === 'fault' ? open() : change(null);
    isProbing = false;
    if (verdict === 'none') return;
    counts.add(verdict === 'fault');
    const { calls, faults } = counts.lately();
    if (calls >= minCalls && faults >= calls * FAILING_SHARE) open();
  };
  const check = (): void => {
    if (pauseEndsAt !== null && (isProbing || performance.now() < pauseEndsAt)) throw new NotAsked(surface);
  };
  return {
    check,
    async run(call) {
      check();
      isProbing = pauseEndsAt !== null;
      const begunIn = era;
      let verdict: Verdict = 'none';
      try {
        const answer = await call();
        verdict = answer.status >= 500 ? 'fault' : 'fine';
        return answer;
      } catch (error) {
        verdict = error instanceof SourceError && FAULTS.has(error.kind) ? 'fault' : 'none';
        throw error;
      } finally {
        if (begunIn === era) note(verdict);
      }
    },
    get isOpen() {
      return pauseEndsAt !== null;
    },
  };
}

/** What one call says of the surface; `none` where it ended for another reason. */
type Verdict = 'fine' | 'fault' | 'none';

/** What is the surface's fault. An answer that refuses a call is none: it works. */
const FAULTS: ReadonlySet<SourceErrorKind> = new Set(['unreachable', 'unavailable', 'timeout', 'malformed']);

/** Counts the calls of the last ten seconds, by the second. */
function countCalls() {
  const seconds = new Map<number, { calls: number; faults: number }>();
  return {
    add(isFault: boolean): void {
      const second = seconds.get(thisSecond()) ?? { calls: 0, faults: 0 };
      seconds.set(thisSecond(), second);
      second.calls += 1;
      if (isFault) second.faults += 1;
    },
    lately() {
      const sum = { calls: 0, faults: 0 };
      for (const [second, { calls, faults }] of seconds) {
        if (second <= thisSecond() - WINDOW_SECONDS) seconds.delete(second);
        else {
          sum.calls += calls;
          sum.faults += faults;
        }
      }
      return sum;
    },
  };
}

function thisSecond(): number {
  return Math.floor(performance.now() / 1_000);
}
