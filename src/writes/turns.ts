/** One's turn, while a task runs. */
export interface Turn {
  /** False when it may be another's by now: then nothing more is to be sent. */
  isHeld(): boolean;
}

/** Lets tasks that concern the same thing happen one after the other. */
export interface Turns {
  /** Runs a task when all earlier ones with this name have ended; its failure is its own. */
  take<T>(name: string, task: (turn: Turn) => Promise<T>): Promise<T>;
}

const OWN: Turn = { isHeld: () => true };

/** Turns within this process. */
export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return {
    async take(name, task) {
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
