import { createCredentialHash, type HashCredential } from './credential-hash.ts';
import type { Config } from '../config.ts';
import { createGenerations, type Generations } from '../live/generations.ts';
import { createPollLeader, type PollLeader } from '../live/poll-leader.ts';
import type { Log } from '../observability/log.ts';
import { createOpenAuthorizations, type OpenAuthorizations } from './open-authorizations.ts';
import { createRedisGenerations } from './redis/generations.ts';
import { openRedisLink } from './redis/link.ts';
import { createRedisPollLeader } from './redis/poll-leader.ts';
import { openNews } from './redis/news.ts';
import { createRedisOpenAuthorizations } from './redis/open-authorizations.ts';
import { createRedisRateLimitGate } from './redis/rate-limit-gate.ts';
import { createRedisKeyedMutex } from './redis/keyed-mutex.ts';
import { createRedisJournal } from './redis/journal.ts';
import type { Surface } from '../sources/errors.ts';
import { createRateLimitGate, type RateLimitGate } from '../sources/upstream/rate-limit-gate.ts';
import { createMemoryJournal, type WriteJournal } from '../writes/journal.ts';
import { createKeyedMutex, type KeyedMutex } from '../writes/keyed-mutex.ts';

/** What processes must agree on. */
export interface Coordination {
  readonly hashCredential: HashCredential;
  readonly journal: WriteJournal;
  readonly mutex: KeyedMutex;
  readonly generations: Generations;
  readonly pollLeader: PollLeader;
  readonly rateLimitGates: Readonly<Record<Surface, RateLimitGate>>;
  readonly openAuthorizations: OpenAuthorizations;
  /** Whether the processes can agree at the moment; null for one process alone. */
  readonly isAgreed: () => boolean | null;
  /** Resolves when it is known whether they can. */
  readonly tried: Promise<void>;
  close(): Promise<void>;
}

type CoordinationConfig = Pick<Config, 'redis' | 'aiResultMaxWaitMs'>;

/** One process by itself, or several through Redis. */
export function openCoordination(config: CoordinationConfig, log: Log): Coordination {
  return config.redis === null ? alone(config) : openRedis({ ...config, redis: config.redis }, log);
}

function alone({ aiResultMaxWaitMs }: CoordinationConfig) {
  return {
    hashCredential: createCredentialHash(),
    journal: createMemoryJournal(),
    mutex: createKeyedMutex(),
    generations: createGenerations(aiResultMaxWaitMs),
    pollLeader: createPollLeader(),
    rateLimitGates: { current: createRateLimitGate('current'), legacy: createRateLimitGate('legacy') },
    openAuthorizations: createOpenAuthorizations(),
    isAgreed: () => null,
    tried: Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

function openRedis(config: CoordinationConfig & { readonly redis: NonNullable<Config['redis']> }, log: Log) {
  const link = openRedisLink(config.redis, log);
  const news = openNews(link);
  const own = alone(config);
  const ways = { link, news, maxWaitMs: config.aiResultMaxWaitMs };
  return {
    hashCredential: createCredentialHash(config.redis.secret),
    journal: createRedisJournal(link),
    mutex: createRedisKeyedMutex(own.mutex, link),
    generations: createRedisGenerations(own.generations, ways),
    pollLeader: createRedisPollLeader(link, news),
    rateLimitGates: {
      current: createRedisRateLimitGate('current', own.rateLimitGates.current, news),
      legacy: createRedisRateLimitGate('legacy', own.rateLimitGates.legacy, news),
    },
    openAuthorizations: createRedisOpenAuthorizations(own.openAuthorizations, link),
    isAgreed: () => link.isUp,
    tried: link.tried,
    async close() {
      news.close();
      await link.close();
    },
  };
}
