import { setTimeout as after } from 'node:timers/promises';
import { Claims } from './claims.ts';
import type { WriteJournal } from './journal.ts';
import type { KeyedMutex } from './keyed-mutex.ts';

/** How long a write that is under way may take to end, with the look at what came of it, in milliseconds. */
export const LONGEST_WRITE_MS = 70_000;

/** What all writes of a process share. */
export interface WriteCoordinator {
  /** Remembers writes with a key. */
  readonly journal: WriteJournal;
  /** Keeps writes to one account apart. */
  readonly mutex: KeyedMutex;
  /** Which records writes are told to have made. */
  readonly claims: Claims;
  /** Counts a write as under way until it has ended. */
  readonly track: <T>(write: Promise<T>) => Promise<T>;
  /** False while writes are under way. */
  readonly isIdle: () => boolean;
  /** Resolves when all writes that are under way have ended, or after `LONGEST_WRITE_MS`. */
  readonly settled: () => Promise<void>;
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
    claims: new Claims(),
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
    now,
  };
}
