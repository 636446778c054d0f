import { hash, randomBytes } from 'node:crypto';
import { createCredentialHash, type HashCredential } from './credential-hash.ts';
import type { Config } from '../config.ts';
import { NO_PEERS, type Peers } from '../live/peers.ts';
import type { Log } from '../observability/log.ts';
import { openDataDirectory } from './disk/data-directory.ts';
import type { DiskJournal } from './disk/journal.ts';
import { openRedisLink } from './redis/link.ts';
import { RedisPeers } from './redis/peers.ts';
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

type CoordinationConfig = Pick<Config, 'redis' | 'dataDirectory'>;

/**
 * Opens the coordination of a single process, with a journal on disk or in memory, or of several through Redis.
 *
 * @throws ConfigError if the data directory cannot be used; if that is detected later, `tried` rejects with it
 */
export function openCoordination(config: CoordinationConfig, log: Log): Coordination {
  const { redis, dataDirectory } = config;
  if (redis !== null) return openRedis(redis, log);
  return dataDirectory === null ? alone() : withDisk(dataDirectory, log);
}

function withDisk(dataDirectory: string, log: Log): Coordination {
  const { secret, openJournal } = openDataDirectory(dataDirectory, log);
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
    ...alone(secret),
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

function alone(secret = randomBytes(32).toString('base64url')) {
  return {
    hashCredential: createCredentialHash(secret),
    journal: createMemoryJournal(),
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

function openRedis(redis: NonNullable<Config['redis']>, log: Log): Coordination {
  const link = openRedisLink(redis, log);
  const own = alone(redis.secret);
  const peers = new RedisPeers(link, { log, ...redis });
  return {
    ...own,
    journal: createRedisJournal(link),
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

// A pause that a surface requests applies in all processes, whichever of them sent the call.
function shareGates(own: Coordination['rateLimitGates'], peers: Peers): Coordination['rateLimitGates'] {
  const topic = 'pauses';
  peers.listen<Pause>(topic, {
    onMessage: ({ surface, caller, pauseMs }) => own[surface].note(caller, pauseMs),
  });
  const gateOf = (surface: Surface): RateLimitGate => ({
    check: (caller) => own[surface].check(caller),
    note(caller, pauseMs) {
      own[surface].note(caller, pauseMs);
      peers.publish(topic, { surface, caller, pauseMs } satisfies Pause);
    },
  });
  return { current: gateOf('current'), legacy: gateOf('legacy') };
}
