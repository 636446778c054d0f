import { createBoundedCache } from '../bounded-cache.ts';
import type { KnownGeneration } from './generations.ts';

/** Maximum number of remembered ends, of either kind. */
const MAX_ENDS = 2_000;

/** Decides which ends to deliver to followers: several processes may report one, but it is delivered once. */
export interface Deduplication {
  /**
   * Returns true the first time, for an end of a generation that the credential requested. An end that is not news,
   * because it is reported again, counts only if it was undecided.
   */
  readonly isNew: (known: KnownGeneration, isNews?: boolean) => boolean;
  /** Ends that were news before it was known here that the credential had requested them. */
  readonly undecided: () => string[];
}

/** Remembers the latest 2,000 ends. */
export function createDeduplication(): Deduplication {
  const told = createBoundedCache<KnownGeneration['status']>({ maxEntries: MAX_ENDS });
  // While processes are disconnected, one may see the end of a generation requested through another.
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
