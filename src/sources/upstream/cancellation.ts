/** Called once, when the operation is cancelled. */
export interface CancellationListener {
  cancel(): void;
}

/** Whether an operation has been cancelled because its caller has disconnected. */
export interface Cancellation {
  readonly isCancelled: boolean;
  add(listener: CancellationListener): void;
  delete(listener: CancellationListener): void;
}

/**
 * A cancellation and the means to trigger it; an AbortController does the same at ten times the cost. With a signal, it
 * follows that too: by one event listener, however many calls the operation makes at once, and by none while it makes no
 * call, because a signal may outlive many operations.
 */
export class CancellationSource implements Cancellation {
  readonly #signal: AbortSignal | null;
  #isCancelled = false;
  #listeners: Set<CancellationListener> | undefined;

  constructor(signal: AbortSignal | null = null) {
    this.#signal = signal;
  }

  get isCancelled(): boolean {
    return this.#isCancelled || this.#signal?.aborted === true;
  }

  add(listener: CancellationListener): void {
    this.#listeners ??= new Set();
    if (this.#listeners.size === 0) this.#signal?.addEventListener('abort', this, { once: true });
    this.#listeners.add(listener);
  }

  delete(listener: CancellationListener): void {
    if (this.#listeners?.delete(listener) && this.#listeners.size === 0)
      this.#signal?.removeEventListener('abort', this);
  }

  handleEvent(): void {
    this.cancel();
  }

  /** Cancels the operation permanently. */
  cancel(): void {
    const listeners = this.#listeners;
    this.#isCancelled = true;
    this.#listeners = undefined;
    for (const listener of listeners ?? []) listener.cancel();
  }
}
