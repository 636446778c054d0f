import { getHeapStatistics } from 'node:v8';

/** Turns requests away while more comes in than can be answered. */
export interface Overload {
  /** True for an operation that is to be turned away as it comes, before anything is spent on it. */
  turnsAway(): boolean;
  /** Begins one operation; null when as many as are allowed are at work, else what ends it. */
  enter(): (() => void) | null;
  /** Seconds, between 1 and 5, after which one that was turned away may come back; by chance, so that not all do at once. */
  retryAfterSeconds(): number;
  /** True while so much is turned away that others should be asked instead. */
  readonly isPersistent: boolean;
  close(): void;
}

/** What counts as too much. */
export interface OverloadLimits {
  /** Operations at once. */
  readonly operations: number;
  /** How late the process's timers may come, in milliseconds, before what comes in is too much. */
  readonly lateMs: number;
}

const SAMPLE_MS = 500;
const TICK_MS = 20;
/** One late moment is a coincidence; two among so many samples are not. */
const SAMPLES = 3;
/** For so long after the last one was turned away for being late, the next one may be. */
const WATCHFUL_MS = 5_000;
/** How long operations are taken on in one turn of the event loop then: it takes one new connection a turn, too. */
const TURN_MS = 5;
/** A single turn that takes so many times what counts as late is no coincidence. */
const TURN_TIMES = 2;
const MOST_OF_HEAP = 0.9;
/** So many turned away within so long make others look elsewhere, for so long. */
const MANY = 100;
const WITHIN_MS = 5_000;
const ELSEWHERE_MS = 10_000;

/**
 * Watches how late the process's timers come and how full its heap is. Once they come late again and again, each turn of
 * the event loop takes on what it can in some milliseconds, and what else came in by then is turned away: so those that are
 * answered are answered soon, and no more are turned away than must be. (To turn a share away by chance was measured to let
 * single turns take seconds.) More than the limit at once are turned away in any case.
 *
 * How busy the processor is does not count: it is busy all the time in a server that is used well.
 */
export function createOverload(
  { operations, lateMs }: OverloadLimits,
  onShed: () => void = () => undefined,
): Overload {
  let samples: boolean[] = [];
  let isFull = false;
  let watchfulUntil = 0;
  let elsewhereUntil = 0;
  let running = 0;
  let shedAt: number[] = [];
  const sinceTurnMs = watchTurns();
  const stop = watchDelay((delayMs) => {
    samples = [...samples, delayMs > lateMs].slice(-SAMPLES);
    isFull = isHeapFull();
    const isLate = samples.filter(Boolean).length > 1;
    const now = performance.now();
    if (isLate) watchfulUntil = now + WATCHFUL_MS;
    if (isLate || isFull) elsewhereUntil = now + ELSEWHERE_MS;
  });
  const shed = (): void => {
    const now = performance.now();
    shedAt = [...shedAt.filter((at) => at > now - WITHIN_MS), now].slice(-MANY);
    if (shedAt.length >= MANY) elsewhereUntil = now + ELSEWHERE_MS;
    onShed();
  };
  return {
    turnsAway() {
      const now = performance.now();
      const isLate = sinceTurnMs() > (now < watchfulUntil ? TURN_MS : lateMs * TURN_TIMES);
      if (isLate) watchfulUntil = now + WATCHFUL_MS;
      if (isLate || isFull) shed();
      return isLate || isFull;
    },
    enter() {
      if (running >= operations) {
        shed();
        return null;
      }
      running += 1;
      let isRunning = true;
      return () => {
        if (isRunning) running -= 1;
        isRunning = false;
      };
    },
    retryAfterSeconds: () => 1 + Math.floor(Math.random() * 5),
    get isPersistent() {
      return performance.now() < elsewhereUntil;
    },
    close: stop,
  };
}

// How long the present turn of the event loop has been busy, from the first time on that it asks.
function watchTurns(): () => number {
  let beganAt: number | null = null;
  return () => {
    const now = performance.now();
    if (beganAt === null) setImmediate(() => (beganAt = null));
    beganAt ??= now;
    return now - beganAt;
  };
}

// Node's own monitor does not count the delay that follows its being reset, which is every one where each turn of the
// event loop takes longer than a sample.
function watchDelay(sample: (delayMs: number) => void): () => void {
  let tickedAt = performance.now();
  let sampledAt = tickedAt;
  let longestMs = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - tickedAt - TICK_MS);
    tickedAt = now;
    if (now - sampledAt < SAMPLE_MS) return;
    sample(longestMs);
    sampledAt = now;
    longestMs = 0;
  }, TICK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function isHeapFull(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > limit * MOST_OF_HEAP;
}
