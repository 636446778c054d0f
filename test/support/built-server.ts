import { join, resolve } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, onTestFinished } from 'vitest';
import { startProcess } from './processes.ts';
import { shared } from './shared.ts';

/** The folder of the package, whose `dist` was built before the tests. */
export const BUILT_SERVER = resolve(import.meta.dirname, '../..');

const START_DEADLINE_MS = 50_000;

type Environment = Readonly<Record<string, string>>;

export interface SpawnOptions {
  readonly cwd?: string;
  readonly args?: readonly string[];
}

export type RunningProcess = ReturnType<typeof startProcess>;

export type ServerProcess = RunningProcess & {
  readonly url: string;
};

/** Starts the compiled server and waits until it serves; what is left of it ends with the test. */
export async function startBuiltServer(environment: Environment): Promise<ServerProcess> {
  return await serving(spawnBuiltServer(environment));
}

/** Starts the compiled server before the first test of a file; what is left of it ends after the last one. */
export function shareBuiltServer(environment: () => Environment | Promise<Environment>): () => ServerProcess {
  return shared(
    async () => await serving(launch(await environment())),
    ({ end }) => end('SIGKILL'),
  );
}

/**
 * The compiled server for the tests of a file, one after the other, of which any may end it; what is left of it ends after
 * the last one.
 */
export function shareRestartedServer(environment: () => Environment) {
  let running: RunningProcess | undefined;
  let server: ServerProcess | undefined;
  /** Gives the process that is there; starts it where there is none. */
  const current = async (): Promise<ServerProcess> =>
    (server ??= await serving((running = launch(environment()))));
  afterAll(() => running?.end('SIGKILL'));
  return {
    current,
    /** Waits for its end, and starts the next one. */
    async next() {
      await running?.exited;
      server = undefined;
      return await current();
    },
  };
}

/** Starts the compiled server and waits for nothing; what is left of it ends with the test. */
export function spawnBuiltServer(environment: Environment, options: SpawnOptions = {}): RunningProcess {
  const running = launch(environment, options);
  onTestFinished(() => running.end('SIGKILL').then(() => undefined));
  return running;
}

function launch(environment: Environment, { cwd = BUILT_SERVER, args = [] }: SpawnOptions = {}) {
  const env = { PORT: '0', LOG_LEVEL: 'debug', DATA_DIR: 'off', ...environment };
  return startProcess(process.execPath, [join(BUILT_SERVER, 'dist/main.js'), ...args], cwd, env);
}

async function serving(running: RunningProcess): Promise<ServerProcess> {
  const deadline = performance.now() + START_DEADLINE_MS;
  const ended = running.exited.then(() => 'ended');
  do {
    const url = /GraphQL +(http:\S+)\/graphql/.exec(running.output)?.[1];
    if (url !== undefined) return Object.assign(running, { url });
  } while (performance.now() < deadline && (await Promise.race([ended, after(20)])) !== 'ended');
  await running.end('SIGKILL');
  throw new Error(`not started: ${running.output}`);
}
