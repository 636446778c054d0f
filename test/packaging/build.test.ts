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
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type * as UpToDate from '../../up-to-date.js';
import { ROOT } from '../support/files.ts';

const TOOLS = 'packages/mcp/tools';

/** A copy of the project with a small server, and with Desk and GraphiQL as they were built already. */
let folder: string;

const writeMain = (text: string): Promise<void> => writeFile(join(folder, 'src/main.ts'), text);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'build-'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const files = 'package.json package-lock.json tsconfig.json build.js build-page.js bundle.js up-to-date.js';
  const folders = 'packages/desk packages/explorer dist/desk dist/explorer';
  for (const name of `${files} ${folders}`.split(' '))
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  for (const name of [TOOLS, 'src']) await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, TOOLS, 'nothing.graphql'), '# Nothing.\n');
  await writeMain("process.stdout.write('one' satisfies string);\n");
  await writeFile(join(folder, 'src/index.ts'), 'export const nothing: null = null;\n');
});
afterAll(() => rm(folder, { recursive: true }));

function build() {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['build.js'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const BUILDS_SERVER = { status: 0, stdout: '', stderr: expect.stringMatching(/^Building the server, .*\n$/) };

test('a build says what it builds, skips what has not changed, and is silent when nothing has', async () => {
  const built = (file: string): Promise<string> => readFile(join(folder, 'dist', file), 'utf8');
  expect(build()).toEqual(BUILDS_SERVER);
  expect(await built('main.js')).toContain('"one"');
  expect(await built('mcp/tools/nothing.graphql')).toBe('# Nothing.\n');
  expect(build()).toEqual({ status: 0, stdout: '', stderr: '' });
  await rename(join(folder, TOOLS, 'nothing.graphql'), join(folder, TOOLS, 'another.graphql'));
  expect(build()).toEqual(BUILDS_SERVER);
  expect(await readdir(join(folder, 'dist/mcp/tools'))).toEqual(['another.graphql']);
});

test('what could not be compiled is reported, and compiled again the next time', async () => {
  await writeMain('export const = 1;\n');
  for (let time = 0; time < 2; time += 1)
    expect(build()).toMatchObject({ status: 1, stderr: expect.stringContaining('src/main.ts') as unknown });
  await writeMain("process.stdout.write('two' satisfies string);\n");
  expect(build()).toEqual(BUILDS_SERVER);
  expect(await readFile(join(folder, 'dist/main.js'), 'utf8')).toContain('"two"');
});

test('GraphiQL is built again when its sources or its dependencies change', async () => {
  const { EXPLORER, isUpToDate } = (await import(
    pathToFileURL(join(folder, 'up-to-date.js')).href
  )) as typeof UpToDate;
  for (const file of ['packages/explorer/src/main.tsx', 'package-lock.json']) {
    expect(await isUpToDate(EXPLORER)).toBe(true);
    const { mtime, atime } = await stat(join(folder, file));
    const later = new Date(Date.now() + 60_000);
    await utimes(join(folder, file), later, later);
    expect(await isUpToDate(EXPLORER), file).toBe(false);
    await utimes(join(folder, file), atime, mtime);
  }
  await rm(join(folder, 'packages/explorer/src/icon.svg'));
  expect(await isUpToDate(EXPLORER)).toBe(false);
});
