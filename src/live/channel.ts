import { createBoundedCache } from '../bounded-cache.ts';
import { generationOf, type AiGenerationRecord } from '../records/ai-generation.ts';
import type { Config } from '../config.ts';
import type {
  HistoryFeed,
  HistoryListener,
  HistorySearch,
  IncomingResult,
  Wanted,
} from '../sources/ai-results/history.ts';
import { openPushFeed } from '../sources/ai-results/push.ts';
import type { CurrentClient } from '../sources/current/client.ts';
import { isOfAnother } from '../sources/current/openai.ts';
import type { Drift } from '../sources/drift.ts';
import type { Leave, Reader, ReadingCaller } from './event-queue.ts';
import type { Generations, KnownGeneration } from './generations.ts';
import type { Peers } from './peers.ts';

/** A reader of live results. */
export type LiveReader = Reader<AiGenerationRecord>;

/** A caller waiting for live results. */
export interface LiveCaller extends ReadingCaller {
  readonly apiKey: string;
  /** The caller's client, for calls that end with the signal. */
  readonly client: (signal: AbortSignal) => CurrentClient;
}

/** The dependencies of the relay. */
export interface RelayParts {
  readonly config: Pick<Config, 'aiSocket' | 'aiResultMaxWaitMs' | 'aiPollIntervalMs' | 'currentMaxPageSize'>;
  readonly peers: Peers;
  readonly onDrift: (drift: Drift) => void;
}

/** The options of a channel. */
interface ChannelOptions extends RelayParts {
  readonly caller: LiveCaller;
  readonly generations: Generations;
  readonly openHistory: (
    search: HistorySearch,
    listener: HistoryListener,
  ) => Pick<HistoryFeed, 'lookSoon' | 'postpone' | 'close'>;
  /** Called when the last reader has left and the feeds are closed. */
  readonly onIdle: () => void;
}

/** How long the feeds stay open for another reader after the last has left, in milliseconds. */
const IDLE_MS = 1_000;
/** Results that nobody here has requested yet are kept for as long as the call that requests one may take. */
const UNATTRIBUTED = { maxEntries: 200, maxSize: 4 * 1024 * 1024, ttl: 60_000 } as const;
const MAX_UNATTRIBUTED_OF_ID = 8;

interface Wait {
  /** In epoch milliseconds. */
  endsAt: number;
  readonly readers: Set<LiveReader>;
}

/**
 * The live results of one credential, shared by all its readers through one set of feeds, which are open from the first
 * reader to the last.
 *
 * A push socket may deliver results of others, and ids may coincide, so its results only count for generations that the
 * credential requested through these processes. Results in the history are always the credential's own.
 */
export class Channel {
  readonly #options: ChannelOptions;
  /** The name of the credential's holder. */
  readonly #holder: string;
  /** Readers of single generations, and the generations that followers wait for. */
  readonly #waits = new Map<string, Wait>();
  readonly #followers = new Set<LiveReader>();
  readonly #unattributed = createBoundedCache<readonly IncomingResult[]>({
    ...UNATTRIBUTED,
    sizeOf: (results) => JSON.stringify(results).length,
  });
  readonly #leaveGenerations: Leave;
  #feeds: Pick<HistoryFeed, 'lookSoon' | 'close'> | null = null;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: ChannelOptions) {
    this.#options = options;
    this.#holder = options.caller.holder;
    this.#leaveGenerations = options.generations.listen(this.#holder, (now, before) =>
      this.#onChange(now, before),
    );
  }

  /** Delivers the state of one generation, then its end, and then ends. */
  read(contentId: string, reader: LiveReader): Leave {
    const known = this.#options.generations.await(this.#holder, contentId);
    // An expired generation may have completed since, so the history is read again before it is reported once more.
    if (known.status !== 'EXPIRED') reader.push(this.#recordOf(known));
    if (known.status === 'COMPLETE') {
      reader.end();
      this.#closeIfEmpty();
      return () => undefined;
    }
    const { readers } = this.#waitFor(known);
    readers.add(reader);
    this.#open();
    return () => void (readers.delete(reader) && this.#closeIfEmpty());
  }

  /** Delivers the end of each generation that the credential requested here, from now on. */
  follow(reader: LiveReader): Leave {
    this.#followers.add(reader);
    for (const known of this.#options.generations.pending(this.#holder)) this.#waitFor(known);
    this.#open();
    return () => void (this.#followers.delete(reader) && this.#closeIfEmpty());
  }

  /** Ends every reading and closes the feeds. */
  close(): void {
    this.#endAll(null);
    this.#closeFeeds();
  }

  #open(): void {
    clearTimeout(this.#idle);
    this.#idle = undefined;
    this.#feeds ??= this.#openFeeds();
    this.#feeds.lookSoon();
  }

  /** Opens the push socket, if configured, and the history. */
  #openFeeds() {
    const { caller, config, peers, onDrift, openHistory } = this.#options;
    const leaving = new AbortController();
    const topic = `history ${this.#holder}`;
    const wanted = (): Wanted => new Map([...this.#waits].map(([id, { endsAt }]) => [id, endsAt]));
    const isPending = (contentId: string): boolean => {
      const known = this.#find(contentId);
      return known?.startedHere === true && known.status === 'PENDING';
    };
    const onResult = (result: IncomingResult): void => this.#take(result);
    // A longer interval than the wait would delay the end of the wait.
    const firstIntervalMs = Math.min(config.aiPollIntervalMs, config.aiResultMaxWaitMs);
    const history = openHistory(
      {
        client: caller.client(leaving.signal),
        wanted,
        isWantedElsewhere: isPending,
        takeTurn: () => peers.takeTurn(topic, firstIntervalMs),
        onLooked: () => peers.publish(topic, {}),
        pageSize: config.currentMaxPageSize,
        firstIntervalMs,
      },
      { onResult, onRefusal: (error) => this.#endAll(error), onOverdue: (ids) => this.#expire(ids) },
    );
    const leavePeers = peers.listen(topic, {
      // The process that polled has looked for everything that was requested through these processes.
      onMessage() {
        if ([...wanted().keys()].every(isPending)) history.postpone();
      },
    });
    let wasUp = false;
    // Results that arrived while the socket was disconnected did not come through it.
    // Another failed attempt to connect changes nothing.
    const onState = (isUp: boolean): void => {
      if (isUp !== wasUp) history.lookSoon();
      wasUp = isUp;
    };
    const key = { apiKey: caller.apiKey, onDrift };
    const socket = config.aiSocket && openPushFeed(config.aiSocket, key, { onResult, onState });
    return {
      /** Polls soon, for a result that may already be available. */
      lookSoon: () => history.lookSoon(),
      close() {
        leaving.abort();
        leavePeers();
        history.close();
        socket?.close();
      },
    };
  }

  /** Ends the wait for these: a last poll of the history did not find them, or it could not be read. */
  #expire(contentIds: readonly string[]): void {
    // Followers were told by the change, the first time that it expired.
    for (const contentId of contentIds)
      this.#deliver(this.#options.generations.expire(this.#holder, contentId), []);
  }

  // Closes after a while, counted from when the last reader left, whatever was requested since.
  #closeIfEmpty(): void {
    for (const [id, { readers }] of this.#waits)
      if (readers.size === 0 && this.#followers.size === 0) this.#waits.delete(id);
    if (this.#waits.size + this.#followers.size === 0)
      this.#idle ??= setTimeout(() => this.#closeFeeds(), IDLE_MS).unref();
  }

  #closeFeeds(): void {
    clearTimeout(this.#idle);
    this.#feeds?.close();
    this.#feeds = null;
    this.#leaveGenerations();
    this.#options.onIdle();
  }

  #onChange(now: KnownGeneration, before: KnownGeneration | null): void {
    if (now.status !== 'PENDING') {
      const isNews = now.startedHere && !(before?.startedHere === true && before.status === now.status);
      this.#deliver(now, isNews ? [...this.#followers] : []);
    } else if (now.startedHere) this.#expect(now);
  }

  /** Handles a requested generation: takes its result if that has arrived already, and waits for it otherwise. */
  #expect(known: KnownGeneration): void {
    for (const result of this.#unattributed.get(known.contentId) ?? []) this.#take(result);
    if (this.#find(known.contentId)?.status === 'COMPLETE') return;
    if (this.#followers.size > 0 || this.#waits.has(known.contentId)) this.#waitFor(known);
    this.#feeds?.lookSoon();
  }

  #take(result: IncomingResult): void {
    const { contentId, wire, hasText, isProven } = result;
    const known = this.#find(contentId);
    if (known?.status === 'COMPLETE') return;
    const isOurs = isProven || (known?.startedHere === true && !isOfAnother(known.wire, wire));
    if (isOurs && hasText) this.#options.generations.finish(this.#holder, contentId, wire);
    else if (!isProven) {
      if (known?.startedHere !== true && hasText) this.#keepUnattributed(result);
      if (this.#waits.has(contentId)) this.#feeds?.lookSoon();
    }
  }

  // One id may arrive for several owners, and which one is ours is not known yet.
  #keepUnattributed(result: IncomingResult): void {
    const others = this.#unattributed.get(result.contentId) ?? [];
    this.#unattributed.set(result.contentId, [...others, result].slice(-MAX_UNATTRIBUTED_OF_ID));
  }

  #find(contentId: string): KnownGeneration | null {
    return this.#options.generations.find(this.#holder, contentId);
  }

  #waitFor({ contentId, knownSince }: KnownGeneration): Wait {
    const endsAt = knownSince + this.#options.config.aiResultMaxWaitMs;
    const wait = this.#waits.get(contentId) ?? { endsAt, readers: new Set() };
    wait.endsAt = Math.min(wait.endsAt, endsAt);
    this.#waits.set(contentId, wait);
    return wait;
  }

  /** Delivers the end of a generation: its readers are then finished, followers continue. */
  #deliver(known: KnownGeneration, followers: readonly LiveReader[]): void {
    const readers = [...(this.#waits.get(known.contentId)?.readers ?? [])];
    this.#waits.delete(known.contentId);
    if (readers.length + followers.length > 0) {
      const record = this.#recordOf(known);
      for (const reader of [...readers, ...followers]) reader.push(record);
    }
    for (const reader of readers) reader.end();
    this.#closeIfEmpty();
  }

  #endAll(error: Error | null): void {
    const readers = [...this.#followers, ...[...this.#waits.values()].flatMap((wait) => [...wait.readers])];
    this.#waits.clear();
    this.#followers.clear();
    if (error) for (const reader of readers) reader.push(error);
    for (const reader of readers) reader.end();
    this.#closeIfEmpty();
  }

  #recordOf(known: KnownGeneration): AiGenerationRecord {
    return generationOf(known, this.#options.onDrift);
  }
}
