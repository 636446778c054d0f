import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadPage } from '../http/built-page.ts';
import { BUILT_DESK, BUILT_EXPLORER } from '../own-files.ts';

/** The list of the files of a build; it is written last. */
const MANIFEST = 'files.json';

/** Finds GraphiQL in the folder that it was built into, and returns how to read it; null if it was not built. */
export async function findExplorer(folder: string = BUILT_EXPLORER): Promise<ReadPage | null> {
  return await findPage(folder);
}

/** Finds Desk in the folder that it was built into, and returns how to read it; null if it was not built. */
export async function findDesk(folder: string = BUILT_DESK): Promise<ReadPage | null> {
  return await findPage(folder);
}

async function findPage(folder: string): Promise<ReadPage | null> {
  const isThere = await access(join(folder, MANIFEST)).then(
    () => true,
    () => false,
  );
  return isThere ? pageIn(folder) : null;
}

/** Returns how to read a page built into a folder. */
export function pageIn(folder: string): ReadPage {
  return async () => {
    const names = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')) as readonly string[];
    const files = names.map(async (name) => [name, await readFile(join(folder, `${name}.br`))] as const);
    return {
      page: await readFile(join(folder, 'index.html'), 'utf8'),
      files: new Map(await Promise.all(files)),
    };
  };
}
