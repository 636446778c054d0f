import type { Config } from '../config.ts';
import { generationOf, type AiGenerationRecord, type StartedGeneration } from '../records/ai-generation.ts';
import { HistoryFeed } from '../sources/ai-results/history.ts';
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

/** Relays the results of slow generations to waiting callers; one per process. */
export interface Relay {
  /** Returns the state of one generation, then its end. An Error ends the events. */
  read(caller: LiveCaller, contentId: string): AsyncIterableIterator<LiveEvent>;
  /** Returns the end of each generation that the credential requested here, from now until the caller leaves. */
  follow(caller: LiveCaller): AsyncIterableIterator<LiveEvent>;
  /** Records that a generation was requested. */
  started(holder: string, generation: StartedGeneration): void;
  /** Returns what is known of a generation that the credential requested here, or null. */
  recall(holder: string, contentId: string): AiGenerationRecord | null;
  /** The number of credentials whose results are waited for. */
  readonly channels: number;
  /** Ends every reading and closes every feed. */
  close(): void;
}

/** The dependencies of the relay. */
interface RelayParts {
  readonly config: Pick<Config, 'aiSocket' | 'aiResultMaxWaitMs' | 'aiPollIntervalMs' | 'currentMaxPageSize'>;
  readonly peers: Peers;
  readonly onDrift: (drift: Drift) => void;
}

/** Creates the relay; nothing is opened before somebody reads. */
export function createRelay(parts: RelayParts): Relay {
  const { config, peers, onDrift } = parts;
  const generations = new Generations(config.aiResultMaxWaitMs, peers);
  const channels = new Map<string, Channel>();
  let isClosed = false;
  const channelOf = (caller: LiveCaller): Channel => {
    const { holder } = caller;
    const channel =
      channels.get(holder) ??
      new Channel({
        holder,
        generations,
        openFeeds: (listener) => openFeeds(caller, parts, listener),
        maxWaitMs: config.aiResultMaxWaitMs,
        onDrift,
        onIdle: () => channels.delete(holder),
      });
    channels.set(holder, channel);
    return channel;
  };
  const enter = (caller: LiveCaller, begin: (reader: LiveReader) => Leave): EventQueue<LiveEvent> => {
    const queue = createReaderQueue<LiveEvent>(caller, isClosed ? () => GONE : begin);
    if (isClosed) queue.end();
    return queue;
  };
  return {
    read: (caller, contentId) => enter(caller, (reader) => channelOf(caller).read(contentId, reader)),
    follow: (caller) => enter(caller, (reader) => channelOf(caller).follow(reader)),
    started: (holder, { contentId, ...started }) => generations.start(holder, contentId, started),
    recall(holder, contentId) {
      const known = generations.find(holder, contentId);
      return known?.startedHere ? generationOf(known, onDrift) : null;
    },
    get channels() {
      return channels.size;
    },
    close() {
      isClosed = true;
      for (const channel of channels.values()) channel.close();
    },
  };
}

const GONE: Leave = () => undefined;

function openFeeds(
  { holder, apiKey, client }: LiveCaller,
  { config, peers, onDrift }: RelayParts,
  listener: FeedsListener,
): Feeds {
  const leaving = new AbortController();
  const topic = `history ${holder}`;
  // A longer interval than the wait would delay the end of the wait.
  const firstIntervalMs = Math.min(config.aiPollIntervalMs, config.aiResultMaxWaitMs);
  const history = new HistoryFeed(
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
