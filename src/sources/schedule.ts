const GROWTH = 1.5;

/** When the service is polled: one run at a time, less often while nothing changes. */
export class Schedule {
  readonly #leastMs: number;
  readonly #slowest: number;
  readonly #act: () => Promise<number | null>;
  #intervalMs: number;
  #timer: NodeJS.Timeout | undefined;
  #notBefore = -Infinity;
  #isActing = false;
  #isAskedFor = false;
  #isStopped = false;

  /**
   * @param leastMs shortest interval
   * @param slowest longest interval, as a multiple of the shortest
   * @param act returns the milliseconds until it runs again; null for not before `soon` or `in` is called
   */
  constructor(leastMs: number, slowest: number, act: () => Promise<number | null>) {
    this.#leastMs = leastMs;
    this.#slowest = slowest;
    this.#intervalMs = leastMs;
    this.#act = act;
  }

  /** Returns the milliseconds to wait after a run with or without a change. */
  next(hasChanged: boolean): number {
    if (hasChanged) this.quicken();
    const waitMs = this.#intervalMs;
    this.#intervalMs = Math.min(waitMs * GROWTH, this.#leastMs * this.#slowest);
    return waitMs;
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
  in(delayMs: number | null): void {
    if (this.#isStopped || this.#isActing) return;
    clearTimeout(this.#timer);
    if (delayMs === null) return;
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
    const delayMs = await this.#act();
    this.#isActing = false;
    this.in(this.#isAskedFor ? 0 : delayMs);
  }
}
