import { hash, randomBytes } from 'node:crypto';
import { createCredentialHash, type HashCredential } from './credential-hash.ts';
import type { Config } from '../config.ts';
import { createGenerations, type Generations } from '../live/generations.ts';
import { createPollLeader, type PollLeader } from '../live/poll-leader.ts';
import { createObservationExchange, type ObservationExchange } from '../watch/sharing.ts';
import type { Log } from '../observability/log.ts';
import { openDataDirectory } from './disk/data-directory.ts';
import type { DiskJournal } from './disk/journal.ts';
import { createRedisGenerations } from './redis/generations.ts';
import { createRedisObservationExchange } from './redis/observations.ts';
import { openRedisLink } from './redis/link.ts';
import { createRedisPollLeader } from './redis/poll-leader.ts';
import { openNews } from './redis/news.ts';
import { createRedisRateLimitGate } from './redis/rate-limit-gate.ts';
import { createRedisKeyedMutex } from './redis/keyed-mutex.ts';
import { createRedisJournal } from './redis/journal.ts';
import type { Surface } from '../sources/errors.ts';
import { createRateLimitGate, type RateLimitGate } from '../sources/upstream/rate-limit-gate.ts';
import type { WriteJournal } from '../writes/journal.ts';
import { createMemoryJournal } from '../writes/memory-journal.ts';
import { createKeyedMutex, type KeyedMutex } from '../writes/keyed-mutex.ts';

/** The state that processes must agree on. */
export interface Coordination {
  readonly hashCredential: HashCredential;
  readonly journal: WriteJournal;
  readonly mutex: KeyedMutex;
  readonly generations: Generations;
  readonly pollLeader: PollLeader;
  readonly observations: ObservationExchange;
  readonly rateLimitGates: Readonly<Record<Surface, RateLimitGate>>;
  /** A secret of 32 bytes, the same for all processes, that seals the cookie of an authorisation in a browser. */
  readonly cookieSecret: Uint8Array;
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
    ...alone(config, secret),
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

function alone(
  { aiResultMaxWaitMs }: Pick<CoordinationConfig, 'aiResultMaxWaitMs'>,
  secret = randomBytes(32).toString('base64url'),
) {
  return {
    hashCredential: createCredentialHash(secret),
    journal: createMemoryJournal(),
    mutex: createKeyedMutex(),
    generations: createGenerations(aiResultMaxWaitMs),
    pollLeader: createPollLeader(),
    observations: createObservationExchange(),
    rateLimitGates: { current: createRateLimitGate('current'), legacy: createRateLimitGate('legacy') },
    cookieSecret: hash('sha256', `cookies ${secret}`, 'buffer'),
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
  const own = alone(config, config.redis.secret);
  const ways = { link, news, maxWaitMs: config.aiResultMaxWaitMs };
  return {
    hashCredential: own.hashCredential,
    journal: createRedisJournal(link),
    mutex: createRedisKeyedMutex(own.mutex, link),
    generations: createRedisGenerations(own.generations, ways),
    pollLeader: createRedisPollLeader(link, news),
    observations: createRedisObservationExchange(link, news),
    rateLimitGates: {
      current: createRedisRateLimitGate('current', own.rateLimitGates.current, news),
      legacy: createRedisRateLimitGate('legacy', own.rateLimitGates.legacy, news),
    },
    cookieSecret: own.cookieSecret,
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
