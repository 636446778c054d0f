import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadPage } from '../http/built-page.ts';
import { BUILT_DESK, BUILT_EXPLORER } from '../own-files.ts';

/** The list of a page's files. */
const MANIFEST = 'files.json';

/** Returns how to read GraphiQL. */
export function findExplorer(): ReadPage {
  return pageIn(BUILT_EXPLORER);
}

/** Returns how to read Desk. */
export function findDesk(): ReadPage {
  return pageIn(BUILT_DESK);
}

function pageIn(folder: string): ReadPage {
  return async () => {
    const names = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')) as readonly string[];
    const files = names.map(async (name) => [name, await readFile(join(folder, `${name}.br`))] as const);
    return {
      page: await readFile(join(folder, 'index.html'), 'utf8'),
      files: new Map(await Promise.all(files)),
    };
  };
}
