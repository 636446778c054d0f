import { createCredentialHash, type HashCredential } from './credential-hash.ts';
import type { Config } from '../config.ts';
import { createGenerations, type Generations } from '../live/generations.ts';
import { createPollLeader, type PollLeader } from '../live/poll-leader.ts';
import { createObservationExchange, type ObservationExchange } from '../watch/sharing.ts';
import type { Log } from '../observability/log.ts';
import { openDataDirectory } from '../journal/data-directory.ts';
import type { DiskJournal } from '../journal/disk.ts';
import { createOpenAuthorizations, type OpenAuthorizations } from './open-authorizations.ts';
import { createRedisGenerations } from './redis/generations.ts';
import { createRedisObservationExchange } from './redis/observations.ts';
import { openRedisLink } from './redis/link.ts';
import { createRedisPollLeader } from './redis/poll-leader.ts';
import { openNews } from './redis/news.ts';
import { createRedisOpenAuthorizations } from './redis/open-authorizations.ts';
import { createRedisRateLimitGate } from './redis/rate-limit-gate.ts';
import { createRedisKeyedMutex } from './redis/keyed-mutex.ts';
import { createRedisJournal } from './redis/journal.ts';
import type { Surface } from '../sources/errors.ts';
import { createRateLimitGate, type RateLimitGate } from '../sources/upstream/rate-limit-gate.ts';
import type { WriteJournal } from '../journal/journal.ts';
import { createMemoryJournal } from '../journal/memory.ts';
import { createKeyedMutex, type KeyedMutex } from '../journal/locks.ts';

/** The state that processes must agree on. */
export interface Coordination {
  readonly hashCredential: HashCredential;
  readonly journal: WriteJournal;
  readonly mutex: KeyedMutex;
  readonly generations: Generations;
  readonly pollLeader: PollLeader;
  readonly observations: ObservationExchange;
  readonly rateLimitGates: Readonly<Record<Surface, RateLimitGate>>;
  readonly openAuthorizations: OpenAuthorizations;
  /** Whether the processes can coordinate at the moment; null for a single process. */
  readonly isAgreed: () => boolean | null;
  /** Why they cannot, in brief; null if they can, or for a single process. */
  readonly disagreement: () => string | null;
  /** Whether writes with a key can be recorded on disk at the moment; null if they are recorded elsewhere. */
  readonly isJournalWritable: () => boolean | null;
  /** Resolves once coordination has been tried and the disk can be used; rejects if the disk cannot be used. */
  readonly tried: Promise<void>;
  close(): Promise<void>;
}

type CoordinationConfig = Pick<Config, 'redis' | 'dataDirectory' | 'aiResultMaxWaitMs'>;

/**
 * Opens the coordination of a single process, with a journal on disk or in memory, or of several through Redis.
 *
 * @throws ConfigError if the data directory cannot be used; if that is detected later, `tried` rejects with it
 */
export function openCoordination(config: CoordinationConfig, log: Log): Coordination {
  const { redis, dataDirectory } = config;
  if (redis !== null) return openRedis({ ...config, redis }, log);
  return dataDirectory === null ? alone(config) : withDisk({ ...config, dataDirectory }, log);
}

function withDisk(config: CoordinationConfig & { readonly dataDirectory: string }, log: Log) {
  const { secret, openJournal } = openDataDirectory(config.dataDirectory, log);
  let opened: DiskJournal | null = null;
  let opening: Promise<DiskJournal> | null = null;
  const open = async (): Promise<DiskJournal> => {
    try {
      return (opened = await openJournal());
    } catch (error) {
      opening = null;
      throw error;
    }
  };
  // Opened again for each use after a failure: the process that held the folder may have ended.
  const journal = (): Promise<DiskJournal> => (opening ??= open());
  const tried = journal().then(() => undefined);
  // Prevents an unhandled rejection; callers that await it still see the error.
  tried.catch(() => undefined);
  return {
    ...alone(config),
    hashCredential: createCredentialHash(secret),
    journal: {
      find: async (key) => (await journal()).find(key),
      begin: async (key, record) => (await journal()).begin(key, record),
      finish: async (key, record) => (await journal()).finish(key, record),
      forget: async (key) => (await journal()).forget(key),
    } satisfies WriteJournal,
    isJournalWritable: () => opened?.isWritable ?? false,
    tried,
    close: async () => {
      const journalToClose = await opening?.catch(() => null);
      await journalToClose?.close();
    },
  };
}

function alone({ aiResultMaxWaitMs }: Pick<CoordinationConfig, 'aiResultMaxWaitMs'>) {
  return {
    hashCredential: createCredentialHash(),
    journal: createMemoryJournal(),
    mutex: createKeyedMutex(),
    generations: createGenerations(aiResultMaxWaitMs),
    pollLeader: createPollLeader(),
    observations: createObservationExchange(),
    rateLimitGates: { current: createRateLimitGate('current'), legacy: createRateLimitGate('legacy') },
    openAuthorizations: createOpenAuthorizations(),
    isAgreed: () => null,
    disagreement: () => null,
    isJournalWritable: () => null,
    tried: Promise.resolve(),
    close: () => Promise.resolve(),
  } satisfies Coordination;
}

function openRedis(config: CoordinationConfig & { readonly redis: NonNullable<Config['redis']> }, log: Log) {
  const link = openRedisLink(config.redis, log);
  const news = openNews(link);
  const own = alone(config);
  const ways = { link, news, maxWaitMs: config.aiResultMaxWaitMs };
  const hashCredential = createCredentialHash(config.redis.secret);
  return {
    hashCredential,
    journal: createRedisJournal(link),
    mutex: createRedisKeyedMutex(own.mutex, link),
    generations: createRedisGenerations(own.generations, ways),
    pollLeader: createRedisPollLeader(link, news),
    observations: createRedisObservationExchange(link, news),
    rateLimitGates: {
      current: createRedisRateLimitGate('current', own.rateLimitGates.current, news),
      legacy: createRedisRateLimitGate('legacy', own.rateLimitGates.legacy, news),
    },
    // There are few enough addresses to try them all, so only a keyed hash hides them.
    openAuthorizations: createRedisOpenAuthorizations(own.openAuthorizations, link, (network) =>
      hashCredential('legacy', 'network', network),
    ),
    isAgreed: () => link.isUp,
    disagreement: () => link.problem,
    isJournalWritable: () => null,
    tried: link.tried,
    async close() {
      news.close();
      await link.close();
    },
  };
}
