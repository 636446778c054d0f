import { setTimeout as after } from 'node:timers/promises';
import type { WriteJournal } from './journal.ts';
import type { KeyedMutex } from './keyed-mutex.ts';

/** What all writes of a process share. */
export interface WriteCoordinator {
  /** Remembers writes with a key. */
  readonly journal: WriteJournal;
  /** Keeps writes to one account apart. */
  readonly mutex: KeyedMutex;
  /** Counts a write as under way until it has ended. */
  readonly track: <T>(write: Promise<T>) => Promise<T>;
  /** Resolves when all writes that are under way have ended, or after so many milliseconds. */
  readonly settled: (withinMs: number) => Promise<void>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Makes the write coordinator of one process. */
export function createWriteCoordinator(
  { journal, mutex }: Pick<WriteCoordinator, 'journal' | 'mutex'>,
  now: () => number = Date.now,
): WriteCoordinator {
  const running = new Set<Promise<unknown>>();
  return {
    journal,
    mutex,
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
