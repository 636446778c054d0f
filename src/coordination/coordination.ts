import { hash, randomBytes } from 'node:crypto';
import type { Config } from '../config.ts';
import { openDataDirectory } from '../journal/data-directory.ts';
import { hashOf, KEPT_MS, type WriteJournal } from '../journal/journal.ts';
import { createKeyedMutex, type KeyedMutex } from '../journal/locks.ts';
import { MemoryJournal } from '../journal/memory.ts';
import { NO_PEERS, type Peers } from '../live/peers.ts';
import type { Log } from '../observability/log.ts';
import { RedisJournal } from './redis/journal.ts';
import { RedisLink } from './redis/link.ts';
import { createRedisKeyedMutex } from './redis/locks.ts';
import { RedisPeers } from './redis/peers.ts';
import type { Surface } from '../sources/errors.ts';
import {
  createRateLimitGate,
  type OwnRateLimitGate,
  type RateLimitGate,
} from '../sources/upstream/rate-limit-gate.ts';

/** The state that processes must agree on. */
export interface Coordination {
  /**
   * Hashes a credential, or several that are sent together. The hash reveals nothing about them, and is unique to them.
   */
  readonly hashCredential: (surface: Surface, ...credentials: readonly string[]) => string;
  readonly journal: WriteJournal;
  readonly mutex: KeyedMutex;
  readonly peers: Peers;
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

type CoordinationConfig = Pick<Config, 'redis' | 'dataDirectory'> & Partial<Pick<Config, 'writeRetentionMs'>>;

/**
 * Opens the coordination of a single process, with a journal on disk or in memory, or of several through Redis.
 *
 * @throws ConfigError if the data directory cannot be used; if that is detected later, `tried` rejects with it
 */
export function openCoordination(config: CoordinationConfig, log: Log): Coordination {
  const { redis, dataDirectory, writeRetentionMs = KEPT_MS } = config;
  if (redis !== null) return openRedis(redis, writeRetentionMs, log);
  return dataDirectory === null ? alone(writeRetentionMs) : withDisk(dataDirectory, writeRetentionMs, log);
}

function withDisk(dataDirectory: string, keptMs: number, log: Log): Coordination {
  const { secret, journal } = openDataDirectory(dataDirectory, keptMs, log);
  const tried = journal.open();
  // Prevents an unhandled rejection; callers that await it still see the error.
  tried.catch(() => undefined);
  return {
    ...alone(keptMs, secret),
    journal,
    isJournalWritable: () => journal.isWritable,
    tried,
    close: () => journal.close(),
  };
}

function alone(keptMs: number, secret = randomBytes(32).toString('base64url')) {
  return {
    // With a secret, so that nobody can find a hash by trying credentials. A new HMAC would take three times as long.
    hashCredential: (surface, ...credentials) => hashOf([secret, surface, ...credentials]),
    journal: new MemoryJournal({ keptMs }),
    mutex: createKeyedMutex(),
    peers: NO_PEERS,
    rateLimitGates: { current: createRateLimitGate('current'), legacy: createRateLimitGate('legacy') },
    cookieSecret: hash('sha256', `cookies ${secret}`, 'buffer'),
    isAgreed: () => null,
    disagreement: () => null,
    isJournalWritable: () => null,
    tried: Promise.resolve(),
    close: () => Promise.resolve(),
  } satisfies Coordination;
}

function openRedis(redis: NonNullable<Config['redis']>, keptMs: number, log: Log): Coordination {
  const link = new RedisLink(redis, log);
  const own = alone(keptMs, redis.secret);
  const peers = new RedisPeers(link, { log, ...redis });
  return {
    ...own,
    journal: new RedisJournal(link, keptMs),
    mutex: createRedisKeyedMutex(own.mutex, link),
    peers,
    rateLimitGates: shareGates(own.rateLimitGates, peers),
    isAgreed: () => link.isUp,
    disagreement: () => link.problem,
    tried: peers.tried,
    async close() {
      peers.close();
      await link.close();
    },
  };
}

interface Pause {
  readonly surface: Surface;
  readonly caller: string;
  readonly pauseMs: number;
}

/** Pauses that a process knows of; one that has joined also asks the others for theirs. */
interface PausesMessage {
  readonly pauses: readonly Pause[];
  readonly isQuestion: boolean;
}

// A pause that a surface requests applies in all processes, whichever of them sent the call.
function shareGates(
  own: Readonly<Record<Surface, OwnRateLimitGate>>,
  peers: Peers,
): Coordination['rateLimitGates'] {
  const topic = 'pauses';
  const tell = (pauses: readonly Pause[], isQuestion = false): void =>
    peers.publish(topic, { pauses, isQuestion } satisfies PausesMessage);
  const all = (): Pause[] =>
    (['current', 'legacy'] as const).flatMap((surface) =>
      own[surface].pauses().map((pause) => ({ surface, ...pause })),
    );
  peers.listen<PausesMessage>(topic, {
    onMessage({ pauses, isQuestion }) {
      for (const { surface, caller, pauseMs } of pauses) own[surface].note(caller, pauseMs);
      if (isQuestion) tell(all());
    },
    onJoin: () => tell(all(), true),
  });
  const gateOf = (surface: Surface): RateLimitGate => ({
    check: (caller) => own[surface].check(caller),
    note(caller, pauseMs) {
      own[surface].note(caller, pauseMs);
      tell([{ surface, caller, pauseMs }]);
    },
  });
  return { current: gateOf('current'), legacy: gateOf('legacy') };
}
