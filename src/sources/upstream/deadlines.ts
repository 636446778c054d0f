import type { Endpoint } from '../endpoint.ts';

/** Returns how long a call may take, in milliseconds; an object so that tests can shorten it. */
export const deadlines = {
  of: ({ endpoint }: { readonly endpoint: Endpoint }): number => endpoint.deadlineMs,
};

/** Called once, when the time has expired. */
export interface Expiring {
  expire(): void;
}

/** Ends calls at their deadlines. Calls with equal timeouts share a timer: they expire in the order they started. */
export class Deadlines {
  readonly #queues = new Map<number, DeadlineQueue>();

  /** Starts the timeout of a call. The caller must delete the call from the returned queue when it ends. */
  start(call: Expiring, ms: number): DeadlineQueue {
    let queue = this.#queues.get(ms);
    if (queue === undefined) this.#queues.set(ms, (queue = new DeadlineQueue(ms)));
    queue.add(call);
    return queue;
  }
}

/** Calls with equal timeouts, oldest first. The timer runs only while there are any. */
export class DeadlineQueue {
  readonly #ms: number;
  readonly #expiries = new Map<Expiring, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  add(call: Expiring): void {
    this.#expiries.set(call, performance.now() + this.#ms);
    this.#timer ??= setTimeout(this.#expireDue, Math.ceil(this.#ms));
  }

  delete(call: Expiring): void {
    this.#expiries.delete(call);
    if (this.#expiries.size === 0) this.#stop();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  readonly #expireDue = (): void => {
    this.#stop();
    const now = performance.now();
    for (const [call, at] of this.#expiries) {
      if (at > now) {
        this.#timer ??= setTimeout(this.#expireDue, Math.ceil(at - now));
        return;
      }
      this.#expiries.delete(call);
      call.expire();
    }
  };
}
