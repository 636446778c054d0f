import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import type { RunningGraph } from '../support/graph.ts';
import { blocksOf } from '../support/readme.ts';
import { interpreterOf, type Ended } from './programs.ts';

export const ROOT = resolve(import.meta.dirname, '../..');
const DEADLINE_MS = 50_000;

/** The blocks of one language that `docs/clients.md` shows under a heading. */
export const clientBlocks = (heading: string, language: string): readonly [string, ...string[]] =>
  blocksOf(heading, language, 'docs/clients.md');

/** A folder with this project's packages and its schema, as a program of the page finds them; it goes with the test. */
export async function projectFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'clients-'));
  onTestFinished(() => rm(folder, { recursive: true }));
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

/** A program of the page, for a server at another address. */
export const at = ({ url }: Pick<RunningGraph, 'url'>, code: string): string =>
  code.replaceAll('http://127.0.0.1:4000', url).replaceAll('ws://127.0.0.1:4000', url.replace('http', 'ws'));

/** Saves a program as a file of a project folder, and runs it to its end. */
export async function runSnippet(
  graph: Pick<RunningGraph, 'url'>,
  code: string,
  file = 'program.js',
): Promise<Ended> {
  const path = join(await projectFolder(), file);
  await writeFile(path, at(graph, code));
  const child = spawn(interpreterOf(file), [path], {
    cwd: dirname(path),
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: DEADLINE_MS,
    killSignal: 'SIGKILL',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (written[name] += text));
  await once(child, 'close');
  return { status: child.exitCode, ...written };
}
