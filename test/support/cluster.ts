import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import type { SandboxOptions } from '../../packages/sandbox/src/sandbox.ts';
import { startBuiltServer, type ServerProcess } from './built-server.ts';
import { freePort } from './network.ts';
import { send } from './http.ts';
import { REDIS_SECRET, startRedis } from './redis.ts';
import { isInstalled } from './programs.ts';
import { sandboxForTest } from './sandbox.ts';

const FILES = resolve(import.meta.dirname, '../../docs/several-processes');
const INSTANCES = ['A', 'B', 'C'] as const;

/** Three instances behind HAProxy with a Redis, set up as the walkthrough says, before one sandbox. */
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** Starts it; everything ends with the test. */
export async function startCluster(
  environment: Readonly<Record<string, string>> = {},
  options: SandboxOptions = {},
) {
  const sandbox = await sandboxForTest(options);
  const redis = await startRedis(resolve(FILES, 'redis.conf'));
  const settings = {
    ...parseEnv(await readFile(resolve(FILES, 'instance.env'), 'utf8')),
    HOST: '127.0.0.1',
    REDIS_URL: redis.url,
    REDIS_SECRET,
    CURRENT_API_URL: sandbox.url,
    LEGACY_API_URL: sandbox.url,
    LOG_LEVEL: 'info',
    // What this is about is not how busy the machine is.
    OVERLOAD_DELAY: '1h',
    ...environment,
  };
  const ports = await Promise.all(INSTANCES.map(freePort));
  const start = (index: number): Promise<ServerProcess> =>
    startBuiltServer({ ...settings, PORT: String(ports[index]) });
  const instances = await Promise.all(ports.map((_port, index) => start(index)));
  const url = await startHaproxy(ports);
  const isReady = async (index: number): Promise<void> => {
    const state = async () => JSON.parse((await send(`${instances[index]?.url}/ready`)).text) as unknown;
    await expect.poll(state).toMatchObject({ status: 'ready', redis: 'connected' });
  };
  return {
    url,
    sandbox,
    redis,
    /** The processes as they are now, in their places. */
    instances,
    /** Waits until an instance says that it is ready, and shares what it has to. */
    isReady,
    /** Ends an instance, starts it again in its place, and waits until the balancer sends it requests. */
    async restart(index: number, signal: NodeJS.Signals) {
      await instances[index]?.end(signal);
      instances[index] = await start(index);
      await isReady(index);
    },
  };
}

/** Runs HAProxy until the test ends, and waits until it answers; gives its address. */
async function startHaproxy(ports: readonly number[]): Promise<string> {
  const listen = `127.0.0.1:${await freePort()}`;
  const addresses = ports.map((port, index) => [`GRAPH_${INSTANCES[index]}`, `127.0.0.1:${port}`]);
  const child = spawn('haproxy', ['-db', '-f', resolve(FILES, 'haproxy.cfg')], {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], LISTEN: listen, ...Object.fromEntries(addresses) },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = `http://${listen}`;
  const status = () => send(`${url}/health`).then((reply) => reply.status, String);
  await expect.poll(status).toBe(200);
  return url;
}

/** False where tests behind a balancer are left out. */
export const isBalancerHere = isInstalled('haproxy');
