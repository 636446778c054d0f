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
  /** For how long the process's own work may hold up its timers, in milliseconds, before what comes in is too much. */
  readonly lateMs: number;
  /** How long the operations will take that were taken on already and wait to begin, in milliseconds. */
  readonly backlogMs?: () => number;
}

/** The readings that the watch is based on, in milliseconds from any point in time. */
export interface Clock {
  now(): number;
  /** How much processor time this process has used, in all of its threads. */
  worked(): number;
}

const PROCESS_CLOCK: Clock = {
  now: () => performance.now(),
  worked: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
};

const SAMPLE_MS = 500;
const TICK_MS = 20;
/** One late moment is a coincidence; two among so many samples are not. */
const SAMPLES = 3;
/** For so long after the last one was turned away for being late, the next one may be. */
const WATCHFUL_MS = 5_000;
/** How long operations are taken on in one turn of the event loop then: it takes one new connection a turn, too. */
const TURN_MS = 5;
/** How long what waits to begin may take then: turns in which nothing begins take on more than one can do. */
const BACKLOG_MS = 40;
/** A single turn that works for so many times what counts as late is no coincidence. */
const TURN_TIMES = 2;
const MOST_OF_HEAP = 0.9;
/** So many turned away within so long make others look elsewhere, for so long. */
const MANY = 100;
const WITHIN_MS = 5_000;
const ELSEWHERE_MS = 10_000;

/**
 * Watches for how long work holds up the event loop and how full the heap is. Once it is held up again and again, each turn
 * of the event loop takes on what it can in some milliseconds, and what else came in by then is turned away: so those that
 * are answered are answered soon, and no more are turned away than must be. (To turn a share away by chance was measured to
 * let single turns take seconds.) More than the limit at once are turned away in any case.
 *
 * A delay counts only as far as this process used the processor meanwhile. While other programs have the processor, timers
 * come late although little waits here, and turning callers away would not make it any faster: on a busy machine, a rule
 * that looked at the clock alone turned away 73 of 1,095 mutations. What waits because of the process's own work is never
 * more than it worked in that time, and it is measured alike at any speed. `performance.eventLoopUtilization()` can't tell
 * the two apart: it counts the time in which the process is ready to run, and does not run, as active. Nor does a busy
 * processor count by itself: it is busy all the time in a server that is used well.
 */
export function createOverload(
  { operations, lateMs, backlogMs = () => 0 }: OverloadLimits,
  onShed: () => void = () => undefined,
  clock: Clock = PROCESS_CLOCK,
): Overload {
  let samples: boolean[] = [];
  let isFull = false;
  let watchfulUntil = 0;
  let elsewhereUntil = 0;
  let running = 0;
  let shedAt: number[] = [];
  const { lastReading, stop } = watchDelay(clock, (delayMs) => {
    samples = [...samples, delayMs > lateMs].slice(-SAMPLES);
    isFull = isHeapFull();
    const isLate = samples.filter(Boolean).length > 1;
    const now = clock.now();
    if (isLate) watchfulUntil = now + WATCHFUL_MS;
    if (isLate || isFull) elsewhereUntil = now + ELSEWHERE_MS;
  });
  const hasTurnTaken = watchTurns(clock, lastReading);
  const shed = (): void => {
    const now = clock.now();
    shedAt = [...shedAt.filter((at) => at > now - WITHIN_MS), now].slice(-MANY);
    if (shedAt.length >= MANY) elsewhereUntil = now + ELSEWHERE_MS;
    onShed();
  };
  return {
    turnsAway() {
      const now = clock.now();
      const isWatchful = now < watchfulUntil;
      const isLate =
        hasTurnTaken(isWatchful ? TURN_MS : lateMs * TURN_TIMES) || (isWatchful && backlogMs() > BACKLOG_MS);
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
      return clock.now() < elsewhereUntil;
    },
    close: stop,
  };
}

/** How much the process had worked at some time. */
interface WorkReading {
  readonly at: number;
  readonly worked: number;
}

// Whether the present turn of the event loop has worked for longer than so many milliseconds, from the first time on that
// it asks. To read how much was worked takes as long as some fields of a result, so it is not read in each turn: what the
// turn has worked is what was worked since the last reading, less the time that passed until the turn began.
function watchTurns(clock: Clock, lastReading: () => WorkReading): (ms: number) => boolean {
  let beganAt: number | null = null;
  return (ms) => {
    if (beganAt === null) {
      beganAt = clock.now();
      setImmediate(() => (beganAt = null));
    }
    if (clock.now() - beganAt <= ms) return false;
    const { at, worked } = lastReading();
    return clock.worked() - worked - (beganAt - at) > ms;
  };
}

// Node's own monitor does not count the delay that follows its being reset, which is every one where each turn of the
// event loop takes longer than a sample.
function watchDelay(
  clock: Clock,
  sample: (delayMs: number) => void,
): { readonly lastReading: () => WorkReading; readonly stop: () => void } {
  let last: WorkReading = { at: clock.now(), worked: clock.worked() };
  let sampledAt = last.at;
  let longestMs = 0;
  const timer = setInterval(() => {
    const reading = { at: clock.now(), worked: clock.worked() };
    longestMs = Math.max(longestMs, Math.min(reading.at - last.at - TICK_MS, reading.worked - last.worked));
    last = reading;
    if (reading.at - sampledAt < SAMPLE_MS) return;
    sample(longestMs);
    sampledAt = reading.at;
    longestMs = 0;
  }, TICK_MS);
  timer.unref();
  return { lastReading: () => last, stop: () => clearInterval(timer) };
}

function isHeapFull(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > limit * MOST_OF_HEAP;
}
