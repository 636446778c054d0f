import type { Wanted } from '../sources/ai-results/history.ts';

/** A candidate for polling a credential's history, among others elsewhere. */
export interface Candidacy {
  /** Returns what to poll for, including the wishes of others; null while another candidate polls for all. */
  ask(): Promise<Wanted | null>;
  /** Gives up the turn, because nothing is wanted here for now. */
  rest(): void;
}

/** The wishes and callbacks of a candidate. */
export interface Candidate {
  /** What is wanted here. */
  readonly wanted: () => Wanted;
  /** Called when asking again is worthwhile: another candidate rests, has gone, or wants something new. */
  readonly onTurn: () => void;
}

/** Selects the candidate that polls the history of each credential: one at a time, for all. */
export interface PollLeader {
  open(holder: string, candidate: Candidate): Candidacy;
  /** Suggests a poll soon, by whichever candidate polls. */
  nudge(holder: string): void;
}

/** Creates the poll leader of a single process. */
export function createPollLeader(): PollLeader {
  // The first of a credential's candidates polls for all of them.
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

/** Whether something is wanted that was not wanted before. */
export function holdsMore(wanted: Wanted, before: Wanted): boolean {
  return [...wanted.keys()].some((contentId) => !before.has(contentId));
}

/** Combines wishes: everything that anybody wants, until the latest end. */
export function union(wishes: readonly Wanted[]): Wanted {
  const all = new Map<string, number>();
  for (const wanted of wishes)
    for (const [id, endsAt] of wanted) all.set(id, Math.max(endsAt, all.get(id) ?? 0));
  return all;
}
