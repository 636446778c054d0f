import { createCredentialHash, type HashCredential } from './credential-hash.ts';
import type { Config } from '../config.ts';
import { createGenerations, type Generations } from '../live/generations.ts';
import { createPollLeader, type PollLeader } from '../live/poll-leader.ts';
import { createObservationExchange, type ObservationExchange } from '../watch/sharing.ts';
import type { Log } from '../observability/log.ts';
import { openDataDirectory } from '../journal/data-directory.ts';
import { createOpenAuthorizations, type OpenAuthorizations } from './open-authorizations.ts';
import { createRedisGenerations } from './redis/generations.ts';
import { createRedisObservationExchange } from './redis/observations.ts';
import { openRedisLink } from './redis/link.ts';
import { createRedisPollLeader } from './redis/poll-leader.ts';
import { openNews } from './redis/news.ts';
import { createRedisOpenAuthorizations } from './redis/open-authorizations.ts';
import { createRedisRateLimitGate } from './redis/rate-limit-gate.ts';
import { EPOCH_KEY } from './redis/state.ts';
import type { Surface } from '../sources/errors.ts';
import { createRateLimitGate, type RateLimitGate } from '../sources/upstream/rate-limit-gate.ts';
import { KEPT_MS, type WriteJournal } from '../journal/journal.ts';
import { createKeyedMutex, createRedisKeyedMutex, type KeyedMutex } from '../journal/locks.ts';
import { MemoryJournal } from '../journal/memory.ts';
import { RedisJournal } from '../journal/redis.ts';

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

type CoordinationConfig = Pick<Config, 'redis' | 'dataDirectory' | 'aiResultMaxWaitMs'> &
  Partial<Pick<Config, 'writeRetentionMs'>>;

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
  const { dataDirectory, writeRetentionMs = KEPT_MS } = config;
  const { secret, journal } = openDataDirectory(dataDirectory, writeRetentionMs, log);
  const tried = journal.open();
  // Prevents an unhandled rejection; callers that await it still see the error.
  tried.catch(() => undefined);
  return {
    ...alone(config),
    hashCredential: createCredentialHash(secret),
    journal,
    isJournalWritable: () => journal.isWritable,
    tried,
    close: () => journal.close(),
  };
}

function alone({ aiResultMaxWaitMs, writeRetentionMs }: CoordinationConfig) {
  return {
    hashCredential: createCredentialHash(),
    journal: new MemoryJournal({ keptMs: writeRetentionMs }),
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
    journal: new RedisJournal(link, { epochKey: EPOCH_KEY, keptMs: config.writeRetentionMs }),
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
