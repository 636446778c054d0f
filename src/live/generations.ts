import { createBoundedCache } from '../bounded-cache.ts';
import { bareResult, joinResults } from '../sources/current/openai.ts';

/** What is known here of one generation of one credential. */
export interface KnownGeneration {
  readonly contentId: string;
  /** When it was requested here, or else first waited for here, in epoch milliseconds. */
  readonly knownSince: number;
  /** True if it was requested with this credential through these processes: then it is the credential's own. */
  readonly startedHere: boolean;
  readonly status: 'COMPLETE' | 'PENDING' | 'EXPIRED';
  /** The service's record, as far as known. */
  readonly wire: object;
}

/** Receives changes of a credential's generations in other processes. */
export interface GenerationsListener {
  /** Called for a notification from another process, which may repeat known news; `again` marks a repetition. */
  readonly onNews: (known: KnownGeneration, again: boolean) => void;
  /** Called when notifications may have been missed. */
  readonly onGap: () => void;
}

/** The known generations, by the name of the credential's holder and the content id. */
export interface Generations {
  /** Returns what is known of it in this process. */
  find(holder: string, contentId: string): KnownGeneration | null;
  /** Records that the credential requested it. */
  start(holder: string, contentId: string, started: { wire: object; isFinished: boolean }): KnownGeneration;
  /** Records that it is waited for, if nothing is known of it yet. */
  await(holder: string, contentId: string): KnownGeneration;
  finish(holder: string, contentId: string, wire: unknown): KnownGeneration;
  /** Records that it is no longer waited for; a text that has arrived is kept. */
  expire(holder: string, contentId: string): KnownGeneration;
  /** Returns the generations that the credential requested and that have no text yet, as known to this process. */
  pending(holder: string): KnownGeneration[];
  /** Reads what other processes know of some generations, as far as possible, for a later `find`. */
  refresh(holder: string, contentIds: readonly string[]): Promise<void>;
  /** Reads what other processes know of pending generations, for a later `pending`. */
  refreshPending(holder: string): Promise<void>;
  /** Listens to notifications about the credential's generations from other processes, until the listener leaves. */
  listen(holder: string, listener: GenerationsListener): () => void;
}

/** The generations that one process knows by itself. */
export interface OwnGenerations extends Generations {
  /** Merges what another process knows with what is known here. */
  learn(holder: string, known: KnownGeneration): KnownGeneration;
  /** Returns the generations requested here, the latest first. */
  asked(): Iterable<KnownGeneration & { readonly holder: string }>;
}

const MAX_GENERATIONS = 20_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** How long a generation is kept after the wait for it may be over; later, the history has it. */
export const KEPT_MS = 60 * 60 * 1_000;

/**
 * Keeps generations in this process: up to 20,000 or 64 MiB, dropping the least recently used, each for an hour longer
 * than it is waited for.
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
      // The history may have shown the text before the call that requested it has returned.
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
    // There are no other processes.
    refresh: () => Promise.resolve(),
    refreshPending: () => Promise.resolve(),
    listen: () => () => undefined,
  };
}

/** A text that has arrived is never lost, and an expired generation was pending before. */
const RANK: Readonly<Record<KnownGeneration['status'], number>> = { PENDING: 0, EXPIRED: 1, COMPLETE: 2 };

/** Merges what two processes know of one generation. */
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
