import type { Redis } from 'ioredis';
import { createBoundedCache } from '../../bounded-cache.ts';
import { isAway } from './state.ts';

/** A Redis command that is harmless if run twice. */
export type Command = (client: Redis) => Promise<unknown>;

/** Commands to run when Redis is back. */
export interface Outbox {
  /** Stores a command in place of an earlier one of its name; `chars` is its approximate size. */
  keep(name: string, command: Command, chars: number): void;
  /** Runs stored commands, also ones added meanwhile. Rejects if Redis becomes unavailable, keeping the rest. */
  flush(run: (command: Command) => Promise<unknown>): Promise<void>;
}

/** Beyond this, the oldest are dropped: their data is also in this process, or reads as unknown. */
const KEPT = { maxEntries: 10_000, maxSize: 16 * 1024 * 1024 } as const;
const AT_ONCE = 200;

interface Kept {
  readonly command: Command;
  readonly chars: number;
}

/** Creates an empty outbox. */
export function createOutbox(): Outbox {
  const kept = createBoundedCache<Kept>({ ...KEPT, sizeOf: ({ chars }) => chars });
  const done = (name: string, one: Kept): void => {
    // It may have been replaced in the meantime.
    if (kept.peek(name) === one) kept.delete(name);
  };
  return {
    keep: (name, command, chars) => void kept.set(name, { command, chars }),
    async flush(run) {
      while (kept.size > 0) {
        const part = [...kept.entries()].slice(-AT_ONCE).map(async ([name, one]) => {
          try {
            await run(one.command);
          } catch (error) {
            // A command that Redis rejects for its own sake would be rejected again.
            if (isAway(error)) throw error;
          }
          done(name, one);
        });
        await Promise.all(part);
      }
    },
  };
}
