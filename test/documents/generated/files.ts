import { execFileSync } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { typedDocuments } from '../../../packages/client/generate.js';
import { printedSchema, schema } from '../../../src/schema/index.ts';
import { llmsText } from './llms.ts';
import { renderReference } from './reference.ts';
import { serviceCalls, serviceFieldsPage } from './service-fields.ts';
import { settingsPage } from './settings.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** The folder that holds nothing but generated files. */
const REFERENCE = 'docs/reference';
/** Where Desk has its documents, and what its generated file imports. */
const DESK = [join(ROOT, 'packages/desk'), '../../client/src/index.ts'] as const;

/** Every generated file that is committed, by its path in the repository. */
export type GeneratedFiles = ReadonlyMap<string, string>;

/** Generates them from the sources, and changes nothing. */
export async function generatedFiles(): Promise<GeneratedFiles> {
  const sdl = printedSchema();
  const pages = [...renderReference(schema, serviceCalls())];
  return new Map([
    ['schema.graphql', sdl],
    ['packages/client/src/documents.ts', await typedDocuments(sdl)],
    ['packages/desk/src/documents.ts', await typedDocuments(sdl, ...DESK)],
    [
      'examples/graphql-env.d.ts',
      execFileSync(process.execPath, [join(ROOT, 'examples/graphql-env.js')], {
        input: sdl,
        encoding: 'utf8',
      }),
    ],
    ...pages.map(([file, text]) => [`${REFERENCE}/${file}`, text] as const),
    ['docs/service-fields.md', serviceFieldsPage()],
    ['docs/settings.md', settingsPage()],
    ['llms.txt', llmsText()],
  ]);
}

/** Writes the files below a folder, and removes pages of types that are gone. */
export async function replaceFiles(root: string, files: GeneratedFiles): Promise<void> {
  for (const [path, text] of files) await writeFile(join(root, path), text);
  for (const path of await stalePages(root, files)) await rm(join(root, path));
}

/** Lists the pages of the reference that are not generated any more. */
export async function stalePages(root: string, files: GeneratedFiles): Promise<string[]> {
  const present = await readdir(join(root, REFERENCE));
  return present.map((file) => `${REFERENCE}/${file}`).filter((path) => !files.has(path));
}
