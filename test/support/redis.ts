import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, vi } from 'vitest';
import { freePort } from './free-port.ts';
import { isInstalled } from './programs.ts';

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
