import { execFile } from 'node:child_process';
import { copyFile, cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { bundle, ENTRIES } from '../../bundle.js';

declare module 'vitest' {
  interface ProvidedContext {
    builtServer: string;
    seed: number;
  }
}

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Builds, once for all tests: GraphiQL in its place, where its sources changed, and the server in a folder of its own. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'built-server-'));
  await Promise.all([
    run(process.execPath, [join(ROOT, 'explorer/build.js')]),
    bundle(ENTRIES, join(folder, 'dist')),
    cp(join(ROOT, 'src/mcp/tools'), join(folder, 'dist/mcp/tools'), { recursive: true }),
    copyFile(join(ROOT, 'package.json'), join(folder, 'package.json')),
    symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules')),
  ]);
  provide('builtServer', folder);
  provide('seed', Number(process.env['TEST_SEED'] ?? Math.trunc(Math.random() * 2 ** 31)));
  return () => rm(folder, { recursive: true });
}
