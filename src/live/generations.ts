import { createBoundedCache } from '../bounded-cache.ts';
import type { AiGenerationStatus } from '../records/ai-generation.ts';
import { bareResult, joinResults } from '../sources/current/openai.ts';
import type { Peers } from './peers.ts';

/** What is known of one generation of one credential. */
export interface KnownGeneration {
  readonly contentId: string;
  /** When it was requested, or else first waited for, in epoch milliseconds. */
  readonly knownSince: number;
  /** True if it was requested with this credential through these processes: then it is the credential's own. */
  readonly startedHere: boolean;
  readonly status: AiGenerationStatus;
  /** The service's record, as far as known. */
  readonly wire: object;
}

/** Called when a generation of a credential has changed, here or in another process. */
type GenerationListener = (now: KnownGeneration, before: KnownGeneration | null) => void;

interface Held extends KnownGeneration {
  readonly holder: string;
}

interface Kept extends Held {
  /** A `performance.now` time. */
  readonly changedAt: number;
}

/** A message between processes: what became known, or a request for what was missed. */
type Message =
  | { readonly kind: 'known'; readonly generations: readonly Held[] }
  | { readonly kind: 'missed'; readonly ms: number };

const TOPIC = 'generations';
const AT_ONCE = 100;
const MAX_GENERATIONS = 20_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** How long a generation is kept after the wait for it may be over; later, the history has it. */
const KEPT_MS = 60 * 60 * 1_000;

/**
 * The known generations, by the name of the credential's holder and the content id: up to 20,000 or 64 MiB, dropping the
 * least recently used, each for an hour longer than it is waited for. Every process tells the others what it learns.
 *
 * Requested ones that are pending have as much room of their own: any number of them would be dropped for one text, and
 * then no result from a socket would count for them, and no follower would be told.
 */
export class Generations {
  readonly #pending;
  readonly #others;
  readonly #listeners = new Map<string, Set<GenerationListener>>();
  readonly #peers: Peers;

  constructor(maxWaitMs: number, peers: Peers) {
    this.#peers = peers;
    this.#pending = createCache(maxWaitMs + KEPT_MS);
    this.#others = createCache(maxWaitMs + KEPT_MS);
    peers.listen<Message>(TOPIC, {
      onMessage: (message) => {
        if (message.kind === 'known') for (const one of message.generations) this.#learn(one);
        else if (message.kind === 'missed') this.#tellSince(message.ms);
      },
      onJoin: (missedMs) => {
        this.#tellSince(missedMs);
        peers.publish(TOPIC, { kind: 'missed', ms: missedMs } satisfies Message);
      },
    });
  }

  find(holder: string, contentId: string): KnownGeneration | null {
    const name = nameOf(holder, contentId);
    return this.#pending.get(name) ?? this.#others.get(name) ?? null;
  }

  /** Records that the credential requested it. */
  start(holder: string, contentId: string, started: { wire: object; isFinished: boolean }): void {
    const before = this.#orBlank(holder, contentId);
    // The history may have shown the text before the call that requested it has returned.
    const isThere = before.status === 'COMPLETE';
    this.#tell(holder, {
      ...before,
      startedHere: true,
      wire: isThere ? joinResults(started.wire, before.wire) : joinResults(before.wire, started.wire),
      status: isThere || started.isFinished ? 'COMPLETE' : 'PENDING',
    });
  }

  /** Records that it is waited for, if nothing is known of it yet. */
  await(holder: string, contentId: string): KnownGeneration {
    return this.#keep(holder, this.#orBlank(holder, contentId));
  }

  /** Records its text. */
  finish(holder: string, contentId: string, wire: unknown): void {
    const before = this.#orBlank(holder, contentId);
    this.#tell(holder, { ...before, status: 'COMPLETE', wire: joinResults(before.wire, wire) });
  }

  /** Records that it is no longer waited for; a text that has arrived is kept. */
  expire(holder: string, contentId: string): KnownGeneration {
    const before = this.#orBlank(holder, contentId);
    return before.status === 'COMPLETE' ? before : this.#tell(holder, { ...before, status: 'EXPIRED' });
  }

  /** Returns the generations that the credential requested and that have no text yet. */
  pending(holder: string): KnownGeneration[] {
    return [...this.#pending.values()].filter((one) => one.holder === holder);
  }

  /** Listens to changes of a credential's generations until the returned function is called. */
  listen(holder: string, listener: GenerationListener): () => void {
    const listeners = this.#listeners.get(holder) ?? new Set();
    this.#listeners.set(holder, listeners.add(listener));
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) this.#listeners.delete(holder);
    };
  }

  #orBlank(holder: string, contentId: string): KnownGeneration {
    return this.find(holder, contentId) ?? blank(contentId);
  }

  #tell(holder: string, now: KnownGeneration): KnownGeneration {
    this.#peers.publish(TOPIC, { kind: 'known', generations: [{ ...now, holder }] } satisfies Message);
    return this.#keep(holder, now);
  }

  /** Merges what another process knows with what is known here. */
  #learn({ holder, ...theirs }: Held): void {
    const ours = this.find(holder, theirs.contentId);
    this.#keep(holder, ours === null ? theirs : joinKnown(ours, theirs));
  }

  #keep(holder: string, now: KnownGeneration): KnownGeneration {
    const before = this.find(holder, now.contentId);
    const name = nameOf(holder, now.contentId);
    const [room, other] = isPending(now) ? [this.#pending, this.#others] : [this.#others, this.#pending];
    other.delete(name);
    room.set(name, { ...now, holder, changedAt: performance.now() });
    if (before === null || !isAlike(before, now))
      for (const listener of this.#listeners.get(holder) ?? []) listener(now, before);
    return now;
  }

  /** Tells the others what is pending, and what has changed within so many milliseconds. */
  #tellSince(missedMs: number): void {
    const since = performance.now() - missedMs;
    const others = [...this.#others.values()].filter((one) => one.changedAt > since);
    const all = [...this.#pending.values(), ...others];
    for (let first = 0; first < all.length; first += AT_ONCE) {
      const generations = all.slice(first, first + AT_ONCE);
      this.#peers.publish(TOPIC, { kind: 'known', generations } satisfies Message);
    }
  }
}

function createCache(ttl: number) {
  return createBoundedCache<Kept>({
    maxEntries: MAX_GENERATIONS,
    maxSize: MAX_BYTES,
    sizeOf: ({ wire }) => JSON.stringify(wire).length + 200,
    ttl,
  });
}

const isPending = ({ startedHere, status }: KnownGeneration): boolean => startedHere && status === 'PENDING';

const isAlike = (one: KnownGeneration, other: KnownGeneration): boolean =>
  one.status === other.status && one.startedHere === other.startedHere && one.knownSince === other.knownSince;

/** A text that has arrived is never lost, and an expired generation was pending before. */
const RANK: Readonly<Record<AiGenerationStatus, number>> = { PENDING: 0, EXPIRED: 1, COMPLETE: 2 };

/** Merges what two processes know of one generation. */
function joinKnown(ours: KnownGeneration, theirs: KnownGeneration): KnownGeneration {
  const [earlier, later] = RANK[ours.status] > RANK[theirs.status] ? [theirs, ours] : [ours, theirs];
  return {
    contentId: later.contentId,
    knownSince: Math.min(ours.knownSince, theirs.knownSince),
    startedHere: ours.startedHere || theirs.startedHere,
    status: later.status,
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
