/** One's lease, while a task runs. */
export interface Lease {
  /** False when it may be another's by now: then nothing more is to be sent. */
  isHeld(): boolean;
}

/** Lets tasks that concern the same thing happen one after the other. */
export interface KeyedMutex {
  /** Runs a task when all earlier ones with this name have ended; its failure is its own. */
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
