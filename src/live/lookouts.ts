/** The content ids that are waited for, each with the end of the waiting, in epoch milliseconds. */
export type Wanted = ReadonlyMap<string, number>;

/** One who may look through a credential's history, beside others elsewhere. */
export interface Lookout {
  /** What to look for: what is wanted here, and elsewhere; null while another looks for all of it. */
  ask(wanted: Wanted): Promise<Wanted | null>;
  /** Nothing is wanted here for the time being; somebody else may look. */
  rest(): void;
}

/** Who looks through the history of each credential: one at a time, for all. */
export interface Lookouts {
  /** `onTurn` is called when it is worth asking again: another rests, is gone, or wants something new. */
  open(holder: string, onTurn: () => void): Lookout;
}

interface Post {
  readonly wanted: Wanted;
  readonly onTurn: () => void;
}

/** The lookouts of one process. */
export function createLookouts(): Lookouts {
  // The first of a credential's lookouts looks for all of them.
  const posts = new Map<string, Map<object, Post>>();
  return {
    open(holder, onTurn) {
      const self = {};
      return {
        ask(wanted) {
          const all = posts.get(holder) ?? new Map<object, Post>();
          const before = all.get(self)?.wanted;
          posts.set(holder, all.set(self, { wanted, onTurn }));
          const [first] = all.keys();
          if (first === self) return Promise.resolve(union([...all.values()].map((post) => post.wanted)));
          if ([...wanted.keys()].some((id) => !before?.has(id))) [...all.values()][0]?.onTurn();
          return Promise.resolve(null);
        },
        rest() {
          const all = posts.get(holder);
          if (!all?.delete(self)) return;
          if (all.size === 0) posts.delete(holder);
          [...all.values()][0]?.onTurn();
        },
      };
    },
  };
}

/** All that somebody wants, until the last of them wants it no more. */
export function union(wishes: readonly Wanted[]): Wanted {
  const all = new Map<string, number>();
  for (const wanted of wishes)
    for (const [id, endsAt] of wanted) all.set(id, Math.max(endsAt, all.get(id) ?? 0));
  return all;
}
