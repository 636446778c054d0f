/** Readings without changes become less frequent, up to this multiple of the minimum interval. */
export const SLOWEST = 12;
const GROWTH = 1.5;

/** Repeats an action, one run at a time, less often while nothing changes. */
export class Schedule {
  readonly #leastMs: number;
  readonly #act: () => Promise<number>;
  #intervalMs: number;
  #timer: NodeJS.Timeout | undefined;
  #notBefore = -Infinity;
  #isActing = false;
  #isAskedFor = false;
  #isStopped = false;

  /**
   * @param leastMs minimum interval between the starts of two runs
   * @param act returns the milliseconds until it runs again
   */
  constructor(leastMs: number, act: () => Promise<number>) {
    this.#leastMs = leastMs;
    this.#intervalMs = leastMs;
    this.#act = act;
  }

  /** Returns the milliseconds to wait after a run with or without a change. */
  next(hasChanged: boolean): number {
    const slower = Math.min(this.#intervalMs * GROWTH, this.#leastMs * SLOWEST);
    return (this.#intervalMs = hasChanged ? this.#leastMs : slower);
  }

  /** Runs more often again, because something has happened that a run will show. */
  quicken(): void {
    this.#intervalMs = this.#leastMs;
  }

  /** Runs as soon as allowed. */
  soon(): void {
    this.#isAskedFor = true;
    this.in(0);
  }

  /** Runs after so many milliseconds, instead of when it was planned; without effect during a run. */
  in(delayMs: number): void {
    if (this.#isStopped || this.#isActing) return;
    clearTimeout(this.#timer);
    const waitMs = Math.max(delayMs, this.#notBefore - performance.now());
    this.#timer = setTimeout(() => void this.#run(), Math.ceil(waitMs)).unref();
  }

  /** Waits at least this many milliseconds before the next run, whoever requests it. */
  pauseFor(ms: number): void {
    this.#notBefore = Math.max(this.#notBefore, performance.now() + ms);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    // A pause may have been requested since the run was planned.
    if (performance.now() < this.#notBefore) return this.in(0);
    this.#isActing = true;
    this.#isAskedFor = false;
    this.#notBefore = performance.now() + this.#leastMs;
    const delayMs = await this.#act();
    this.#isActing = false;
    this.in(this.#isAskedFor ? 0 : delayMs);
  }
}
