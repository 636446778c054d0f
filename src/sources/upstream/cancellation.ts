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
  let listeners: Set<CancellationListener> | null = null;
  const follow = (): Set<CancellationListener> => {
    const followed = new Set<CancellationListener>();
    const cancelAll = (): void => followed.forEach((listener) => listener.cancel());
    signal.addEventListener('abort', cancelAll, { once: true });
    return followed;
  };
  return {
    get isCancelled() {
      return signal.aborted;
    },
    add: (listener) => void (listeners ??= follow()).add(listener),
    delete: (listener) => void listeners?.delete(listener),
  };
}
