import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ROOT } from './commands.ts';
import { generatedFiles, replaceFiles, stalePages } from './generated/files.ts';

const files = generatedFiles();

test.each([...files.keys()])('%s is what npm run generate writes', async (path) => {
  expect(await readFile(join(ROOT, path), 'utf8')).toBe(files.get(path));
});

test('there is no page of a type that is gone', async () => {
  expect(await stalePages(ROOT, files)).toEqual([]);
});

test('no call of the service is left without its fields', () => {
  expect(files.get('docs/service-fields.md')).not.toContain('undefined');
});

test('generated files replace the old ones all at once, and none of them if one cannot be written', async () => {
  const root = await temporaryFolder();
  await mkdir(join(root, 'docs/reference'), { recursive: true });
  for (const page of ['Kept.md', 'Gone.md']) await writeFile(join(root, 'docs/reference', page), 'old');
  const present = () => readdir(root, { recursive: true });
  const before = await present();
  const kept = ['docs/reference/Kept.md', 'new'] as const;

  const impossible = new Map([kept, ['docs/reference/Kept.md/below-a-file', 'new']]);
  await expect(replaceFiles(root, impossible)).rejects.toThrow();
  expect(await present()).toEqual(before);
  expect(await readFile(join(root, kept[0]), 'utf8')).toBe('old');

  await replaceFiles(root, new Map([kept, ['llms.txt', 'new']]));
  expect((await present()).toSorted()).toEqual(['docs', 'docs/reference', kept[0], 'llms.txt']);
  expect(await readFile(join(root, kept[0]), 'utf8')).toBe('new');
});
