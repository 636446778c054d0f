import { createBoundedCache } from '../bounded-cache.ts';
import type { QueueComparison } from './queue-comparison.ts';

// Recent readings of the queue and the plan, one per caller, so that a post can be validated while somebody writes it.

/** What was read of the queue and the plan; null for what could not be read. */
export interface QueueFacts {
  readonly queue: QueueComparison | null;
  readonly total: number | null;
  readonly limit: number | null;
}

/** A reading of the queue and the plan. */
export interface QueueReading extends QueueFacts {
  /** When it began, in epoch milliseconds. */
  readonly readAt: number;
}

const MAX_CALLERS = 1_000;
/** For all readings together. */
const MAX_BYTES = 32 * 1024 * 1024;
/** What a queued post takes in a reading besides its text. */
const BYTES_PER_POST = 400;

/** The readings of a process that may serve again. */
export class QueueReadings {
  readonly #kept = createBoundedCache<QueueReading>({
    maxEntries: MAX_CALLERS,
    maxSize: MAX_BYTES,
    sizeOf: bytesOf,
  });
  readonly #begun = new Set<{ readonly caller: string; isOutdated: boolean }>();
  readonly #maxAgeMs: number;
  readonly #now: () => number;

  /** @param maxAgeMs How long a reading serves; 0 reads each time. */
  constructor(maxAgeMs: number, now: () => number = Date.now) {
    this.#maxAgeMs = maxAgeMs;
    this.#now = now;
  }

  /**
   * Returns the caller's last reading if it is recent, or else reads. A reading is kept unless it failed in part, or the
   * caller wrote something while it was made.
   */
  async read(
    caller: string,
    read: () => Promise<QueueFacts & { readonly isComplete: boolean }>,
  ): Promise<QueueReading> {
    const readAt = this.#now();
    const known = this.#kept.get(caller);
    if (known && known.readAt <= readAt && readAt - known.readAt < this.#maxAgeMs) return known;
    const begun = { caller, isOutdated: false };
    this.#begun.add(begun);
    try {
      const { isComplete, ...facts } = await read();
      const reading = { ...facts, readAt };
      if (isComplete && !begun.isOutdated && this.#maxAgeMs > 0) this.#kept.set(caller, reading);
      return reading;
    } finally {
      this.#begun.delete(begun);
    }
  }

  /** Drops what was read for a caller, because the caller is writing or has written something. */
  forget(caller: string): void {
    this.#kept.delete(caller);
    for (const one of this.#begun) if (one.caller === caller) one.isOutdated = true;
  }
}

function bytesOf({ queue }: QueueReading): number {
  if (queue === null) return 0;
  const texts = [...queue.byText.keys()].reduce((sum, key) => sum + 2 * key.length, 0);
  return texts + queue.postCount * BYTES_PER_POST;
}
