import { setTimeout as after } from 'node:timers/promises';
import type { WriteJournal } from '../journal/journal.ts';
import type { KeyedMutex } from '../journal/locks.ts';

/** How long shutdown waits for running writes, including their search for the outcome, in milliseconds. */
const LONGEST_WRITE_MS = 70_000;

/** The state shared by all writes of a process. */
export interface WriteCoordinator {
  /** Stores writes with a key. */
  readonly journal: WriteJournal;
  /** Serialises writes to one account. */
  readonly mutex: KeyedMutex;
  /** Counts a write as running until it has ended. */
  readonly track: <T>(write: Promise<T>) => Promise<T>;
  /** False while writes are running. */
  readonly isIdle: () => boolean;
  /** Resolves when all running writes have ended, or after `LONGEST_WRITE_MS`. */
  readonly settled: () => Promise<void>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Creates the write coordinator of one process. */
export function createWriteCoordinator({
  journal,
  mutex,
}: Pick<WriteCoordinator, 'journal' | 'mutex'>): WriteCoordinator {
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
    isIdle: () => running.size === 0,
    async settled() {
      await Promise.race([Promise.allSettled(running), after(LONGEST_WRITE_MS, undefined, { ref: false })]);
    },
    now: Date.now,
  };
}
