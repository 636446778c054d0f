import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadPage } from '../http/built-page.ts';
import { BUILT_DESK, BUILT_EXPLORER } from '../own-files.ts';

/** The list of the files of a build; it is written last. */
const MANIFEST = 'files.json';

/** Returns how to read GraphiQL; null if it was not built. */
export function findExplorer(): ReadPage | null {
  return pageIn(BUILT_EXPLORER);
}

/** Returns how to read Desk; null if it was not built. */
export function findDesk(): ReadPage | null {
  return pageIn(BUILT_DESK);
}

/** Returns how to read the page that was built into a folder; null if there is none. */
export function pageIn(folder: string): ReadPage | null {
  if (!existsSync(join(folder, MANIFEST))) return null;
  return async () => {
    const names = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')) as readonly string[];
    const files = names.map(async (name) => [name, await readFile(join(folder, `${name}.br`))] as const);
    return {
      page: await readFile(join(folder, 'index.html'), 'utf8'),
      files: new Map(await Promise.all(files)),
    };
  };
}
