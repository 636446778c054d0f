/** Lets tasks that concern the same thing happen one after the other. */
export interface Turns {
  /** Runs a task when all earlier ones with this name have ended; its failure is its own. */
  take<T>(name: string, task: () => Promise<T>): Promise<T>;
}

/** Turns within this process. */
export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return {
    async take(name, task) {
      const before = last.get(name) ?? Promise.resolve();
      const mine = before.then(task, task);
      last.set(name, mine);
      try {
        return await mine;
      } finally {
        if (last.get(name) === mine) last.delete(name);
      }
    },
  };
}
