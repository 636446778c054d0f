import { ConnectionError, GraphError } from './errors.ts';

const FIRST_PAUSE_MS = 500;
/** Where the server asks for a longer pause, nothing is repeated. */
const LONGEST_PAUSE_MS = 60_000;

/** How often something is attempted. */
export interface RepeatOptions<Result> {
  /** The largest number of attempts. */
  readonly attempts: number;
  readonly signal?: AbortSignal | undefined;
  /** How long to wait at least before another attempt that may have a better result; null, the default, if none may. */
  readonly retryAfterMs?: (result: Result) => number | null;
}

/**
 * Attempts something until another attempt would not change the result. The pauses are 0.5, 1, 2, … 16 seconds and up to
 * half as long again, and never shorter than what the server asks for.
 *
 * @throws the error of the last attempt.
 */
export async function repeat<Result>(
  attempt: () => Promise<Result>,
  { attempts, signal, retryAfterMs = () => null }: RepeatOptions<Result>,
): Promise<Result> {
  for (let count = 1; ; count += 1) {
    let askedMs: number | null;
    try {
      const result = await attempt();
      askedMs = retryAfterMs(result);
      if (count >= attempts || askedMs === null || askedMs > LONGEST_PAUSE_MS) return result;
    } catch (error) {
      if (count >= attempts || !isRetryable(error)) throw error;
      askedMs = error.retryAfterMs ?? 0;
      if (askedMs > LONGEST_PAUSE_MS) throw error;
    }
    await pause(Math.max(pauseAfter(count), askedMs), signal);
  }
}

function isRetryable(error: unknown): error is GraphError | ConnectionError {
  return (error instanceof GraphError || error instanceof ConnectionError) && error.retryable;
}

/** The pause after so many attempts; it grows no further after six of them. */
export function pauseAfter(count: number): number {
  return FIRST_PAUSE_MS * 2 ** Math.min(count - 1, 5) * (1 + Math.random() / 2);
}

/** Waits; rejects with the reason of the signal if that comes first. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await untilAborted(new Promise<void>((resolve) => (timer = setTimeout(resolve, ms))), signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for a promise; rejects with the reason of the signal if that comes first. */
export async function untilAborted<Result>(
  promise: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (!signal) return await promise;
  // Nobody waits for it any more.
  if (signal.aborted) promise.catch(() => undefined);
  signal.throwIfAborted();
  // Its listener goes as soon as the race is over.
  const over = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { signal: over.signal });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    over.abort();
  }
}
