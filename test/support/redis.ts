import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, vi, afterAll, beforeAll } from 'vitest';
import { freePort } from './network.ts';
import { isInstalled } from './programs.ts';
import { randomUUID, createHash } from 'node:crypto';
import { openLog, type Log } from '../../src/observability/log.ts';
import { openCoordination, type Coordination } from '../../src/coordination/coordination.ts';
import type { JournalKey } from '../../src/journal/journal.ts';

/** False where tests with Redis are left out. */
export const isRedisHere = isInstalled('redis');

/** A Redis of a test's own, which keeps nothing on disk. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** A client that the test may use; it is closed when the test ends. */
  readonly client: Redis;
  /** Everything that it holds, as one text. */
  dump(): Promise<string>;
  /** Ends it at once. */
  stop(): Promise<void>;
  /** Starts it again, empty, on the same port. */
  start(...options: readonly string[]): Promise<void>;
  /** Lets it take connections and commands, and answer none. */
  freeze(): void;
  thaw(): void;
}

/** What several processes name their callers with in tests. */
export const REDIS_SECRET = 'a secret of the tests, of more than 32 characters';

const NOTHING_KEPT = ['--save', '', '--appendonly', 'no'];

/** Starts one on a free port, with options or from a file of settings; it ends with the test. */
export async function startRedis(...options: readonly string[]): Promise<RedisServer> {
  const redis = await openRedis(...options);
  onTestFinished(redis.close);
  return redis;
}

/** The same, for whoever closes it. */
export async function openRedis(
  ...options: readonly string[]
): Promise<RedisServer & { readonly close: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-'));
  const port = await freePort();
  const client = new Redis({ port, host: '127.0.0.1', lazyConnect: true, retryStrategy: () => 50 });
  client.on('error', () => undefined);
  let server: ChildProcess | undefined;
  const start = async (...more: readonly string[]): Promise<void> => {
    const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
    const [first = ''] = more;
    const own = first.endsWith('.conf') ? [...more, ...place] : [...place, ...NOTHING_KEPT, ...more];
    server = spawn('redis-server', own, { stdio: 'ignore' });
    if (client.status === 'wait') await client.connect().catch(() => undefined);
    const isThere = async () => await client.ping().catch((error: Error) => error.message.split(' ')[0]);
    const answers = async (): Promise<void> => expect(await isThere()).toMatch(/PONG|NOAUTH/);
    await vi.waitFor(answers, { timeout: 30_000, interval: 50 });
  };
  const stop = async (): Promise<void> => {
    const ended = new Promise((resolve) => server?.once('exit', resolve));
    server?.kill('SIGKILL');
    await ended;
  };
  const close = async (): Promise<void> => {
    client.disconnect();
    if (server?.exitCode === null && server.signalCode === null) await stop();
    await rm(folder, { recursive: true, force: true });
  };
  await start(...options);
  // It has not forgotten anything just now; after another start it has.
  await client.set('spg:epoch', '1 of a test').catch(() => undefined);
  return {
    close,
    url: `redis://127.0.0.1:${port}`,
    port,
    client,
    dump: () => dumpOf(client),
    stop,
    start,
    freeze: () => void server?.kill('SIGSTOP'),
    thaw: () => void server?.kill('SIGCONT'),
  };
}

async function dumpOf(client: Redis): Promise<string> {
  const read: Record<string, (key: string) => Promise<unknown>> = {
    string: (key) => client.get(key),
    hash: (key) => client.hgetall(key),
    zset: (key) => client.zrange(key, 0, -1),
    stream: (key) => client.xrange(key, '-', '+'),
  };
  const values = [];
  for (const key of await client.keys('*')) {
    const type = await client.type(key);
    values.push([key, await read[type]?.(key)]);
  }
  return JSON.stringify(values);
}

/** What two processes share: for one process alone, the same twice. */
type Pair = readonly [Coordination, Coordination];

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

/** What a write is remembered by, of a name that can be read; all of one caller. */
export function journalKey(id: string, owner = 'the caller'): JournalKey {
  return { id, owner, secret: createHash('sha256').update(id).digest() };
}
