import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { programPath } from '../support/programs.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DEADLINE_MS = 50_000;

/** What a program did, once it has ended. */
export interface Ended {
  /** Its exit code; null when it had to be killed. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a program is run, where a test cares. */
export interface RunOptions {
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** A program that goes on until it is ended. */
export interface RunningExample {
  /** What it wrote so far. */
  readonly stdout: string;
  /** Waits for its end. */
  readonly ended: Promise<Ended>;
  /** Ends it as Ctrl-C does. */
  end(): Promise<Ended>;
}

/** Runs a program of `examples` against a server, as somebody at the root of the repository does; it ends with the test. */
export async function runExample(file: string, url: string, options: RunOptions = {}): Promise<Ended> {
  return await startExample(file, url, options).ended;
}

/** Starts one that goes on until it is ended. */
export function startExample(
  file: string,
  url: string,
  { args = [], environment = {} }: RunOptions = {},
): RunningExample {
  const child = spawn(interpreterOf(file), [`examples/${file}`, ...args], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', GRAPHQL_URL: `${url}/graphql`, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: DEADLINE_MS,
    killSignal: 'SIGKILL',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (written[name] += text));
  const ended = once(child, 'close').then(() => ({ status: child.exitCode, ...written }));
  return {
    ended,
    get stdout() {
      return written.stdout;
    },
    end() {
      child.kill('SIGINT');
      return ended;
    },
  };
}

/** The program that runs a file. */
export function interpreterOf(file: string): string {
  if (file.endsWith('.sh')) return 'bash';
  return file.endsWith('.py') ? (programPath('python') ?? 'python3') : process.execPath;
}

/** What becomes of a piece of an answer: it passes, the connection is lost before or after it, or something else comes. */
export type Fate = 'passes' | 'lost before' | 'lost after' | { readonly instead: string };

/** One connection's traffic so far, as text. */
export interface Traffic {
  /** All that the client sent. */
  readonly sent: string;
  /** The piece of the answer that has just come. */
  readonly answer: string;
}

/** Another way to a server, on which connections get lost. */
export interface LossyWay {
  /** Its address, without a trailing slash. */
  readonly url: string;
  /** All that clients sent over it. */
  readonly sent: string;
}

/** Opens another way to a server; each piece of an answer has its fate. It is closed with the test. */
export async function openLossyWay(to: string, fateOf: (traffic: Traffic) => Fate): Promise<LossyWay> {
  const connections: { sent: string }[] = [];
  const open = new Set<Socket>();
  const way = createServer((client) => {
    const connection = { sent: '' };
    connections.push(connection);
    const server = connect(Number(new URL(to).port), '127.0.0.1');
    const lose = () => [client, server].forEach((socket) => socket.destroy());
    for (const socket of [client, server]) {
      open.add(socket);
      socket.on('error', lose).on('close', lose);
    }
    client.on('data', (data) => {
      connection.sent += data.toString('latin1');
      server.write(data);
    });
    server.on('data', (data) => {
      const fate = fateOf({ sent: connection.sent, answer: data.toString('latin1') });
      if (fate !== 'passes') server.pause();
      if (fate === 'passes') client.write(data);
      else if (fate === 'lost before') lose();
      else client.write(fate === 'lost after' ? data : fate.instead, lose);
    });
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  onTestFinished(async () => {
    const closed = once(way, 'close');
    way.close();
    for (const socket of open) socket.destroy();
    await closed;
  });
  return {
    url: `http://127.0.0.1:${(way.address() as AddressInfo).port}`,
    get sent() {
      return connections.map(({ sent }) => sent).join('');
    },
  };
}
