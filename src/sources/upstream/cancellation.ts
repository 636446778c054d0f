/** Called once, when the operation is cancelled. */
export interface CancellationListener {
  cancel(): void;
}

/** Whether an operation has been cancelled because its caller has gone. */
export interface Cancellation {
  readonly isCancelled: boolean;
  add(listener: CancellationListener): void;
  delete(listener: CancellationListener): void;
}

/** Follows an AbortSignal with one event listener, however many calls the operation makes. */
export function cancellationBy(signal: AbortSignal): Cancellation {
  return new SignalCancellation(signal);
}

class SignalCancellation implements Cancellation {
  readonly #signal: AbortSignal;
  readonly #listeners = new Set<CancellationListener>();
  #isFollowing = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  get isCancelled(): boolean {
    return this.#signal.aborted;
  }

  add(listener: CancellationListener): void {
    this.#listeners.add(listener);
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    this.#signal.addEventListener('abort', () => this.#cancelAll(), { once: true });
  }

  delete(listener: CancellationListener): void {
    this.#listeners.delete(listener);
  }

  #cancelAll(): void {
    for (const listener of this.#listeners) listener.cancel();
    this.#listeners.clear();
  }
}
