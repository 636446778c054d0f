import type { Redis } from 'ioredis';

/** Something to be done in Redis that is harmless when it is done twice. */
export type Command = (client: Redis) => Promise<unknown>;

/** What is to be done when Redis is back. */
export interface Outbox {
  /** Keeps a command in place of an earlier one of its name. */
  keep(name: string, command: Command): void;
  /** Does what was kept, the oldest first; at the first failure it stops, and keeps what is left. */
  flush(run: (command: Command) => Promise<unknown>): Promise<void>;
}

/** Beyond this the oldest are given up: what they tell is remembered in this process, or reads as unknown. */
const MAX_KEPT = 5_000;

/** Makes an empty one. */
export function createOutbox(): Outbox {
  const kept = new Map<string, Command>();
  return {
    keep(name, command) {
      kept.delete(name);
      kept.set(name, command);
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    },
    async flush(run) {
      for (const [name, command] of kept) {
        await run(command);
        // It may have been replaced meanwhile.
        if (kept.get(name) === command) kept.delete(name);
      }
    },
  };
}
