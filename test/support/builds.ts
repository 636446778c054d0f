import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { missingPrograms } from './programs.ts';

declare module 'vitest' {
  interface ProvidedContext {
    seed: number;
  }
}

const ROOT = resolve(import.meta.dirname, '../..');

/** Builds what is shipped, once for all tests, and says what this run leaves out and how to repeat it. */
export async function setup({ provide }: TestProject): Promise<void> {
  await promisify(execFile)(process.execPath, ['build.js'], { cwd: ROOT });
  const seed = Number(process.env['TEST_SEED'] ?? Math.trunc(Math.random() * 2 ** 31));
  provide('seed', seed);
  const left = missingPrograms().map(
    ({ program, tests }) => `Left out: the tests ${tests}, because ${program} is not installed.\n`,
  );
  process.stdout.write(`${left.join('')}TEST_SEED=${seed} repeats the random cases of this run.\n`);
}
