import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest';
import { openLog, type Log } from '../../src/observability/log.ts';
import { openCoordination, type Coordination } from '../../src/coordination/coordination.ts';
import { isRedisHere, openRedis, REDIS_SECRET } from './redis.ts';

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
  const sharing = open(port, options);
  onTestFinished(() => sharing.close());
  await sharing.tried;
  return sharing;
}

function open(port: number, options: JoinOptions = {}): Coordination {
  const { log = SILENT, commandTimeoutMs = 30_000, user = '', secret = REDIS_SECRET, database = 0 } = options;
  const redis = { url: `redis://${user}127.0.0.1:${port}/${database}`, secret, commandTimeoutMs };
  return openCoordination({ redis, dataDirectory: null }, log);
}

/** Waits until each hears what the other tells. */
export async function hearEachOther([one, other]: Pair): Promise<void> {
  for (const [teller, listener] of [
    [one, other],
    [other, one],
  ] as const) {
    const name = randomUUID();
    // What is told before the other listens is lost.
    const tell = (): void => {
      teller.rateLimitGates.current.note(name, 30_000);
      expect(isPaused(listener, name)).toBe(true);
    };
    await vi.waitFor(tell, { timeout: 30_000, interval: 50 });
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

interface OpenPair {
  readonly pair: Pair;
  readonly close: () => Promise<unknown>;
}

function openAlone(): Promise<OpenPair> {
  const sharing = openCoordination({ redis: null, dataDirectory: null }, SILENT);
  return Promise.resolve({ pair: [sharing, sharing], close: () => sharing.close() });
}

async function openOnDisk(): Promise<OpenPair> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'pair-'));
  const sharing = openCoordination({ redis: null, dataDirectory }, SILENT);
  await sharing.tried;
  const close = async (): Promise<void> => {
    await sharing.close();
    await rm(dataDirectory, { recursive: true });
  };
  return { pair: [sharing, sharing], close };
}

async function openTwo(): Promise<OpenPair> {
  const redis = await openRedis();
  const pair: Pair = [open(redis.port), open(redis.port)];
  for (const { tried } of pair) await tried;
  await hearEachOther(pair);
  const close = async (): Promise<void> => {
    for (const sharing of pair) await sharing.close();
    await redis.close();
  };
  return { pair, close };
}

/** The implementations of all that is shared. */
export const PAIRS: readonly (readonly [name: string, open: () => Promise<OpenPair>])[] = [
  ['in one process', openAlone],
  ['in one process with a disk', openOnDisk],
  ...(isRedisHere ? ([['through Redis', openTwo]] as const) : []),
];

/** Opens a pair for all tests of a block; each test takes names of its own. */
export function sharePair(opening: () => Promise<OpenPair>): {
  readonly one: Coordination;
  readonly other: Coordination;
} {
  let opened: OpenPair | undefined;
  beforeAll(async () => {
    opened = await opening();
  });
  afterAll(() => opened?.close());
  const at = (index: 0 | 1): Coordination => {
    if (!opened) throw new Error('the processes are not there yet');
    return opened.pair[index];
  };
  return {
    get one() {
      return at(0);
    },
    get other() {
      return at(1);
    },
  };
}

/** Runs scenarios side by side: each has a Redis of its own, and waits most of the time. A failure names those that failed. */
export async function sideBySide(scenarios: Readonly<Record<string, () => Promise<unknown>>>): Promise<void> {
  const entries = Object.entries(scenarios);
  const results = await Promise.allSettled(entries.map(([, run]) => run()));
  const failures = results.flatMap((result, index) =>
    result.status === 'rejected' ? [[entries[index]?.[0], String(result.reason)]] : [],
  );
  expect(failures).toEqual([]);
}
