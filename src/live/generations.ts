import { LRUCache } from 'lru-cache';
import { bareResult, joinResults } from '../sources/current/openai.ts';

/** What this process knows of one generation of one credential. */
export interface KnownGeneration {
  readonly contentId: string;
  /** When it was asked for here, or else first waited for here, in epoch milliseconds. */
  readonly knownSince: number;
  /** True when it was asked for with this credential, through this process: then it is the credential's own. */
  readonly startedHere: boolean;
  readonly status: 'COMPLETE' | 'PENDING' | 'EXPIRED';
  /** The service's record, as far as it is known. */
  readonly wire: object;
}

/** The generations that this process knows, each by the name of its credential's holder and its content id. */
export interface Generations {
  find(holder: string, contentId: string): KnownGeneration | null;
  /** Notes that the credential asked for it. */
  start(holder: string, contentId: string, started: { wire: object; isFinished: boolean }): KnownGeneration;
  /** Notes that it is waited for, if nothing is known of it yet. */
  await(holder: string, contentId: string): KnownGeneration;
  finish(holder: string, contentId: string, wire: unknown): KnownGeneration;
  expire(holder: string, contentId: string): KnownGeneration;
  /** Those that the credential asked for and that have no text yet. */
  pending(holder: string): KnownGeneration[];
}

const MAX_GENERATIONS = 20_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** How long a generation is known after the waiting for it may be over; later on, the history has it. */
const KEPT_MS = 60 * 60 * 1_000;

/**
 * Keeps them in this process: up to 20,000 or 64 MiB, the longest unused forgotten first, each for an hour longer than
 * it is waited for.
 */
export function createGenerations(maxWaitMs: number): Generations {
  const known = new LRUCache<string, KnownGeneration & { readonly holder: string }>({
    max: MAX_GENERATIONS,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ wire }) => JSON.stringify(wire).length + 200,
    ttl: maxWaitMs + KEPT_MS,
  });
  const keep = (holder: string, generation: KnownGeneration): KnownGeneration => {
    known.set(nameOf(holder, generation.contentId), { ...generation, holder });
    return generation;
  };
  const find = (holder: string, contentId: string): KnownGeneration | null =>
    known.get(nameOf(holder, contentId)) ?? null;
  const orBlank = (holder: string, contentId: string) => find(holder, contentId) ?? blank(contentId);
  return {
    find,
    start(holder, contentId, { wire, isFinished }) {
      const before = orBlank(holder, contentId);
      // The history may have shown the text before the call that asked for it has answered.
      const isThere = before.status === 'COMPLETE';
      return keep(holder, {
        ...before,
        startedHere: true,
        wire: isThere ? joinResults(wire, before.wire) : wire,
        status: isThere || isFinished ? 'COMPLETE' : 'PENDING',
      });
    },
    await: (holder, contentId) => keep(holder, orBlank(holder, contentId)),
    finish(holder, contentId, wire) {
      const before = orBlank(holder, contentId);
      return keep(holder, { ...before, status: 'COMPLETE', wire: joinResults(before.wire, wire) });
    },
    expire: (holder, contentId) => keep(holder, { ...orBlank(holder, contentId), status: 'EXPIRED' }),
    pending: (holder) =>
      [...known.values()].filter(
        (one) => one.holder === holder && one.startedHere && one.status === 'PENDING',
      ),
  };
}

function blank(contentId: string): KnownGeneration {
  return {
    contentId,
    knownSince: Date.now(),
    startedHere: false,
    status: 'PENDING',
    wire: bareResult(contentId),
  };
}

function nameOf(holder: string, contentId: string): string {
  return `${holder} ${contentId}`;
}
