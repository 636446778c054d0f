import { spawnSync } from 'node:child_process';
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type * as UpToDate from '../../up-to-date.js';

const ROOT = resolve(import.meta.dirname, '../..');
const OPTIONS = 'packages/explorer/src/options.ts';
const TOOL = 'packages/mcp/tools/nothing.graphql';

/** A copy of the project with a small server, and with Desk and GraphiQL as they were built already. */
async function layOut(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'build-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const name of [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'build.js',
    'build-page.js',
    'bundle.js',
    'up-to-date.js',
    'packages/desk',
    'packages/explorer',
  ])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await mkdir(join(folder, 'packages/mcp/tools'), { recursive: true });
  await mkdir(join(folder, 'src'));
  await writeFile(join(folder, TOOL), '# Nothing.\n');
  await writeFile(join(folder, 'src/main.ts'), "process.stdout.write('one' satisfies string);\n");
  await writeFile(join(folder, 'src/index.ts'), 'export const nothing: null = null;\n');
  for (const page of ['dist/desk', 'dist/explorer'])
    await cp(join(ROOT, page), join(folder, page), { recursive: true });
  return folder;
}

function build(folder: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['build.js'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const SAYS_NOTHING = { status: 0, stdout: '', stderr: '' };
const BUILDS_SERVER = { status: 0, stdout: '', stderr: expect.stringMatching(/^Building the server, .*\n$/) };

test('a build says what it builds, leaves alone what has not changed, and is silent when nothing has', async () => {
  const folder = await layOut();
  const tools = join(folder, 'dist/mcp/tools');
  expect(build(folder)).toEqual(BUILDS_SERVER);
  expect(await readFile(join(folder, 'dist/main.js'), 'utf8')).toContain('"one"');
  // Operation files are built as they are, and gone with their source.
  expect(await readFile(join(tools, 'nothing.graphql'), 'utf8')).toBe('# Nothing.\n');
  expect(build(folder)).toEqual(SAYS_NOTHING);
  await writeFile(join(folder, 'src/main.ts'), "process.stdout.write('two' satisfies string);\n");
  expect(build(folder)).toEqual(BUILDS_SERVER);
  expect(await readFile(join(folder, 'dist/main.js'), 'utf8')).toContain('"two"');
  expect(build(folder)).toEqual(SAYS_NOTHING);
  await rename(join(folder, TOOL), join(folder, 'packages/mcp/tools/another.graphql'));
  expect(build(folder)).toEqual(BUILDS_SERVER);
  expect(await readdir(tools)).toEqual(['another.graphql']);
  // What ends in the middle of a build has not written it.
  await rm(join(folder, 'dist/.built'));
  expect(build(folder)).toEqual(BUILDS_SERVER);
});

test('what could not be compiled is said, and compiled again the next time', async () => {
  const folder = await layOut();
  await writeFile(join(folder, 'src/main.ts'), 'export const = 1;\n');
  for (let time = 0; time < 2; time += 1) {
    const { status, stderr } = build(folder);
    expect(status).not.toBe(0);
    expect(stderr).toContain('src/main.ts');
  }
  await writeFile(join(folder, 'src/main.ts'), 'export const one = 1;\n');
  expect(build(folder)).toEqual(BUILDS_SERVER);
});

test('GraphiQL is built again when its sources, its dependencies or its options change', async () => {
  const folder = await layOut();
  const { EXPLORER, isUpToDate } = (await import(
    pathToFileURL(join(folder, 'up-to-date.js')).href
  )) as typeof UpToDate;
  for (const changed of ['packages/explorer/src/main.tsx', 'package-lock.json', OPTIONS]) {
    expect(await isUpToDate(EXPLORER)).toBe(true);
    const { mtime, atime } = await stat(join(folder, changed));
    const later = new Date(Date.now() + 60_000);
    await utimes(join(folder, changed), later, later);
    expect(await isUpToDate(EXPLORER), changed).toBe(false);
    await utimes(join(folder, changed), atime, mtime);
  }
  await rm(join(folder, 'packages/explorer/src/icon.svg'));
  expect(await isUpToDate(EXPLORER)).toBe(false);
});
