import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const START_DEADLINE_MS = 15_000;

/** The server as it is shipped, built into a folder of its own. */
export interface BuiltServer {
  /** Starts the process and waits until it serves; what is left of it ends with the test. */
  start(environment: Readonly<Record<string, string>>): Promise<ServerProcess>;
  /** Starts the process and waits for nothing; what is left of it ends with the test. */
  spawn(environment: Readonly<Record<string, string>>, options?: SpawnOptions): RunningProcess;
  remove(): Promise<void>;
}

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
  readonly signal: (name: NodeJS.Signals) => void;
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

/** Builds the server from its sources. */
export async function buildServer(): Promise<BuiltServer> {
  const folder = await mkdtemp(join(tmpdir(), 'built-server-'));
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const flags = ['-p', join(ROOT, 'tsconfig.build.json'), '--outDir', join(folder, 'dist')];
  await promisify(execFile)(process.execPath, [
    compiler,
    ...flags,
    '--incremental',
    'false',
    '--tsBuildInfoFile',
    'null',
  ]);
  await copyFile(join(ROOT, 'package.json'), join(folder, 'package.json'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const main = join(folder, 'dist/main.js');
  return {
    start: async (environment) => {
      const running = spawnProcess(main, environment);
      return Object.assign(running, { url: await addressIn(running) });
    },
    spawn: (environment, options) => spawnProcess(main, environment, options),
    remove: () => rm(folder, { recursive: true }),
  };
}

function spawnProcess(
  main: string,
  environment: Readonly<Record<string, string>>,
  { cwd = dirname(main), args = [] }: SpawnOptions = {},
): RunningProcess {
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', LOG_LEVEL: 'debug', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  // Only then has everything been read that it wrote.
  const exited = once(child, 'close').then(() => child.exitCode);
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return await exited;
  };
  onTestFinished(() => end('SIGKILL').then(() => undefined));
  return {
    pid: child.pid ?? 0,
    exited,
    end,
    signal: (name) => void child.kill(name),
    get output() {
      return output;
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
