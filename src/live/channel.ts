import { generationOf, type AiGenerationRecord } from '../records/ai-generation.ts';
import type { Drift } from '../sources/view.ts';
import { createClaims, type Claims } from './claims.ts';
import { createDoor, type Ways, type WaysListener } from './door.ts';
import type { Generations, KnownGeneration } from './generations.ts';
import { createNovelty } from './novelty.ts';
import { attend } from './others.ts';
import { createReaders, type Leave, type LiveReader, type Readers } from './readers.ts';

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

/** Makes a channel; its ways are open from its first reader to its last. */
export function createChannel(options: ChannelOptions): Channel {
  const { holder, generations, maxWaitMs } = options;
  const recordOf = (known: KnownGeneration): AiGenerationRecord => generationOf(known, options.onDrift);
  const endOf = ({ knownSince }: KnownGeneration): number => knownSince + maxWaitMs;
  const readers = createReaders(() => readers.isEmpty() && door.leave());
  const isNewToFollowers = createNovelty();
  const tell = (known: KnownGeneration, isNews = true): void =>
    readers.tell(recordOf(known), isNews && known.startedHere && isNewToFollowers(known));
  const hint = (contentId: string): void => {
    if (readers.wanted().has(contentId)) door.lookSoon();
  };
  const claims = createClaims({ holder, generations, tell, hint });
  const expect = (known: KnownGeneration): void => readers.expect(known.contentId, endOf(known));
  const lookSoon = (): void => door.lookSoon();
  const others = attend({ holder, generations, readers, claims, tell, endOf, lookSoon });
  const onClose = (): void => {
    others.leave();
    options.onIdle();
  };
  const door = createDoor({ openWays: options.openWays, listener: () => listener, onClose });
  const listener = listenerFor(options, { readers, claims, tell });
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
      const isExpected = readers.wanted().has(contentId);
      const leave = readers.add(contentId, endOf(known), reader);
      door.enter();
      void others.compare([contentId], isExpected);
      return leave;
    },
    follow(reader) {
      const leave = readers.follow(reader);
      generations.pending(holder).forEach(expect);
      door.enter();
      void others.catchUp();
      return leave;
    },
    started(known) {
      if (known.status === 'COMPLETE') tell(known);
      else others.expect(known);
    },
    close() {
      readers.endAll(null);
      door.close();
    },
  };
}

interface Told {
  readonly readers: Readers;
  readonly claims: Claims;
  readonly tell: (known: KnownGeneration, isNews?: boolean) => void;
}

function listenerFor({ holder, generations }: ChannelOptions, { readers, claims, tell }: Told): WaysListener {
  return {
    wanted: () => readers.wanted(),
    onResult: (result) => claims.take(result),
    onRefusal: (error) => readers.endAll(error),
    onOverdue: (contentIds) => {
      for (const contentId of contentIds) {
        // Those who follow have heard of it when it came, or was given up for the first time.
        const isNews = (generations.find(holder, contentId)?.status ?? 'PENDING') === 'PENDING';
        tell(generations.expire(holder, contentId), isNews);
      }
    },
  };
}
