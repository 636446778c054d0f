import { SourceError, type SourceErrorKind } from '../errors.ts';
import type { HttpAnswer } from '../http-answer.ts';
import { retryAfterOf } from '../retry-after.ts';
import { NotAsked } from './breaker.ts';

/** How often a read may be repeated. */
export interface RetryLimits {
  /** Times that one read is sent at most, the first included. */
  readonly attempts: number;
}

/** Repeats reads that failed for the moment. */
export interface Retries {
  /**
   * Runs a read, and again while that may help, the attempts and the time allow it. `endsAt` is in the milliseconds of
   * `performance.now`; once the signal is aborted there is no further attempt.
   */
  run(read: () => Promise<HttpAnswer>, endsAt: number, signal: AbortSignal | undefined): Promise<HttpAnswer>;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
/** A pause that the service asks for is waited for up to this. */
const LONGEST_ASKED_PAUSE_MS = 2_000;

const PASSING_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);
const PASSING_FAILURES: ReadonlySet<SourceErrorKind> = new Set(['unreachable', 'unavailable']);

/** Repeats are a tenth of the reads at most, and three a second in any case: a service in trouble is not helped by more. */
const SHARE = 0.1;
const ALWAYS_PER_SECOND = 3;
const MAX_SAVED = 100;

/** Makes the retries of one surface. */
export function createRetries({ attempts }: RetryLimits): Retries {
  const budget = createBudget();
  return {
    async run(read, endsAt, signal) {
      budget.earn();
      for (let attempt = 1; ; attempt += 1) {
        const outcome = await outcomeOf(read);
        const pauseMs = attempt < attempts ? pauseAfter(outcome, attempt) : null;
        const isInTime = pauseMs !== null && performance.now() + pauseMs < endsAt;
        if (!isInTime || signal?.aborted || !budget.spend()) return answerOf(outcome);
        await pass(pauseMs, signal);
        if (signal?.aborted) return answerOf(outcome);
      }
    },
  };
}

/** Waits for so long, or until the signal is aborted. */
function pass(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}

type Outcome = { readonly answer: HttpAnswer } | { readonly error: unknown };

async function outcomeOf(read: () => Promise<HttpAnswer>): Promise<Outcome> {
  try {
    return { answer: await read() };
  } catch (error) {
    return { error };
  }
}

function answerOf(outcome: Outcome): HttpAnswer {
  if ('answer' in outcome) return outcome.answer;
  throw outcome.error;
}

/** Milliseconds to wait before another attempt, or null where another would not help. */
function pauseAfter(outcome: Outcome, attempt: number): number | null {
  const asked = 'answer' in outcome ? retryAfterOf(outcome.answer) : null;
  if (asked !== null && asked > LONGEST_ASKED_PAUSE_MS) return null;
  if (!isPassing(outcome) && !(isAskedPause(outcome) && asked !== null && attempt === 1)) return null;
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
  const jitterMs = Math.random() * longest;
  // Timers may be a millisecond early, and before its time the service is not to be asked.
  return asked === null ? jitterMs : asked + 2 + jitterMs;
}

function isPassing(outcome: Outcome): boolean {
  if ('answer' in outcome) return PASSING_STATUSES.has(outcome.answer.status);
  const { error } = outcome;
  return error instanceof SourceError && PASSING_FAILURES.has(error.kind) && !(error instanceof NotAsked);
}

function isAskedPause(outcome: Outcome): boolean {
  return 'answer' in outcome && outcome.answer.status === 429;
}

function createBudget() {
  let saved = 0;
  let spentThisSecond = 0;
  let second = 0;
  return {
    earn() {
      saved = Math.min(MAX_SAVED, saved + SHARE);
    },
    spend(): boolean {
      const now = Math.floor(performance.now() / 1_000);
      if (now !== second) [second, spentThisSecond] = [now, 0];
      if (spentThisSecond < ALWAYS_PER_SECOND) {
        spentThisSecond += 1;
        return true;
      }
      if (saved < 1) return false;
      saved -= 1;
      return true;
    },
  };
}
