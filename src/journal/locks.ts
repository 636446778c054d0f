/** The lock held by a running task. */
export interface Lease {
  /** False once the lock may have expired: then nothing more may be sent. */
  isHeld(): boolean;
}

/** Runs tasks that concern the same thing one after another. */
export interface KeyedMutex {
  /** Runs a task once all earlier ones with this name have ended; one task's failure does not affect the others. */
  run<T>(name: string, task: (lease: Lease) => Promise<T>): Promise<T>;
}

const OWN: Lease = { isHeld: () => true };

/** A mutex within this process. */
export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>();
  return {
    async run(name, task) {
      const before = last.get(name) ?? Promise.resolve();
      const run = () => task(OWN);
      const mine = before.then(run, run);
      last.set(name, mine);
      try {
        return await mine;
      } finally {
        if (last.get(name) === mine) last.delete(name);
      }
    },
  };
}
