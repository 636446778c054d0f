import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

/** The folder of the package, whose `dist` was built before the tests. */
export const BUILT_SERVER = resolve(import.meta.dirname, '../..');

const START_DEADLINE_MS = 50_000;

/** How a process is started, where a test cares. */
export interface SpawnOptions {
  /** The folder that it is started in. */
  readonly cwd?: string;
  /** Arguments of the command line. */
  readonly args?: readonly string[];
}

/** A process that was started. */
export interface RunningProcess {
  readonly pid: number;
  /** Everything that it wrote so far. */
  readonly output: string;
  /** What of that it wrote to standard output. */
  readonly standardOutput: string;
  readonly signal: (name: NodeJS.Signals) => void;
  /** Closes the pipe of its standard output, as a reader does that has seen enough. */
  readonly stopReading: () => void;
  /** The exit code once it has ended, or null after a kill. */
  readonly exited: Promise<number | null>;
  /** Sends a signal and waits for the end; gives the exit code, or null after a kill. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
}

/** A running process of the server. */
export interface ServerProcess extends RunningProcess {
  /** Address of the server, without a trailing slash. */
  readonly url: string;
}

/** Starts the compiled server and waits until it serves; what is left of it ends with the test. */
export async function startBuiltServer(
  environment: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const running = spawnBuiltServer(environment);
  return Object.assign(running, { url: await addressIn(running) });
}

/** Starts the compiled server before the first test of a file; what is left of it ends after the last one. */
export function shareBuiltServer(
  environment: () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>,
): () => ServerProcess {
  let running: RunningProcess | undefined;
  let server: ServerProcess | undefined;
  beforeAll(async () => {
    running = launch(await environment());
    server = Object.assign(running, { url: await addressIn(running) });
  });
  afterAll(() => running?.end('SIGKILL'));
  return () => {
    if (!server) throw new Error('the server has not been started yet');
    return server;
  };
}

/** A server that the tests of a file have one after the other, and that any of them may end and start again. */
interface RestartedServer {
  /** The process that is there; it is started where there is none. */
  current(): Promise<ServerProcess>;
  /** Waits for its end, and starts the next one. */
  next(): Promise<ServerProcess>;
}

/** Starts the compiled server when a test asks for it; what is left of it ends after the last test of a file. */
export function shareRestartedServer(environment: () => Readonly<Record<string, string>>): RestartedServer {
  let running: RunningProcess | undefined;
  let server: ServerProcess | undefined;
  const current = async (): Promise<ServerProcess> => {
    if (server) return server;
    running = launch(environment());
    return (server = Object.assign(running, { url: await addressIn(running) }));
  };
  afterAll(() => running?.end('SIGKILL'));
  return {
    current,
    async next() {
      await running?.exited;
      server = undefined;
      return await current();
    },
  };
}

/** Starts the compiled server and waits for nothing; what is left of it ends with the test. */
export function spawnBuiltServer(
  environment: Readonly<Record<string, string>>,
  options: SpawnOptions = {},
): RunningProcess {
  const running = launch(environment, options);
  onTestFinished(() => running.end('SIGKILL').then(() => undefined));
  return running;
}

function launch(
  environment: Readonly<Record<string, string>>,
  { cwd = BUILT_SERVER, args = [] }: SpawnOptions = {},
): RunningProcess {
  const child = spawn(process.execPath, [join(BUILT_SERVER, 'dist/main.js'), ...args], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', LOG_LEVEL: 'debug', DATA_DIR: 'off', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let standardOutput = '';
  child.stdout.on('data', (text: string) => (standardOutput += text));
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  // Only then has everything been read that it wrote.
  const exited = once(child, 'close').then(() => child.exitCode);
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return await exited;
  };
  return {
    pid: child.pid ?? 0,
    exited,
    end,
    signal: (name) => void child.kill(name),
    stopReading: () => void child.stdout.destroy(),
    get output() {
      return output;
    },
    get standardOutput() {
      return standardOutput;
    },
  };
}

async function addressIn(running: RunningProcess): Promise<string> {
  const deadline = performance.now() + START_DEADLINE_MS;
  const ended = running.exited.then(() => 'ended');
  do {
    const address = /GraphQL +(http:\S+)\/graphql/.exec(running.output)?.[1];
    if (address !== undefined) return address;
  } while (performance.now() < deadline && (await Promise.race([ended, after(20)])) !== 'ended');
  throw new Error(`not started: ${running.output}`);
}
