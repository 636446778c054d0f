import { createBoundedCache } from '../bounded-cache.ts';
import type { IncomingResult } from '../sources/ai-results/feed.ts';
import { isOfAnother } from '../sources/current/openai.ts';
import type { Generations, KnownGeneration } from './generations.ts';

/** Results that nobody here has asked for yet are kept for as long as the call that asks for one may take. */
const UNATTRIBUTED = { maxEntries: 200, maxSize: 4 * 1024 * 1024, ttl: 60_000 } as const;
const MAX_UNATTRIBUTED_OF_ID = 8;

/** Whose the results are that come in. */
export interface Attribution {
  /** Takes what came by one of the feeds: tells it, keeps it, or has it looked for. */
  take(result: IncomingResult): void;
  /** Tells what came before it was asked for; false if nothing did. */
  early(contentId: string): boolean;
}

/** What attribution goes by, and whom it tells. */
export interface AttributionOptions {
  readonly holder: string;
  readonly generations: Generations;
  /** A text has come. */
  readonly tell: (known: KnownGeneration) => void;
  /** Something was said of a generation, though not its text, or not for certain. */
  readonly hint: (contentId: string) => void;
}

/**
 * Attributes the results of one credential. A socket may carry what belongs to others, and ids may be alike: its word counts for
 * what this credential has asked for through these processes, and for nothing else. What the history says is the
 * credential's own.
 */
export function createAttribution({ holder, generations, tell, hint }: AttributionOptions): Attribution {
  const unattributed = createBoundedCache<readonly IncomingResult[]>({
    ...UNATTRIBUTED,
    sizeOf: (results) => JSON.stringify(results).length,
  });
  // One id may come for several owners, and which of them is ours is not known yet.
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
