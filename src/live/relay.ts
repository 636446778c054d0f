import type { Config } from '../config.ts';
import { generationOf, type AiGenerationRecord, type StartedGeneration } from '../records/ai-generation.ts';
import { openHistoryFeed } from '../sources/ai-results/history.ts';
import { openPushFeed } from '../sources/ai-results/push.ts';
import type { CurrentClient } from '../sources/current/client.ts';
import type { Drift } from '../sources/drift.ts';
import { createChannel, type Channel } from './channel.ts';
import type { Feeds, FeedsListener } from './feed-lifecycle.ts';
import type { EventQueue } from './event-queue.ts';
import type { Generations } from './generations.ts';
import type { Candidacy, PollLeader } from './poll-leader.ts';
import { createReaderQueue } from './reader-queue.ts';
import type { Leave, LiveEvent, LiveReader } from './readers.ts';

/** A caller who waits for live results. */
export interface LiveCaller {
  /** A name for the credential's holder that tells nothing of the credential. */
  readonly holder: string;
  readonly apiKey: string;
  /** The caller's client, for calls that end with the signal. */
  readonly client: (signal: AbortSignal) => CurrentClient;
  /** Ends the caller's connection, when it does not read what it is sent. */
  readonly hangUp: () => void;
}

/** Relays the results of slow generations to those who wait for them; one for the process. */
export interface Relay {
  /** The state of one generation, then its end. An Error ends the events. */
  read(caller: LiveCaller, contentId: string): AsyncIterableIterator<LiveEvent>;
  /** The end of each generation that the caller's credential asked for here, from now on, until the caller leaves. */
  follow(caller: LiveCaller): AsyncIterableIterator<LiveEvent>;
  /** Notes that a generation was asked for. */
  started(holder: string, generation: StartedGeneration): void;
  /** What is known of a generation that the credential asked for here, or null. */
  recall(holder: string, contentId: string): Promise<AiGenerationRecord | null>;
  /** For how many credentials results are waited for. */
  readonly channels: number;
  /** Ends every reading and closes every feed. */
  close(): void;
}

/** What the relay is made of. */
export interface RelayParts {
  readonly config: Pick<Config, 'aiSocket' | 'aiResultMaxWaitMs' | 'aiPollIntervalMs' | 'currentMaxPageSize'>;
  readonly generations: Generations;
  readonly pollLeader: PollLeader;
  readonly onDrift: (drift: Drift) => void;
}

/** Makes the relay; nothing is opened before somebody reads. */
export function createRelay(parts: RelayParts): Relay {
  const { config, generations, onDrift } = parts;
  const channels = new Map<string, Channel>();
  let isClosed = false;
  const channelOf = (caller: LiveCaller): Channel => {
    const { holder } = caller;
    const channel =
      channels.get(holder) ??
      createChannel({
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
    started(holder, { contentId, ...started }) {
      const known = generations.start(holder, contentId, started);
      channels.get(holder)?.started(known);
    },
    async recall(holder, contentId) {
      if (generations.find(holder, contentId)?.status !== 'COMPLETE')
        await generations.refresh(holder, [contentId]);
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
  { config, pollLeader, onDrift }: RelayParts,
  listener: FeedsListener,
): Feeds {
  const leaving = new AbortController();
  const candidacy: Candidacy = pollLeader.open(holder, {
    wanted: listener.wanted,
    onTurn: () => history.lookSoon(),
  });
  const history = openHistoryFeed(
    {
      client: client(leaving.signal),
      wanted: listener.wanted,
      ask: () => candidacy.ask(),
      rest: () => candidacy.rest(),
      pageSize: config.currentMaxPageSize,
      // An interval beyond the end of the waiting would put the end off.
      firstIntervalMs: Math.min(config.aiPollIntervalMs, config.aiResultMaxWaitMs),
    },
    listener,
  );
  let wasDown = false;
  // What came while the socket was away did not come by it.
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
      history.close();
      socket?.close();
    },
  };
}
