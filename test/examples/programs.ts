import { cp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { startTcpProxy } from '../support/network.ts';
import { startProcess } from '../support/processes.ts';
import { programPath } from '../support/programs.ts';
import { blocksOf, ROOT, temporaryFolder } from '../support/files.ts';

/** A program that takes longer than this hangs: no machine is as busy. */
const DEADLINE_MS = 100_000;

export interface Ended {
  /** Its exit code; null when it had to be killed. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts a command; it ends with the test. `end` ends it as Ctrl-C does. */
function start(command: string, args: readonly string[], cwd: string, env: RunOptions['environment'] = {}) {
  const running = startProcess(command, args, cwd, env, DEADLINE_MS);
  onTestFinished(() => running.signal('SIGKILL'));
  const endWith = async (code: Promise<number | null>): Promise<Ended> => ({
    status: await code,
    stdout: running.standardOutput,
    stderr: running.standardError,
  });
  return {
    ended: endWith(running.exited),
    end: () => endWith(running.end('SIGINT')),
    get stdout() {
      return running.standardOutput;
    },
  };
}

function interpreterOf(file: string): string {
  if (file.endsWith('.sh')) return 'bash';
  return file.endsWith('.py') ? (programPath('python') ?? 'python3') : process.execPath;
}

/** Starts a program of `examples` at the root of the repository. */
export function startExample(file: string, url: string, options: RunOptions = {}) {
  const { args = [], environment } = options;
  const variables = { GRAPHQL_URL: `${url}/graphql`, ...environment };
  return start(interpreterOf(file), [`examples/${file}`, ...args], ROOT, variables);
}

export const runExample = (...call: Parameters<typeof startExample>): Promise<Ended> =>
  startExample(...call).ended;

type Program = readonly [file: string, ...args: string[]];

const ONE_AFTER_THE_OTHER = `
for (const program of JSON.parse(process.env.PROGRAMS)) {
  process.argv = [process.execPath, ...program];
  console.log('== next');
  await import(program[0]);
}`;

interface Texts {
  readonly count: number;
  readonly finish: () => void;
}

/**
 * Runs programs in one process, which must end with status 0, and finishes each text once a program has printed that it is
 * pending; returns what each printed. Most of the time of a process goes into loading packages, and these share them.
 */
async function runTogether(
  cwd: string,
  programs: readonly Program[],
  { count, finish }: Texts,
  environment: RunOptions['environment'] = {},
): Promise<string[]> {
  const variables = { ...environment, PROGRAMS: JSON.stringify(programs) };
  const args = ['--input-type=module', '--eval', ONE_AFTER_THE_OTHER];
  const running = start(process.execPath, args, cwd, variables);
  for (let text = 1; text <= count; text += 1) {
    await expect.poll(() => running.stdout.match(/PENDING/g)?.length ?? 0).toBeGreaterThanOrEqual(text);
    finish();
  }
  const { stdout, ...end } = await running.ended;
  expect(end).toEqual({ status: 0, stderr: '' });
  return stdout.split('== next\n').slice(1);
}

export const runExamples = (url: string, programs: readonly Program[], texts: Texts): Promise<string[]> => {
  const files = programs.map(([file, ...args]): Program => [`./examples/${file}`, ...args]);
  return runTogether(ROOT, files, texts, { GRAPHQL_URL: `${url}/graphql` });
};

/** The blocks of one language that `docs/clients.md` shows under a heading. */
export const clientBlocks = (heading: string, language: string): readonly [string, ...string[]] =>
  blocksOf(heading, language, 'docs/clients.md');

/** A folder with the packages and generated files that the programs of `docs/clients.md` need. */
export async function projectFolder(): Promise<string> {
  const folder = await temporaryFolder();
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const [from, to] of [
    ['schema.graphql', 'schema.graphql'],
    ['examples/relay/__generated__', '__generated__'],
    ['examples/graphql-env.d.ts', 'graphql-env.d.ts'],
  ] as const)
    await cp(join(ROOT, from), join(folder, to), { recursive: true });
  return folder;
}

interface Server {
  readonly url: string;
}

/** The code of a page, for a server at another address. */
export const at = ({ url }: Server, code: string): string =>
  code.replaceAll('http://127.0.0.1:4000', url).replaceAll('ws://127.0.0.1:4000', url.replace('http', 'ws'));

/** Saves programs of a page as files of a project, and runs them in one process. */
export async function runSnippets(server: Server, codes: readonly string[], texts: Texts): Promise<string[]> {
  const folder = await projectFolder();
  const programs = codes.map((_, index): Program => [`./program-${index}.js`]);
  for (const [index, code] of codes.entries())
    await writeFile(join(folder, `program-${index}.js`), at(server, code));
  return await runTogether(folder, programs, texts);
}

/** Saves a program of a page as a file of a project, and runs it to its end. */
export async function runSnippet(server: Server, code: string, file = 'program.js'): Promise<Ended> {
  const folder = await projectFolder();
  await writeFile(join(folder, file), at(server, code));
  return await start(interpreterOf(file), [file], folder).ended;
}

/** Starts a shell command of a page at the root of the repository. */
export const startShell = (command: string) => start('bash', ['-ec', command], ROOT);

export async function shell(command: string): Promise<string> {
  const { status, stdout, stderr } = await startShell(command).ended;
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
  return stdout;
}

/** What happens to a piece of a response: it passes, the connection is lost before or after it, or something else is sent. */
export type Fate = 'passes' | 'lost before' | 'lost after' | { readonly instead: string };

export interface Traffic {
  readonly sent: string;
  readonly answer: string;
}

export interface LossyWay extends Server {
  readonly sent: string;
}

/** Opens a proxy in front of a server, and decides what happens to each piece of a response. It closes with the test. */
export async function openLossyWay(to: string, fateOf: (traffic: Traffic) => Fate): Promise<LossyWay> {
  const connections: { sent: string }[] = [];
  const proxy = await startTcpProxy(Number(new URL(to).port), ({ near, far }) => {
    const connection = { sent: '' };
    connections.push(connection);
    near.on('data', (data) => {
      connection.sent += data.toString('latin1');
      far.write(data);
    });
    far.on('data', (data) => {
      const fate = fateOf({ sent: connection.sent, answer: data.toString('latin1') });
      if (fate !== 'passes') far.pause();
      if (fate === 'passes') near.write(data);
      else if (fate === 'lost before') near.destroy();
      else near.write(fate === 'lost after' ? data : fate.instead, () => near.destroy());
    });
  });
  return {
    url: `http://127.0.0.1:${proxy.port}`,
    get sent() {
      return connections.map(({ sent }) => sent).join('');
    },
  };
}
