import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { readFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A folder of a test's own, which is removed when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export const ROOT = resolve(import.meta.dirname, '../..');

/** The text of a file of the repository. */
export const textOf = (file: string): string => readFileSync(resolve(ROOT, file), 'utf8');

/** The text under a heading of a page, the README by default, up to the next heading; empty if there is no such heading. */
export function sectionOf(heading: string, page = 'README.md'): string {
  const sections = textOf(page).split(/^##+ /m);
  return sections.find((part) => part.startsWith(`${heading}\n`)) ?? '';
}

/** The code blocks under a heading of a page, of one language; fails where there are none. */
export function blocksOf(heading: string, language: string, page = 'README.md') {
  const section = sectionOf(heading, page);
  const found = [...section.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))];
  const [first, ...others] = found.map(([, code = '']) => code);
  if (first === undefined) throw new Error(`${page} shows no ${language} under “${heading}”`);
  return [first, ...others] as const;
}

const TSC = resolve(ROOT, 'node_modules/typescript/bin/tsc');
const NO_EMIT = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023'];
const run = promisify(execFile);

/** Runs TypeScript's compiler; what it says of errors is the `stdout` of the error that it throws. */
export async function runCompiler(args: readonly string[], cwd?: string): Promise<void> {
  // It ends before its garbage matters, and collecting that is a third of its work.
  await run(process.execPath, [TSC, ...args], { cwd, env: { GOGC: 'off' } });
}

/** Checks programs of a folder in one run; gives what is said of each, by its name. */
export async function checkPrograms(
  cwd: string,
  files: readonly string[],
  options: readonly string[] = [],
): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await runCompiler([...NO_EMIT, ...options, ...files], cwd).then(
    () => ({ stdout: '' }),
    (error: unknown) => error as { readonly stdout: string },
  );
  // What is said of a file begins with its name; lines that go on with it are indented.
  const said = stdout.split(/^(?=\S)/m);
  return Object.fromEntries(
    files.map((file) => [file, said.filter((text) => text.startsWith(`${file}(`)).join('')]),
  );
}
