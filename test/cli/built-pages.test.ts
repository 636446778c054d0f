import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findExplorer } from '../../src/cli/built-pages.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('an explorer is there once the list of its files is, which a build writes last', async () => {
  const folder = await temporaryFolder();
  for (const name of ['index.html', 'main.js.br']) await writeFile(join(folder, name), name);
  expect(await findExplorer(folder)).toBeNull();
  await writeFile(join(folder, 'files.json'), '["main.js"]');
  const read = await findExplorer(folder);
  expect(await read?.()).toEqual({
    page: 'index.html',
    files: new Map([['main.js', Buffer.from('main.js.br')]]),
  });
});
