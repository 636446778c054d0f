import { randomUUID } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { openLog, type Log } from '../../src/observability/log.ts';
import { openCoordination, type Coordination } from '../../src/coordination/coordination.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { isRedisHere, REDIS_SECRET, startRedis } from './redis.ts';

/** What two processes share: for one process alone, the same twice. */
export type Pair = readonly [Coordination, Coordination];

const SILENT = openLog('error', () => undefined);

/** How a process joins the others, where a test cares. */
export interface JoinOptions {
  readonly log?: Log;
  /** How long Redis may take to answer a command, in milliseconds; so long that a busy machine keeps it unless told. */
  readonly commandTimeoutMs?: number;
  /** User and password within the URL; none unless told. */
  readonly user?: string;
  readonly secret?: string;
  readonly database?: number;
}

/** What one process shares with those that have the same Redis; it ends with the test. */
export async function joinRedis(port: number, options: JoinOptions = {}): Promise<Coordination> {
  const { log = SILENT, commandTimeoutMs = 30_000, user = '', secret = REDIS_SECRET, database = 0 } = options;
  const redis = { url: `redis://${user}127.0.0.1:${port}/${database}`, secret, commandTimeoutMs };
  const sharing = openCoordination({ redis, dataDirectory: null }, log);
  onTestFinished(() => sharing.close());
  await sharing.tried;
  return sharing;
}

async function openAlone(): Promise<Pair> {
  const sharing = openCoordination({ redis: null, dataDirectory: null }, SILENT);
  return await Promise.resolve([sharing, sharing]);
}

async function openOnDisk(): Promise<Pair> {
  const dataDirectory = await temporaryFolder();
  const sharing = openCoordination({ redis: null, dataDirectory }, SILENT);
  onTestFinished(() => sharing.close());
  await sharing.tried;
  return [sharing, sharing];
}

async function openTwo(): Promise<Pair> {
  const { port } = await startRedis();
  const pair = await Promise.all([joinRedis(port), joinRedis(port)]);
  await hearEachOther(pair);
  return pair;
}

/** Waits until each hears what the other tells. */
export async function hearEachOther([one, other]: Pair): Promise<void> {
  for (const [teller, listener] of [
    [one, other],
    [other, one],
  ] as const) {
    const name = randomUUID();
    // What is told before the other listens is lost.
    const tell = (): boolean => {
      teller.rateLimitGates.current.note(name, 30_000);
      return isPaused(listener, name);
    };
    await expect.poll(tell).toBe(true);
  }
}

function isPaused({ rateLimitGates }: Coordination, name: string): boolean {
  try {
    rateLimitGates.current.check(name);
    return false;
  } catch {
    return true;
  }
}

/** The implementations of all that is shared. */
export const PAIRS: readonly (readonly [name: string, open: () => Promise<Pair>])[] = [
  ['in one process', openAlone],
  ['in one process with a disk', openOnDisk],
  ...(isRedisHere ? ([['through Redis', openTwo]] as const) : []),
];
