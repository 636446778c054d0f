import { createCallerNames, type CallerNames } from './caller-names.ts';
import type { Config } from './config.ts';
import { createGenerations, type Generations } from './live/generations.ts';
import { createLookouts, type Lookouts } from './live/lookouts.ts';
import type { Log } from './log.ts';
import { createOpenAuthorizations, type OpenAuthorizations } from './open-authorizations.ts';
import { createRedisGenerations } from './redis/generations.ts';
import { openRedisLink } from './redis/link.ts';
import { createRedisLookouts } from './redis/lookouts.ts';
import { openNews } from './redis/news.ts';
import { createRedisOpenAuthorizations } from './redis/open-authorizations.ts';
import { createRedisPauses } from './redis/pauses.ts';
import { createRedisTurns } from './redis/turns.ts';
import { createRedisWriteStore } from './redis/write-store.ts';
import type { Surface } from './sources/errors.ts';
import { createRateLimitGate, type RateLimitGate } from './sources/upstream/rate-limit-gate.ts';
import { createMemoryStore, type WriteStore } from './writes/idempotency.ts';
import { createTurns, type Turns } from './writes/turns.ts';

/** What processes must agree on. */
export interface Sharing {
  readonly nameOf: CallerNames;
  readonly store: WriteStore;
  readonly turns: Turns;
  readonly generations: Generations;
  readonly lookouts: Lookouts;
  readonly pauses: Readonly<Record<Surface, RateLimitGate>>;
  readonly openAuthorizations: OpenAuthorizations;
  /** Whether the processes can agree at the moment; null for one process alone. */
  readonly isAgreed: () => boolean | null;
  /** Resolves when it is known whether they can. */
  readonly tried: Promise<void>;
  close(): Promise<void>;
}

type SharingConfig = Pick<Config, 'redis' | 'aiResultMaxWaitMs'>;

/** One process by itself, or several through Redis. */
export function openSharing(config: SharingConfig, log: Log): Sharing {
  return config.redis === null ? alone(config) : openRedis({ ...config, redis: config.redis }, log);
}

function alone({ aiResultMaxWaitMs }: SharingConfig) {
  return {
    nameOf: createCallerNames(),
    store: createMemoryStore(),
    turns: createTurns(),
    generations: createGenerations(aiResultMaxWaitMs),
    lookouts: createLookouts(),
    pauses: { current: createRateLimitGate('current'), legacy: createRateLimitGate('legacy') },
    openAuthorizations: createOpenAuthorizations(),
    isAgreed: () => null,
    tried: Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

function openRedis(config: SharingConfig & { readonly redis: NonNullable<Config['redis']> }, log: Log) {
  const link = openRedisLink(config.redis, log);
  const news = openNews(link);
  const own = alone(config);
  const ways = { link, news, maxWaitMs: config.aiResultMaxWaitMs };
  return {
    nameOf: createCallerNames(config.redis.secret),
    store: createRedisWriteStore(link),
    turns: createRedisTurns(own.turns, link),
    generations: createRedisGenerations(own.generations, ways),
    lookouts: createRedisLookouts(link, news),
    pauses: {
      current: createRedisPauses('current', own.pauses.current, news),
      legacy: createRedisPauses('legacy', own.pauses.legacy, news),
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
