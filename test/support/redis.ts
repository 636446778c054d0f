import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, vi } from 'vitest';
import { freePort } from './network.ts';
import { isInstalled } from './programs.ts';
import { shared } from './shared.ts';
import { randomUUID, createHash } from 'node:crypto';
import { openLog, type Log } from '../../src/observability/log.ts';
import { openCoordination, type Coordination } from '../../src/coordination/coordination.ts';
import type { JournalKey } from '../../src/journal/journal.ts';

/** False where tests with Redis are left out. */
export const isRedisHere = isInstalled('redis');

/** A Redis of a test's own, which keeps nothing on disk. */
export type RedisServer = Awaited<ReturnType<typeof openRedis>>;

/** What several processes name their callers with in tests. */
export const REDIS_SECRET = 'a secret of the tests, of more than 32 characters';

const NOTHING_KEPT = ['--save', '', '--appendonly', 'no'];

/** Starts one on a free port, with options or from a file of settings; it ends with the test. */
export async function startRedis(...options: readonly string[]) {
  const redis = await openRedis(...options);
  onTestFinished(redis.close);
  return redis;
}

/** Lets a Redis that has just been started or emptied count as one that has not forgotten anything since then. */
export async function tellNothingForgotten(client: Redis, since = 1): Promise<void> {
  const [, run = ''] = /run_id:(\w+)/.exec(await client.info('server')) ?? [];
  await client.set('spg:epoch', `${since} of a test ${run}`);
}

/** The same, for whoever closes it. */
export async function openRedis(...options: readonly string[]) {
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
  // After another start, it may have forgotten something.
  await tellNothingForgotten(client).catch(() => undefined);
  return {
    close,
    url: `redis://127.0.0.1:${port}`,
    port,
    /** A client that the test may use; it is closed when the test ends. */
    client,
    stop,
    /** Starts it again, empty, on the same port. */
    start,
    /** Lets it take connections and commands, and answer none. */
    freeze: () => void server?.kill('SIGSTOP'),
    thaw: () => void server?.kill('SIGCONT'),
  };
}

/** Gives each message that goes through a Redis from now on, behind its channel. */
export async function listenIn({ client }: RedisServer): Promise<readonly string[]> {
  const subscriber = client.duplicate();
  onTestFinished(() => subscriber.disconnect());
  const messages: string[] = [];
  subscriber.on('pmessage', (_pattern, channel, text) => messages.push(`${channel} ${text}`));
  await subscriber.psubscribe('*');
  return messages;
}

/** What two processes share: for one process alone, the same twice. */
type Pair = readonly [Coordination, Coordination];

const SILENT = openLog('error', () => undefined);

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
      expect(pauseOf(listener.rateLimitGates.current, name)).toBeGreaterThan(0);
    };
    await vi.waitFor(tell, { timeout: 30_000, interval: 50 });
  }
}

/** For how many milliseconds a surface may not be called for a caller. */
export function pauseOf(gate: Coordination['rateLimitGates']['current'], caller: string): number {
  try {
    gate.check(caller);
    return 0;
  } catch (error) {
    return (error as { details: { retryAfterMs: number } }).details.retryAfterMs;
  }
}

/** One process, twice. */
async function openAlone(dataDirectory: string | null = null) {
  const sharing = openCoordination({ redis: null, dataDirectory }, SILENT);
  await sharing.tried;
  const pair: Pair = [sharing, sharing];
  return { pair, close: () => sharing.close() };
}

async function openOnDisk() {
  const folder = await mkdtemp(join(tmpdir(), 'pair-'));
  const { pair, close } = await openAlone(folder);
  return { pair, close: () => close().then(() => rm(folder, { recursive: true })) };
}

async function openTwo() {
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

type Opening = () => Promise<{ readonly pair: Pair; readonly close: () => Promise<void> }>;

/** The implementations of all that is shared. */
export const PAIRS: readonly (readonly [name: string, open: Opening])[] = [
  ['in one process', openAlone],
  ['in one process with a disk', openOnDisk],
  ...(isRedisHere ? ([['through Redis', openTwo]] as const) : []),
];

/** Opens a pair for all tests of a block; each test takes names of its own. */
export function sharePair(opening: Opening) {
  const opened = shared(opening, ({ close }) => close());
  return {
    get one() {
      return opened().pair[0];
    },
    get other() {
      return opened().pair[1];
    },
  };
}

/** Runs scenarios side by side: each has a Redis of its own, and waits most of the time. A failure names those that failed. */
export async function sideBySide<Scenario>(
  scenarios: Readonly<Record<string, Scenario>>,
  run: (scenario: Scenario) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  const runs = Object.entries(scenarios).map(([name, scenario]) =>
    run(scenario).catch((error: unknown) => failures.push([name, String(error)])),
  );
  await Promise.all(runs);
  expect(failures).toEqual([]);
}

/** What a write is remembered by, of a name that can be read; all of one caller. */
export function journalKey(id: string, owner = 'the caller'): JournalKey {
  return { id, owner, secret: createHash('sha256').update(id).digest() };
}
