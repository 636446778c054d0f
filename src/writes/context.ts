import { setTimeout as after } from 'node:timers/promises';
import type { WriteJournal } from '../journal/journal.ts';
import type { KeyedMutex } from '../journal/locks.ts';
import type { Loaders } from '../loaders/loaders.ts';
import type { StartedGeneration } from '../records/ai-generation.ts';
import type { RecordContext } from '../records/context.ts';
import type { Surface } from '../sources/errors.ts';
import type { Sources } from '../sources/sources.ts';
import type { QueueReading, QueueReadings } from './queue.ts';

/** How long shutdown waits for running writes, including their search for the outcome, in milliseconds. */
const LONGEST_WRITE_MS = 70_000;

/** The state shared by all writes of a process. */
export class WriteCoordinator {
  /** Stores writes with a key. */
  readonly journal: WriteJournal;
  /** Serialises writes to one account. */
  readonly mutex: KeyedMutex;
  readonly #running = new Set<Promise<unknown>>();

  constructor({ journal, mutex }: Pick<WriteCoordinator, 'journal' | 'mutex'>) {
    this.journal = journal;
    this.mutex = mutex;
  }

  /** Whether no write is running. */
  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Counts a write as running until it has ended, and then calls `ended`. */
  track<T>(write: Promise<T>, ended?: () => void): Promise<T> {
    this.#running.add(write);
    const end = (): void => {
      this.#running.delete(write);
      ended?.();
    };
    write.then(end, end);
    return write;
  }

  /** Resolves when all running writes have ended, or after `LONGEST_WRITE_MS`. */
  async settled(): Promise<void> {
    await Promise.race([
      Promise.allSettled(this.#running),
      after(LONGEST_WRITE_MS, undefined, { ref: false }),
    ]);
  }
}

/** The dependencies of writes, bound to the caller. */
export interface CallersWrites {
  readonly journal: WriteJournal;
  readonly mutex: KeyedMutex;
  /** Counts a write as running until it has ended, and drops what was read of the caller's queue. */
  track<T>(write: Promise<T>): Promise<T>;
  /** Returns a name for the caller on a surface that reveals nothing about the credential. */
  callerId(surface: Surface): string;
  /** The surfaces, bound to the caller, for calls that continue if the caller disconnects. */
  readonly sources: Sources;
  /** Returns the caller's recent reading of the queue and the plan, or else reads. */
  queueReading(read: Parameters<QueueReadings['read']>[1]): Promise<QueueReading>;
  /** Creates loaders of them, which have read nothing yet. */
  loaders(): Loaders;
}

/** The part of the operation's context that writes use. */
export interface WriteContext extends RecordContext {
  readonly writes: CallersWrites;
  readonly live: RecordContext['live'] & {
    /** Records that the caller's credential requested a generation. */
    readonly started: (generation: StartedGeneration) => void;
  };
  /** The spelling of `true` in forms of the legacy surface. */
  readonly legacyTrue: '1' | 'true';
  /** Whether lists are read before writes with a key. */
  readonly readsBeforeWrites: boolean;
}

/** The part of it that actions on an existing account or group use. */
export interface ActionContext {
  readonly writes: Pick<CallersWrites, 'mutex' | 'sources' | 'track'>;
}
