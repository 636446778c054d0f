// Plain JavaScript: it runs before anything is compiled, on a Node that takes no TypeScript.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = import.meta.dirname;

/** @typedef {{ readonly made: string, readonly of: readonly string[] }} Build */

/** What GraphiQL is made of, and the file that its build writes last. */
export const EXPLORER = {
  made: 'dist/explorer/files.json',
  of: [
    'packages/explorer/src',
    'packages/explorer/build.js',
    'packages/explorer/vite.config.ts',
    'packages/client/src',
    'build-page.js',
    'package-lock.json',
  ],
};

/** What Desk is made of, and the file that its build writes last. */
export const DESK = {
  made: 'dist/desk/files.json',
  of: [
    'packages/desk/src',
    'packages/desk/build.js',
    'packages/desk/vite.config.ts',
    'packages/client/src',
    'build-page.js',
    'package-lock.json',
  ],
};

/** What the server is made of, and the file that its build writes last. */
export const SERVER = {
  made: 'dist/.built',
  of: ['src', 'packages', 'bundle.js', 'tsconfig.json', 'package-lock.json'],
};

/**
 * Tells whether the last build is newer than everything that it was made of.
 *
 * @param {Build} build
 * @returns {Promise<boolean>}
 */
export async function isUpToDate({ made, of }) {
  const files = await Promise.all(of.map((path) => filesIn(join(ROOT, path))));
  const times = await Promise.all(files.flat().map(timeOf));
  return (await timeOf(join(ROOT, made))) > Math.max(...times);
}

/**
 * Lists a file, or a folder with all that is in it: the time of a folder tells what was removed.
 *
 * @param {string} path
 * @returns {Promise<string[]>}
 */
async function filesIn(path) {
  const names = await readdir(path, { recursive: true }).catch(() => []);
  return [path, ...names.map((name) => join(path, name))];
}

/** @param {string} path */
async function timeOf(path) {
  return await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
