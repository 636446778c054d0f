const WINDOW_SECONDS = 10;

interface Second {
  readonly second: number;
  calls: number;
  faults: number;
}

/** Counts the calls of the last ten seconds, by the second. */
export class FailureWindow {
  calls = 0;
  faults = 0;
  readonly #seconds: Second[] = [];

  hasSuccess(): boolean {
    this.forgetOld();
    return this.faults < this.calls;
  }

  add(isFault: boolean): void {
    const now = this.forgetOld();
    let last = this.#seconds.at(-1);
    if (last?.second !== now) this.#seconds.push((last = { second: now, calls: 0, faults: 0 }));
    last.calls += 1;
    this.calls += 1;
    if (!isFault) return;
    last.faults += 1;
    this.faults += 1;
  }

  /** Drops older counts and returns the current second. */
  forgetOld(): number {
    const now = Math.floor(performance.now() / 1_000);
    const oldest = now - WINDOW_SECONDS + 1;
    for (let first = this.#seconds[0]; first && first.second < oldest; first = this.#seconds[0]) {
      this.calls -= first.calls;
      this.faults -= first.faults;
      this.#seconds.shift();
    }
    return now;
  }
}
