import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const START_DEADLINE_MS = 15_000;

/** The server as it is shipped, built into a folder of its own. */
export interface BuiltServer {
  /** Starts the process and waits until it serves; what is left of it ends with the test. */
  start(environment: Readonly<Record<string, string>>): Promise<ServerProcess>;
  remove(): Promise<void>;
}

/** A running process of the server. */
export interface ServerProcess {
  /** Address of the server, without a trailing slash. */
  readonly url: string;
  /** Everything that it wrote so far. */
  readonly output: string;
  /** Sends a signal and waits for the end; gives the exit code, or null after a kill. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
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
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return {
    start: (environment) => startProcess(join(folder, 'dist/main.js'), environment),
    remove: () => rm(folder, { recursive: true }),
  };
}

async function startProcess(
  main: string,
  environment: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', LOG_LEVEL: 'debug', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => end(child, 'SIGKILL').then(() => undefined));
  const output = { text: '' };
  const url = await addressIn(child, output);
  return {
    url,
    get output() {
      return output.text;
    },
    end: (signal) => end(child, signal),
  };
}

function addressIn(child: ChildProcess, output: { text: string }): Promise<string> {
  return new Promise((found, reject) => {
    const timer = setTimeout(() => reject(new Error(`not started: ${output.text}`)), START_DEADLINE_MS);
    const onData = (data: Buffer): void => {
      output.text += data.toString();
      const address = /GraphQL +(http:\S+)\/graphql/.exec(output.text)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      found(address);
    };
    child.stdout?.on('data', onData);
    child.stderr?.on('data', onData);
  });
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
  return child.exitCode;
}
