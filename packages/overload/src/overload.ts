import { getHeapStatistics } from 'node:v8';

/** A rejection, after which the caller may retry within 1 to 5 seconds: random, so that not all return at once. */
export interface OverloadRefusal {
  readonly status: 503;
  readonly code: 'OVERLOADED';
  readonly message: string;
  readonly headers: { readonly 'retry-after': string };
}

/** The message of a rejection, over any transport. */
export const OVERLOADED_MESSAGE = 'The server is overloaded.';

/** The thresholds of overload. */
export interface OverloadLimits {
  /** Maximum number of concurrent operations. */
  readonly operations: number;
  /** How long the process's own work may delay its timers, in milliseconds, before requests are rejected. */
  readonly lateMs: number;
  /** Returns the estimated duration of accepted operations that wait to start, in milliseconds. */
  readonly backlogMs?: () => number;
}

/** The measurements of the monitor, in milliseconds from an arbitrary time. */
export interface Clock {
  now(): number;
  /** The CPU time that this process has used, in all its threads. */
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
/** The delay is measured at intervals of a quarter of the allowed one, within these limits: each wakes the process. */
const SHORTEST_TICK_MS = 20;
const LONGEST_TICK_MS = SAMPLE_MS / 2;
/** A single late sample may be a coincidence; two of this many are not. */
const SAMPLES = 3;
/** How long the stricter limits apply after the last sign of delay. */
const WATCHFUL_MS = 5_000;
/** How long one turn of the event loop accepts operations then; it also accepts only one connection. */
const TURN_MS = 5;
/** The longest backlog then: turns in which nothing starts would accept more than one can process. */
const BACKLOG_MS = 40;
/** A single turn that works this many times the allowed delay is not a coincidence. */
const TURN_TIMES = 2;
const MOST_OF_HEAP = 0.9;
/** After MANY rejections within WITHIN_MS, report not ready for ELSEWHERE_MS. */
const MANY = 100;
const WITHIN_MS = 5_000;
const ELSEWHERE_MS = 10_000;

/**
 * Monitors how long work blocks the event loop and how full the heap is. If the loop is blocked repeatedly, each turn
 * accepts operations for a few milliseconds and rejects the rest: accepted ones are answered soon, and no more are
 * rejected than necessary. (Rejecting a random share was measured to let single turns take seconds.) More concurrent
 * operations than the limit are always rejected.
 *
 * A delay counts only as far as this process used the CPU meanwhile. While other programs use it, timers fire late
 * although little waits here, and rejecting callers would not help: on a busy machine, a rule based on the clock alone
 * rejected 73 of 1,095 mutations. Waiting caused by the process's own work never exceeds the CPU time it used, which is
 * measured correctly at any speed. `performance.eventLoopUtilization()` cannot distinguish the two: it counts time in
 * which the process is runnable but not running as active. Nor is a busy CPU a sign in itself: a well-used server is
 * always busy.
 */
export class Overload {
  readonly #limits: OverloadLimits;
  readonly #onShed: () => void;
  readonly #clock: Clock;
  readonly #timer: NodeJS.Timeout;
  /** The time, and the CPU time used by then, at the latest tick. */
  #last: { readonly at: number; readonly worked: number };
  #sampledAt: number;
  #longestMs = 0;
  #samples: boolean[] = [];
  /** When the current turn of the event loop made its first check. */
  #turnAt: number | null = null;
  #isFull = false;
  #watchfulUntil = 0;
  #elsewhereUntil = 0;
  #running = 0;
  #shedAt: number[] = [];

  constructor(limits: OverloadLimits, onShed: () => void = () => undefined, clock: Clock = PROCESS_CLOCK) {
    this.#limits = limits;
    this.#onShed = onShed;
    this.#clock = clock;
    this.#last = { at: clock.now(), worked: clock.worked() };
    this.#sampledAt = this.#last.at;
    const tickMs = Math.min(Math.max(limits.lateMs / 4, SHORTEST_TICK_MS), LONGEST_TICK_MS);
    this.#timer = setInterval(() => this.#tick(tickMs), tickMs).unref();
  }

  /** Stops measuring. */
  close(): void {
    clearInterval(this.#timer);
  }

  /** Whether an operation should be rejected on arrival, before any work is done for it. */
  turnsAway(): boolean {
    const { lateMs, backlogMs = () => 0 } = this.#limits;
    const now = this.#clock.now();
    const isWatchful = now < this.#watchfulUntil;
    const isLate =
      this.#hasTurnTaken(isWatchful ? TURN_MS : lateMs * TURN_TIMES, now) ||
      (isWatchful && backlogMs() > BACKLOG_MS);
    if (isLate) this.#watchfulUntil = now + WATCHFUL_MS;
    if (isLate || this.#isFull) this.#shed();
    return isLate || this.#isFull;
  }

  /** Starts an operation. Returns a function that ends it, or null if the maximum number is in progress. */
  enter(): (() => void) | null {
    if (this.#running >= this.#limits.operations) {
      this.#shed();
      return null;
    }
    this.#running += 1;
    let isRunning = true;
    return () => {
      if (isRunning) this.#running -= 1;
      isRunning = false;
    };
  }

  /** Creates the rejection of one request. */
  refusal(): OverloadRefusal {
    const seconds = 1 + Math.floor(Math.random() * 5);
    const headers = { 'retry-after': String(seconds) };
    return { status: 503, code: 'OVERLOADED', message: OVERLOADED_MESSAGE, headers };
  }

  /** True while so much is rejected that load balancers should use other servers. */
  get isPersistent(): boolean {
    return this.#clock.now() < this.#elsewhereUntil;
  }

  // Node's own monitor ignores the delay right after a reset, which is every delay if each turn of the event loop takes
  // longer than a sample.
  #tick(tickMs: number): void {
    const { at, worked } = this.#last;
    const now = this.#clock.now();
    this.#last = { at: now, worked: this.#clock.worked() };
    this.#longestMs = Math.max(this.#longestMs, Math.min(now - at - tickMs, this.#last.worked - worked));
    if (now - this.#sampledAt < SAMPLE_MS) return;
    this.#samples = [...this.#samples, this.#longestMs > this.#limits.lateMs].slice(-SAMPLES);
    this.#sampledAt = now;
    this.#longestMs = 0;
    this.#isFull = isHeapFull();
    const isLate = this.#samples.filter(Boolean).length > 1;
    if (isLate) this.#watchfulUntil = now + WATCHFUL_MS;
    if (isLate || this.#isFull) this.#elsewhereUntil = now + ELSEWHERE_MS;
  }

  // Whether the current turn of the event loop has worked for longer than this many milliseconds since its first check.
  // Reading the CPU time takes as long as some fields of a result, so it is not read in each turn: the turn's work is the
  // work since the latest tick, less the time from that tick to the start of the turn.
  #hasTurnTaken(ms: number, now: number): boolean {
    if (this.#turnAt === null) {
      this.#turnAt = now;
      setImmediate(() => (this.#turnAt = null));
    }
    if (now - this.#turnAt <= ms) return false;
    const { at, worked } = this.#last;
    return this.#clock.worked() - worked - (this.#turnAt - at) > ms;
  }

  #shed(): void {
    const now = this.#clock.now();
    this.#shedAt = [...this.#shedAt.filter((at) => at > now - WITHIN_MS), now].slice(-MANY);
    if (this.#shedAt.length >= MANY) this.#elsewhereUntil = now + ELSEWHERE_MS;
    this.#onShed();
  }
}

function isHeapFull(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > limit * MOST_OF_HEAP;
}

/** Accepts new connections before work starts. */
export interface Doorway {
  /** Records a new connection. */
  readonly note: () => void;
  /** Returns null if no connections are arriving; otherwise resolves when none is waiting, or after a while. */
  whenClear(): Promise<void> | null;
  /** Returns how long the waiting work will take once it starts, estimated from the work before it, in milliseconds. */
  readonly backlogMs: () => number;
}

/** How long connections are accepted before work continues: as long as the previous work took, within these limits. */
const SHORTEST_MS = 10;
const LONGEST_MS = 250;

/**
 * Creates the doorway of a server. Node.js accepts one new connection per turn of its event loop, however many wait. If
 * each turn works for 50 ms, a caller who opens 50 connections a second keeps everybody else from connecting for
 * minutes. So while connections arrive, operations and large responses wait for turns that do little else: until one
 * brings no connection, or for as long as the previous work took, and then start together.
 */
export function createDoorway(): Doorway {
  let waiting: (() => void)[] = [];
  let isWatching = false;
  let hasCome = false;
  let since = 0;
  let longestMs = SHORTEST_MS;
  let workedFrom: number | null = null;
  let begun = 0;
  let eachMs = 0;

  const letIn = (now: number): void => {
    if (workedFrom !== null) {
      longestMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, now - workedFrom));
      if (begun > 0) eachMs = (now - workedFrom) / begun;
    }
    workedFrom = null;
    since = now;
  };
  const work = (now: number): void => {
    for (const begin of waiting) begin();
    begun = waiting.length;
    waiting = [];
    workedFrom = now;
  };
  const afterTurn = (): void => {
    const now = performance.now();
    if (workedFrom !== null) letIn(now);
    isWatching = hasCome;
    if (!hasCome || now - since > longestMs) work(now);
    hasCome = false;
    setImmediate(isWatching ? afterTurn : afterWork);
  };
  // The next connection may come much later, and that time is not work.
  const afterWork = (): void => {
    if (workedFrom !== null) letIn(performance.now());
  };
  return {
    note() {
      hasCome = true;
      if (isWatching) return;
      isWatching = true;
      letIn(performance.now());
      setImmediate(afterTurn);
    },
    whenClear: () => (isWatching ? new Promise((resolve) => void waiting.push(resolve)) : null),
    backlogMs: () => waiting.length * eachMs,
  };
}
