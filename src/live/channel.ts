import { LRUCache } from 'lru-cache';
import { generationOf, type AiGenerationRecord } from '../records/ai-generation.ts';
import type { IncomingResult } from '../sources/ai-results/feed.ts';
import { isOfAnother } from '../sources/current/openai.ts';
import type { SourceError } from '../sources/errors.ts';
import type { Drift } from '../sources/view.ts';
import type { Generations, KnownGeneration } from './generations.ts';
import { createReaders, type Leave, type LiveReader } from './readers.ts';

/** The ways by which results come to one channel: the push socket, where there is one, and the history. */
export interface Ways {
  /** Look soon: something is waited for that may be there. */
  lookSoon(): void;
  close(): void;
}

/** What a channel is told by its ways, and asked. */
export interface WaysListener {
  /** The content ids that are waited for, each with the end of the waiting, in epoch milliseconds. */
  readonly wanted: () => ReadonlyMap<string, number>;
  readonly onResult: (result: IncomingResult) => void;
  /** The credential is not accepted any more. */
  readonly onRefusal: (error: SourceError) => void;
  /** The waiting for these is over: the history was looked through once more, and does not hold them. */
  readonly onOverdue: (contentIds: readonly string[]) => void;
}

/** What a channel is made of. */
export interface ChannelOptions {
  /** The name of the credential's holder. */
  readonly holder: string;
  readonly generations: Generations;
  readonly openWays: (listener: WaysListener) => Ways;
  /** How long a result is waited for, in milliseconds. */
  readonly maxWaitMs: number;
  readonly onDrift: (drift: Drift) => void;
  /** Called when nobody reads any more and the ways are closed. */
  readonly onIdle: () => void;
}

/** The live results of one credential: however many read them, they come by one set of ways. */
export interface Channel {
  /** Tells the state of one generation, then its end, and then no more. */
  read(contentId: string, reader: LiveReader): Leave;
  /** Tells the end of each generation that the credential asked for here, from now on. */
  follow(reader: LiveReader): Leave;
  /** A generation was asked for with the credential. */
  started(generation: KnownGeneration): void;
  close(): void;
}

/** Results that nobody here has asked for yet are kept for as long as the call that asks for one may take. */
const UNCLAIMED = { max: 200, maxSize: 4 * 1024 * 1024, ttl: 60_000 } as const;
const MAX_UNCLAIMED_OF_ID = 8;
/** How long after the last reader has left the ways stay open for a next one, in milliseconds. */
const IDLE_MS = 1_000;

/** Makes a channel; its ways are open from its first reader to its last. */
export function createChannel(options: ChannelOptions): Channel {
  const { holder, generations, maxWaitMs } = options;
  const readers = createReaders(() => readers.isEmpty() && door.leave());
  const door = createDoor(options, () => listener);
  const recordOf = (known: KnownGeneration): AiGenerationRecord => generationOf(known, options.onDrift);
  const endOf = ({ knownSince }: KnownGeneration): number => knownSince + maxWaitMs;
  const tell = (known: KnownGeneration, isNews = true): void =>
    readers.tell(recordOf(known), isNews && known.startedHere);
  const claim = claiming(options, { tell, hint: (id) => readers.wanted().has(id) && door.lookSoon() });
  const listener: WaysListener = {
    wanted: () => readers.wanted(),
    onResult: (result) => claim.take(result),
    onRefusal: (error) => readers.endAll(error),
    onOverdue: (contentIds) => {
      for (const contentId of contentIds) {
        // Those who follow have heard of it when it was given up for the first time.
        const isNews = generations.find(holder, contentId)?.status !== 'EXPIRED';
        tell(generations.expire(holder, contentId), isNews);
      }
    },
  };
  return {
    read(contentId, reader) {
      const known = generations.await(holder, contentId);
      // What was given up may have come about since: the history is asked once more before that is said again.
      if (known.status !== 'EXPIRED') reader.push(recordOf(known));
      if (known.status === 'COMPLETE') {
        reader.end();
        if (readers.isEmpty()) door.leave();
        return () => undefined;
      }
      const leave = readers.add(contentId, endOf(known), reader);
      door.enter();
      return leave;
    },
    follow(reader) {
      const leave = readers.follow(reader);
      for (const known of generations.pending(holder)) readers.expect(known.contentId, endOf(known));
      door.enter();
      return leave;
    },
    started(known) {
      if (known.status === 'COMPLETE') tell(known);
      else if (!claim.early(known.contentId)) {
        readers.expect(known.contentId, endOf(known));
        door.lookSoon();
      }
    },
    close() {
      readers.endAll(null);
      door.close();
    },
  };
}

interface Door {
  /** Opens the ways, if they are not open, and has them look. */
  enter(): void;
  /** Has them look, if they are open. */
  lookSoon(): void;
  /** Closes them in a while, unless somebody enters. */
  leave(): void;
  close(): void;
}

function createDoor({ openWays, onIdle }: ChannelOptions, listener: () => WaysListener): Door {
  let ways: Ways | null = null;
  let idle: NodeJS.Timeout | undefined;
  const close = (): void => {
    clearTimeout(idle);
    ways?.close();
    ways = null;
    onIdle();
  };
  return {
    enter() {
      clearTimeout(idle);
      idle = undefined;
      ways ??= openWays(listener());
      ways.lookSoon();
    },
    lookSoon: () => ways?.lookSoon(),
    // Counted from when the last reader left, whatever is asked for since.
    leave: () => void (idle ??= setTimeout(close, IDLE_MS).unref()),
    close,
  };
}

interface Claims {
  /** Takes what came by one of the ways: tells it, keeps it, or has it looked for. */
  take(result: IncomingResult): void;
  /** Tells what came before it was asked for; false if nothing did. */
  early(contentId: string): boolean;
}

// Whose a result is. A socket may carry what belongs to others, and ids may be alike: its word counts for what this
// credential has asked for through this process, and for nothing else. What the history says is the credential's own.
function claiming(
  { holder, generations }: ChannelOptions,
  { tell, hint }: { tell: (known: KnownGeneration) => void; hint: (contentId: string) => void },
): Claims {
  const unclaimed = new LRUCache<string, readonly IncomingResult[]>({
    ...UNCLAIMED,
    sizeCalculation: (results) => JSON.stringify(results).length,
  });
  // One id may come for several owners, and which of them is ours is not known yet.
  const keep = (result: IncomingResult): void => {
    const others = unclaimed.get(result.contentId) ?? [];
    unclaimed.set(result.contentId, [...others, result].slice(-MAX_UNCLAIMED_OF_ID));
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
      for (const result of unclaimed.get(contentId) ?? []) take(result);
      return generations.find(holder, contentId)?.status === 'COMPLETE';
    },
  };
}
