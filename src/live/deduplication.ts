import { createBoundedCache } from '../bounded-cache.ts';
import type { KnownGeneration } from './generations.ts';

/** Ends that are remembered, of either kind. */
const MAX_ENDS = 2_000;

/** Which ends are to be told to those who follow a credential: several processes may tell of one, and it is told once. */
export interface Deduplication {
  /**
   * True the first time, for an end of what the credential asked for. One that is no news here, since it is told again,
   * counts only where it was undecided.
   */
  readonly isNew: (known: KnownGeneration, isNews?: boolean) => boolean;
  /** Ends that were news before it was known here that the credential had asked for them. */
  readonly undecided: () => string[];
}

/** Remembers the latest 2,000 ends. */
export function createDeduplication(): Deduplication {
  const told = createBoundedCache<KnownGeneration['status']>({ maxEntries: MAX_ENDS });
  // While processes are cut off from each other, one may see the end of what was asked for through another.
  const undecided = createBoundedCache<true>({ maxEntries: MAX_ENDS });
  return {
    isNew: ({ contentId, status, startedHere }, isNews = true) => {
      if (!startedHere) {
        if (isNews) undecided.set(contentId, true);
        return false;
      }
      if (!undecided.delete(contentId) && !isNews) return false;
      const isNew = told.get(contentId) !== status;
      told.set(contentId, status);
      return isNew;
    },
    undecided: () => [...undecided.keys()],
  };
}
