import { createBoundedCache } from '../bounded-cache.ts';
import type { IncomingResult } from '../sources/ai-results/feed.ts';
import { isOfAnother } from '../sources/current/openai.ts';
import type { Generations, KnownGeneration } from './generations.ts';

/** Results that nobody here has requested yet are kept for as long as the call that requests one may take. */
const UNATTRIBUTED = { maxEntries: 200, maxSize: 4 * 1024 * 1024, ttl: 60_000 } as const;
const MAX_UNATTRIBUTED_OF_ID = 8;

/** Assigns incoming results to their owner. */
export interface Attribution {
  /** Handles a result from a feed: delivers it, keeps it, or triggers a poll for it. */
  take(result: IncomingResult): void;
  /** Delivers results that arrived before they were requested; returns false if there are none. */
  early(contentId: string): boolean;
}

/** The inputs of attribution, and its callbacks. */
export interface AttributionOptions {
  readonly holder: string;
  readonly generations: Generations;
  /** Called when a text has arrived. */
  readonly tell: (known: KnownGeneration) => void;
  /** Called for news of a generation without its text, or without certainty. */
  readonly hint: (contentId: string) => void;
}

/**
 * Attributes the results of one credential. A socket may deliver results of others, and ids may coincide, so its
 * results only count for generations that this credential requested through these processes. Results in the history are
 * always the credential's own.
 */
export function createAttribution({ holder, generations, tell, hint }: AttributionOptions): Attribution {
  const unattributed = createBoundedCache<readonly IncomingResult[]>({
    ...UNATTRIBUTED,
    sizeOf: (results) => JSON.stringify(results).length,
  });
  // One id may arrive for several owners, and which one is ours is not known yet.
  const keep = (result: IncomingResult): void => {
    const others = unattributed.get(result.contentId) ?? [];
    unattributed.set(result.contentId, [...others, result].slice(-MAX_UNATTRIBUTED_OF_ID));
  };
  const take = (result: IncomingResult): void => {
    const { contentId, wire, hasText, isProven } = result;
    const known = generations.find(holder, contentId);
    if (known?.status === 'COMPLETE') return;
    const isOurs = isProven || (known?.startedHere === true && !isOfAnother(known.wire, wire));
    if (isOurs && hasText) tell(generations.finish(holder, contentId, wire));
    else if (!isProven) {
      if (known?.startedHere !== true && hasText) keep(result);
      hint(contentId);
    }
  };
  return {
    take,
    early(contentId) {
      for (const result of unattributed.get(contentId) ?? []) take(result);
      return generations.find(holder, contentId)?.status === 'COMPLETE';
    },
  };
}
