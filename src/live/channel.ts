import { generationOf, type AiGenerationRecord } from '../records/ai-generation.ts';
import type { Drift } from '../sources/drift.ts';
import { createAttribution, type Attribution } from './attribution.ts';
import { createFeedLifecycle, type Feeds, type FeedsListener } from './feed-lifecycle.ts';
import type { Generations, KnownGeneration } from './generations.ts';
import { createDeduplication } from './deduplication.ts';
import { createPeerSync } from './peer-sync.ts';
import { createReaders, type Leave, type LiveReader, type Readers } from './readers.ts';

/** The options of a channel. */
export interface ChannelOptions {
  /** The name of the credential's holder. */
  readonly holder: string;
  readonly generations: Generations;
  readonly openFeeds: (listener: FeedsListener) => Feeds;
  /** How long to wait for a result, in milliseconds. */
  readonly maxWaitMs: number;
  readonly onDrift: (drift: Drift) => void;
  /** Called when the last reader has left and the feeds are closed. */
  readonly onIdle: () => void;
}

/** The live results of one credential, shared by all its readers through one set of feeds. */
export interface Channel {
  /** Delivers the state of one generation, then its end, and then ends. */
  read(contentId: string, reader: LiveReader): Leave;
  /** Delivers the end of each generation that the credential requested here, from now on. */
  follow(reader: LiveReader): Leave;
  /** Called when the credential has requested a generation. */
  started(generation: KnownGeneration): void;
  close(): void;
}

/** Creates a channel; its feeds are open from its first reader to its last. */
export function createChannel(options: ChannelOptions): Channel {
  const { holder, generations, maxWaitMs } = options;
  const recordOf = (known: KnownGeneration): AiGenerationRecord => generationOf(known, options.onDrift);
  const endOf = ({ knownSince }: KnownGeneration): number => knownSince + maxWaitMs;
  const readers = createReaders(() => readers.isEmpty() && feeds.leave());
  const followed = createDeduplication();
  const tell = (known: KnownGeneration, isNews = true): void =>
    readers.tell(recordOf(known), followed.isNew(known, isNews));
  const hint = (contentId: string): void => {
    if (readers.wanted().has(contentId)) feeds.lookSoon();
  };
  const attribution = createAttribution({ holder, generations, tell, hint });
  const expect = (known: KnownGeneration): void => readers.expect(known.contentId, endOf(known));
  const lookSoon = (): void => feeds.lookSoon();
  const { undecided } = followed;
  const parts = { holder, generations, readers, attribution, tell, endOf, lookSoon, undecided };
  const peers = createPeerSync(parts);
  const onClose = (): void => {
    peers.leave();
    options.onIdle();
  };
  const feeds = createFeedLifecycle({ openFeeds: options.openFeeds, listener: () => listener, onClose });
  const listener = listenerFor(options, { readers, attribution, tell });
  return {
    read(contentId, reader) {
      const known = generations.await(holder, contentId);
      // An expired generation may have completed since, so the history is read again before it is reported once more.
      if (known.status !== 'EXPIRED') reader.push(recordOf(known));
      if (known.status === 'COMPLETE') {
        reader.end();
        if (readers.isEmpty()) feeds.leave();
        return () => undefined;
      }
      const isExpected = readers.wanted().has(contentId);
      const leave = readers.add(contentId, endOf(known), reader);
      feeds.enter();
      void peers.compare([contentId], isExpected);
      return leave;
    },
    follow(reader) {
      const leave = readers.follow(reader);
      generations.pending(holder).forEach(expect);
      feeds.enter();
      void peers.catchUp();
      return leave;
    },
    started(known) {
      if (known.status === 'COMPLETE') tell(known);
      else peers.expect(known);
    },
    close() {
      readers.endAll(null);
      feeds.close();
    },
  };
}

interface Told {
  readonly readers: Readers;
  readonly attribution: Attribution;
  readonly tell: (known: KnownGeneration, isNews?: boolean) => void;
}

function listenerFor(
  { holder, generations }: ChannelOptions,
  { readers, attribution, tell }: Told,
): FeedsListener {
  return {
    wanted: () => readers.wanted(),
    onResult: (result) => attribution.take(result),
    onRefusal: (error) => readers.endAll(error),
    onOverdue: (contentIds) => {
      for (const contentId of contentIds) {
        // Followers were notified when it arrived, or expired for the first time.
        const isNews = (generations.find(holder, contentId)?.status ?? 'PENDING') === 'PENDING';
        tell(generations.expire(holder, contentId), isNews);
      }
    },
  };
}
