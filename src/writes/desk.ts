import { setTimeout as after } from 'node:timers/promises';
import type { WriteStore } from './idempotency.ts';
import type { Turns } from './turns.ts';

/** What all writes of a process share. */
export interface WriteDesk {
  /** Remembers writes with a key. */
  readonly store: WriteStore;
  /** Keeps writes to one account apart. */
  readonly turns: Turns;
  /** Counts a write as under way until it has ended. */
  readonly track: <T>(write: Promise<T>) => Promise<T>;
  /** Resolves when all writes that are under way have ended, or after so many milliseconds. */
  readonly settled: (withinMs: number) => Promise<void>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Makes the desk of one process. */
export function createWriteDesk(
  { store, turns }: Pick<WriteDesk, 'store' | 'turns'>,
  now: () => number = Date.now,
): WriteDesk {
  const running = new Set<Promise<unknown>>();
  return {
    store,
    turns,
    track(write) {
      running.add(write);
      const end = (): void => void running.delete(write);
      write.then(end, end);
      return write;
    },
    settled: (withinMs) =>
      Promise.race([Promise.allSettled(running), after(withinMs, undefined, { ref: false })]).then(
        () => undefined,
      ),
    now,
  };
}
