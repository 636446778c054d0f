import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { bundle, compileEach, ENTRIES } from '../../bundle.js';
import { BUILDS } from './compiled-sources.ts';

declare module 'vitest' {
  interface ProvidedContext {
    builtServer: string;
    seed: number;
  }
}

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/**
 * Builds, once for all tests: GraphiQL in its place, where its sources changed, and in a folder of its own the server as
 * it is shipped, and its modules one by one.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  await rm(BUILDS, { recursive: true, force: true });
  await mkdir(BUILDS);
  const tools = join(ROOT, 'packages/mcp/tools');
  await Promise.all([
    ...['desk', 'explorer'].map((page) => run(process.execPath, [join(ROOT, 'packages', page, 'build.js')])),
    bundle(ENTRIES, join(BUILDS, 'dist')),
    compileEach(BUILDS),
    ...['dist', 'src'].map((built) => cp(tools, join(BUILDS, built, 'mcp/tools'), { recursive: true })),
    copyFile(join(ROOT, 'package.json'), join(BUILDS, 'package.json')),
    symlink(join(ROOT, 'node_modules'), join(BUILDS, 'node_modules')),
  ]);
  provide('builtServer', BUILDS);
  provide('seed', Number(process.env['TEST_SEED'] ?? Math.trunc(Math.random() * 2 ** 31)));
  return () => rm(BUILDS, { recursive: true });
}
