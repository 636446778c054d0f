import type { Redis } from 'ioredis';
import { createBoundedCache } from '../../bounded-cache.ts';
import { isAway } from './state.ts';

/** Something to be done in Redis that is harmless when it is done twice. */
export type Command = (client: Redis) => Promise<unknown>;

/** What is to be done when Redis is back. */
export interface Outbox {
  /** Keeps a command in place of an earlier one of its name; `chars` says how much it holds. */
  keep(name: string, command: Command, chars: number): void;
  /** Does what is kept, and what is kept meanwhile; fails when Redis is away again, and keeps what is left. */
  flush(run: (command: Command) => Promise<unknown>): Promise<void>;
}

/** Beyond this the oldest are given up: what they tell is remembered in this process, or reads as unknown. */
const KEPT = { maxEntries: 10_000, maxSize: 16 * 1024 * 1024 } as const;
const AT_ONCE = 200;

interface Kept {
  readonly command: Command;
  readonly chars: number;
}

/** Makes an empty one. */
export function createOutbox(): Outbox {
  const kept = createBoundedCache<Kept>({ ...KEPT, sizeOf: ({ chars }) => chars });
  const done = (name: string, one: Kept): void => {
    // It may have been replaced meanwhile.
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
            // What Redis refuses for itself would be refused again.
            if (isAway(error)) throw error;
          }
          done(name, one);
        });
        await Promise.all(part);
      }
    },
  };
}
