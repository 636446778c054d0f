import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { ROOT } from '../examples/programs.ts';
import { temporaryFolder } from '../support/files.ts';
import { generatedFiles, replaceFiles, stalePages } from './generated/files.ts';
import { renderReference } from './generated/reference.ts';

const files = generatedFiles();

test.each([...files.keys()])('%s is what npm run generate writes', async (path) => {
  expect(await readFile(join(ROOT, path), 'utf8')).toBe(files.get(path));
});

test('no page of a removed type is left, and no call of the service lacks its fields', async () => {
  expect(await stalePages(ROOT, files)).toEqual([]);
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

test('the index of the reference names every page and every operation', () => {
  const index = files.get('docs/reference/README.md') ?? '';
  const pages = [...files.keys()].flatMap((path) => /^docs\/reference\/(.*)$/.exec(path)?.[1] ?? []);
  expect(pages.length).toBeGreaterThan(100);
  for (const file of pages) if (file !== 'README.md') expect(index).toContain(`](${file}`);
  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()])
    for (const name of Object.keys(root?.getFields() ?? {}))
      expect(index).toContain(`[${name}](${root?.name}.md#`);
});

test('the reference shows deprecations, defaults, and the form and the uses of a type', () => {
  const small = buildSchema(`
    "The root." type Query { "All. And more." accounts(ids: [Ref!]! = ["a"]): [Size!] @deprecated(reason: "Since 1.1: use account.") }
    "A size." enum Size { "Small." S "Large." L @deprecated(reason: "Since 1.2: use S.") }
    "An id." scalar Ref
  `);
  const made = renderReference(small, new Map([['Size', new Set(['GET /sizes'])]]));
  expect([...made.keys()].toSorted()).toEqual(['Query.md', 'README.md', 'Ref.md', 'Size.md']);
  expect(made.get('Query.md')).toContain(
    'Type: \\[[Size](Size.md)!\\]\n\n**Deprecated.** Since 1.1: use account.\n\nAll. And more.\n\n' +
      'Arguments:\n\n- `ids` (\\[[Ref](Ref.md)!\\]!, default `["a"]`): ',
  );
  expect(made.get('Size.md')).toMatch(/### L\n\n\*\*Deprecated\.\*\* Since 1\.2: use S\.\n\nLarge\./);
  expect(made.get('Size.md')).toContain('- [Query.accounts](Query.md#accounts)');
  expect(made.get('Size.md')).toContain('[GET /sizes](../service-fields.md#get-sizes)');
  expect(made.get('README.md')).toContain('- [accounts](Query.md#accounts): (deprecated) All.\n');
  expect(() => renderReference(buildSchema('type Query { unheardOf: Int }'), new Map())).toThrow('unheardOf');
});
