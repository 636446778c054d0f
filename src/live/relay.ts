import type { Config } from '../config.ts';
import { generationOf, type AiGenerationRecord, type StartedGeneration } from '../records/ai-generation.ts';
import { openHistoryFeed } from '../sources/ai-results/history.ts';
import { openPushFeed } from '../sources/ai-results/push.ts';
import type { CurrentClient } from '../sources/current/client.ts';
import type { Drift } from '../sources/drift.ts';
import { Channel, type Feeds, type FeedsListener, type LiveEvent, type LiveReader } from './channel.ts';
import { createReaderQueue, type EventQueue, type Leave } from './event-queue.ts';
import { Generations } from './generations.ts';
import type { Peers } from './peers.ts';

/** A caller waiting for live results. */
export interface LiveCaller {
  /** A name for the credential's holder that reveals nothing about the credential. */
  readonly holder: string;
  readonly apiKey: string;
  /** The caller's client, for calls that end with the signal. */
  readonly client: (signal: AbortSignal) => CurrentClient;
  /** Closes the connection of a caller that does not read. */
  readonly hangUp: () => void;
}

/** The dependencies of the relay. */
interface RelayParts {
  readonly config: Pick<Config, 'aiSocket' | 'aiResultMaxWaitMs' | 'aiPollIntervalMs' | 'currentMaxPageSize'>;
  readonly peers: Peers;
  readonly onDrift: (drift: Drift) => void;
}

/**
 * Relays the results of slow generations to waiting callers; one per process. Nothing is opened before somebody reads.
 */
export class Relay {
  readonly #parts: RelayParts;
  readonly #generations: Generations;
  readonly #channels = new Map<string, Channel>();
  #isClosed = false;

  constructor(parts: RelayParts) {
    this.#parts = parts;
    this.#generations = new Generations(parts.config.aiResultMaxWaitMs, parts.peers);
  }

  /** The number of credentials whose results are waited for. */
  get channels(): number {
    return this.#channels.size;
  }

  /** Returns the state of one generation, then its end. An Error ends the events. */
  read(caller: LiveCaller, contentId: string): AsyncIterableIterator<LiveEvent> {
    return this.#enter(caller, (reader) => this.#channelOf(caller).read(contentId, reader));
  }

  /** Returns the end of each generation that the credential requested here, from now until the caller leaves. */
  follow(caller: LiveCaller): AsyncIterableIterator<LiveEvent> {
    return this.#enter(caller, (reader) => this.#channelOf(caller).follow(reader));
  }

  /** Records that a generation was requested. */
  started(holder: string, { contentId, ...started }: StartedGeneration): void {
    this.#generations.start(holder, contentId, started);
  }

  /** Returns what is known of a generation that the credential requested here, or null. */
  recall(holder: string, contentId: string): AiGenerationRecord | null {
    const known = this.#generations.find(holder, contentId);
    return known?.startedHere ? generationOf(known, this.#parts.onDrift) : null;
  }

  /** Ends every reading and closes every feed. */
  close(): void {
    this.#isClosed = true;
    for (const channel of this.#channels.values()) channel.close();
  }

  #enter(caller: LiveCaller, begin: (reader: LiveReader) => Leave): EventQueue<LiveEvent> {
    const queue = createReaderQueue<LiveEvent>(caller, this.#isClosed ? () => () => undefined : begin);
    if (this.#isClosed) queue.end();
    return queue;
  }

  #channelOf(caller: LiveCaller): Channel {
    const { holder } = caller;
    const known = this.#channels.get(holder);
    if (known !== undefined) return known;
    const channel = new Channel({
      holder,
      generations: this.#generations,
      openFeeds: (listener) => openFeeds(caller, this.#parts, listener),
      maxWaitMs: this.#parts.config.aiResultMaxWaitMs,
      onDrift: this.#parts.onDrift,
      onIdle: () => this.#channels.delete(holder),
    });
    this.#channels.set(holder, channel);
    return channel;
  }
}

function openFeeds(
  { holder, apiKey, client }: LiveCaller,
  { config, peers, onDrift }: RelayParts,
  listener: FeedsListener,
): Feeds {
  const leaving = new AbortController();
  const topic = `history ${holder}`;
  // A longer interval than the wait would delay the end of the wait.
  const firstIntervalMs = Math.min(config.aiPollIntervalMs, config.aiResultMaxWaitMs);
  const history = openHistoryFeed(
    {
      client: client(leaving.signal),
      wanted: listener.wanted,
      isWantedElsewhere: listener.isPending,
      takeTurn: () => peers.takeTurn(topic, firstIntervalMs),
      onLooked: () => peers.publish(topic, {}),
      pageSize: config.currentMaxPageSize,
      firstIntervalMs,
    },
    listener,
  );
  const leavePeers = peers.listen(topic, {
    // The process that polled has looked for everything that was requested through these processes.
    onMessage() {
      if ([...listener.wanted().keys()].every(listener.isPending)) history.postpone();
    },
  });
  let wasDown = false;
  // Results that arrived while the socket was disconnected did not come through it.
  const onState = (isUp: boolean): void => {
    if (!isUp || wasDown) history.lookSoon();
    wasDown ||= !isUp;
  };
  const key = { apiKey, onDrift };
  const socket = config.aiSocket && openPushFeed(config.aiSocket, key, { ...listener, onState });
  return {
    lookSoon: () => history.lookSoon(),
    close() {
      leaving.abort();
      leavePeers();
      history.close();
      socket?.close();
    },
  };
}
