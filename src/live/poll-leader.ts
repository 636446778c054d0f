import type { Wanted } from '../sources/ai-results/history.ts';

/** One who may look through a credential's history, beside others elsewhere. */
export interface Candidacy {
  /** What to look for: what is wanted here, and elsewhere; null while another looks for all of it. */
  ask(): Promise<Wanted | null>;
  /** Nothing is wanted here for the time being; somebody else may look. */
  rest(): void;
}

/** What a candidacy is for. */
export interface Candidate {
  /** What is wanted here. */
  readonly wanted: () => Wanted;
  /** Called when it is worth asking again: another rests, is gone, or wants something new. */
  readonly onTurn: () => void;
}

/** Who looks through the history of each credential: one at a time, for all. */
export interface PollLeader {
  open(holder: string, candidate: Candidate): Candidacy;
  /** It is worth looking soon, for whoever does. */
  nudge(holder: string): void;
}

/** The candidates of one process. */
export function createPollLeader(): PollLeader {
  // The first of a credential's candidates looks for all of them.
  const candidates = new Map<string, Set<Candidate>>();
  return {
    nudge: (holder) => [...(candidates.get(holder) ?? [])][0]?.onTurn(),
    open(holder, candidate) {
      let known: Wanted = new Map();
      return {
        ask() {
          const all = candidates.get(holder) ?? new Set();
          candidates.set(holder, all.add(candidate));
          const [first] = all;
          const wanted = candidate.wanted();
          const isNew = holdsMore(wanted, known);
          known = wanted;
          if (first === candidate) return Promise.resolve(union([...all].map((one) => one.wanted())));
          if (isNew) first?.onTurn();
          return Promise.resolve(null);
        },
        rest() {
          known = new Map();
          const all = candidates.get(holder);
          if (!all?.delete(candidate)) return;
          if (all.size === 0) candidates.delete(holder);
          [...all][0]?.onTurn();
        },
      };
    },
  };
}

/** True where something is wanted that was not wanted before. */
export function holdsMore(wanted: Wanted, before: Wanted): boolean {
  return [...wanted.keys()].some((contentId) => !before.has(contentId));
}

/** All that somebody wants, until the last of them wants it no more. */
export function union(wishes: readonly Wanted[]): Wanted {
  const all = new Map<string, number>();
  for (const wanted of wishes)
    for (const [id, endsAt] of wanted) all.set(id, Math.max(endsAt, all.get(id) ?? 0));
  return all;
}
