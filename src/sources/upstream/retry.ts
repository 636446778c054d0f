import type { CallLimits } from '../../config.ts';
import { SourceError, type SourceErrorKind } from '../errors.ts';
import { retryAfterOf, type HttpAnswer } from '../http-answer.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
/** Longest requested pause after which a read is retried. */
const LONGEST_ASKED_PAUSE_MS = 2_000;

/** Cloudflare could not reach the service, or got no response from it. */
const FROM_CLOUDFLARE = [520, 521, 522, 523, 524];
const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504, ...FROM_CLOUDFLARE]);
const TEMPORARY_FAILURES: ReadonlySet<SourceErrorKind> = new Set(['unreachable', 'unavailable']);

/** Retries per read, limited to spare a service in trouble. */
const SHARE = 0.1;
const MAX_SAVED = 100;
/** Retries allowed regardless of the share. */
const ALWAYS_PER_SECOND = 3;

/** Decides whether and when a read that failed temporarily is retried, within a budget that reads earn. */
export class RetryPolicy {
  readonly #attempts: number;
  #saved = 0;
  #second = 0;
  #spentThisSecond = 0;

  constructor({ attempts }: Pick<CallLimits, 'attempts'>) {
    this.#attempts = attempts;
  }

  /** Records the start of a read. */
  noteRead(): void {
    this.#saved = Math.min(MAX_SAVED, this.#saved + SHARE);
  }

  /**
   * Returns the milliseconds to wait before the next attempt, or null if there should be none.
   *
   * @param attempt - number of the attempt that had this outcome, from 1
   * @param endsAt - deadline of the read, as a `performance.now` time
   */
  pauseAfter(outcome: HttpAnswer | SourceError, attempt: number, endsAt: number): number | null {
    if (attempt >= this.#attempts) return null;
    const pauseMs = pauseFor(outcome, attempt);
    if (pauseMs === null || performance.now() + pauseMs >= endsAt) return null;
    return this.#spend() ? pauseMs : null;
  }

  #spend(): boolean {
    const now = Math.floor(performance.now() / 1_000);
    if (now !== this.#second) [this.#second, this.#spentThisSecond] = [now, 0];
    if (this.#spentThisSecond < ALWAYS_PER_SECOND) {
      this.#spentThisSecond += 1;
      return true;
    }
    if (this.#saved < 1) return false;
    this.#saved -= 1;
    return true;
  }
}

/** Returns the milliseconds to wait before another attempt, or null if another would not help. */
function pauseFor(outcome: HttpAnswer | SourceError, attempt: number): number | null {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
  const jitterMs = Math.random() * longest;
  if (outcome instanceof SourceError) return TEMPORARY_FAILURES.has(outcome.kind) ? jitterMs : null;
  const asked = retryAfterOf(outcome);
  if (asked !== null && asked > LONGEST_ASKED_PAUSE_MS) return null;
  const isAskedPause = outcome.status === 429 && asked !== null && attempt === 1;
  if (!isAskedPause && !TEMPORARY_STATUSES.has(outcome.status)) return null;
  // Timers may fire a millisecond early, and the service must not be called before its pause is over.
  return asked === null ? jitterMs : asked + 2 + jitterMs;
}
