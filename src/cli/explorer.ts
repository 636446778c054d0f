import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadExplorer } from '../http/graphiql.ts';
import { BUILT_EXPLORER } from '../own-files.ts';

/** The list of the files of a build; it is written last. */
const MANIFEST = 'files.json';

/** Finds the explorer built into a folder, and returns how to read it; null if there is none. */
export async function findExplorer(folder: string = BUILT_EXPLORER): Promise<ReadExplorer | null> {
  const isThere = await access(join(folder, MANIFEST)).then(
    () => true,
    () => false,
  );
  return isThere ? explorerIn(folder) : null;
}

/** Returns how to read the explorer built into a folder. */
export function explorerIn(folder: string): ReadExplorer {
  return async () => {
    const names = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')) as readonly string[];
    const files = names.map(async (name) => [name, await readFile(join(folder, `${name}.br`))] as const);
    return {
      page: await readFile(join(folder, 'index.html'), 'utf8'),
      files: new Map(await Promise.all(files)),
    };
  };
}
