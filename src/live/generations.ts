import { createBoundedCache } from '../bounded-cache.ts';
import { bareResult, joinResults } from '../sources/current/openai.ts';

/** What is known here of one generation of one credential. */
export interface KnownGeneration {
  readonly contentId: string;
  /** When it was asked for here, or else first waited for here, in epoch milliseconds. */
  readonly knownSince: number;
  /** True when it was asked for with this credential, through these processes: then it is the credential's own. */
  readonly startedHere: boolean;
  readonly status: 'COMPLETE' | 'PENDING' | 'EXPIRED';
  /** The service's record, as far as it is known. */
  readonly wire: object;
}

/** Who waits for what becomes of a credential's generations in other processes. */
export interface GenerationsListener {
  /** Another process told of it; it need not be new here, and is not where it was told `again`. */
  readonly onNews: (known: KnownGeneration, again: boolean) => void;
  /** Something may have been missed. */
  readonly onGap: () => void;
}

/** The generations that are known, each by the name of its credential's holder and its content id. */
export interface Generations {
  /** What is known of it in this process. */
  find(holder: string, contentId: string): KnownGeneration | null;
  /** Notes that the credential asked for it. */
  start(holder: string, contentId: string, started: { wire: object; isFinished: boolean }): KnownGeneration;
  /** Notes that it is waited for, if nothing is known of it yet. */
  await(holder: string, contentId: string): KnownGeneration;
  finish(holder: string, contentId: string, wire: unknown): KnownGeneration;
  /** Notes that it is waited for no longer; a text that has come stays. */
  expire(holder: string, contentId: string): KnownGeneration;
  /** Those that the credential asked for and that have no text yet, as this process knows them. */
  pending(holder: string): KnownGeneration[];
  /** Reads what other processes know of some of them, as far as can be; afterwards `find` knows it too. */
  refresh(holder: string, contentIds: readonly string[]): Promise<void>;
  /** Reads what other processes know of those that are pending; afterwards `pending` knows it too. */
  refreshPending(holder: string): Promise<void>;
  /** Listens to what other processes tell of the credential's, until the listener leaves. */
  listen(holder: string, listener: GenerationsListener): () => void;
}

/** The generations that one process knows by itself. */
export interface OwnGenerations extends Generations {
  /** Joins what another process knows with what is known here. */
  learn(holder: string, known: KnownGeneration): KnownGeneration;
  /** Those that were asked for here, the latest first. */
  asked(): Iterable<KnownGeneration & { readonly holder: string }>;
}

const MAX_GENERATIONS = 20_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** How long a generation is known after the waiting for it may be over; later on, the history has it. */
export const KEPT_MS = 60 * 60 * 1_000;

/**
 * Keeps them in this process: up to 20,000 or 64 MiB, the longest unused forgotten first, each for an hour longer than
 * it is waited for.
 */
export function createGenerations(maxWaitMs: number): OwnGenerations {
  const known = createBoundedCache<KnownGeneration & { readonly holder: string }>({
    maxEntries: MAX_GENERATIONS,
    maxSize: MAX_BYTES,
    sizeOf: ({ wire }) => JSON.stringify(wire).length + 200,
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
        wire: isThere ? joinResults(wire, before.wire) : joinResults(before.wire, wire),
        status: isThere || isFinished ? 'COMPLETE' : 'PENDING',
      });
    },
    await: (holder, contentId) => keep(holder, orBlank(holder, contentId)),
    finish(holder, contentId, wire) {
      const before = orBlank(holder, contentId);
      return keep(holder, { ...before, status: 'COMPLETE', wire: joinResults(before.wire, wire) });
    },
    expire(holder, contentId) {
      const before = orBlank(holder, contentId);
      return before.status === 'COMPLETE' ? before : keep(holder, { ...before, status: 'EXPIRED' });
    },
    pending: (holder) =>
      [...known.values()].filter(
        (one) => one.holder === holder && one.startedHere && one.status === 'PENDING',
      ),
    learn(holder, theirs) {
      const ours = find(holder, theirs.contentId);
      return keep(holder, ours === null ? theirs : joinKnown(ours, theirs));
    },
    *asked() {
      for (const one of known.values()) if (one.startedHere) yield one;
    },
    // There are no others.
    refresh: () => Promise.resolve(),
    refreshPending: () => Promise.resolve(),
    listen: () => () => undefined,
  };
}

/** A text that has come does not go again, and what was given up was pending before. */
const RANK: Readonly<Record<KnownGeneration['status'], number>> = { PENDING: 0, EXPIRED: 1, COMPLETE: 2 };

/** What two processes know of one generation. */
function joinKnown(ours: KnownGeneration, theirs: KnownGeneration): KnownGeneration {
  const [earlier, later] = RANK[ours.status] > RANK[theirs.status] ? [theirs, ours] : [ours, theirs];
  return {
    ...later,
    knownSince: Math.min(ours.knownSince, theirs.knownSince),
    startedHere: ours.startedHere || theirs.startedHere,
    wire: joinResults(earlier.wire, later.wire),
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
