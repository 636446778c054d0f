import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { anchorsOf, linksOf } from '../../site/markdown.js';
import { referenceSections, SECTIONS } from '../../site/pages.js';
import { printedSchema, schema } from '../../src/schema/index.ts';
import { ROOT, textOf } from '../support/files.ts';
import { generatedFiles, stalePages } from './generated/files.ts';
import { renderReference } from './generated/reference.ts';

// Generated files.

test('every generated file is what npm run generate writes, no page of a removed type is left, and the index names all of the rest', async () => {
  const files = await generatedFiles();
  expect([...files.keys()].filter((path) => textOf(path) !== files.get(path))).toEqual([]);
  expect(await stalePages(ROOT, files)).toEqual([]);
  // No call of the service lacks its fields.
  expect(files.get('docs/service-fields.md')).not.toContain('undefined');
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

// The schema of the last release.

const RELEASED = textOf('test/documents/released.graphql');
const [, releasedVersion = ''] = /^# (\d+\.\d+\.\d+)\n/.exec(RELEASED) ?? [];
const majorOf = (one: string): number => Number(one.split('.')[0]);

/** What in a schema would break a client of another one. */
async function breaking(before: string, after: string): Promise<string[]> {
  const changes = await diff(buildSchema(before), buildSchema(after));
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ message }) => message);
}

test('the schema breaks nothing that the last release promised, except in the next major version', async () => {
  expect(majorOf(manifest.version)).toBeGreaterThanOrEqual(majorOf(releasedVersion));
  if (majorOf(manifest.version) > majorOf(releasedVersion)) return;
  expect(await breaking(RELEASED, printedSchema())).toEqual([]);
});

test('the changelog has the released version and the version of the package', () => {
  for (const version of [releasedVersion, manifest.version])
    expect(textOf('CHANGELOG.md')).toContain(`## ${version} `);
});

test('a removal counts as breaking, an addition does not', async () => {
  const old = 'type Query { a(x: Int): Int b: Int @deprecated(reason: "Since 1.0: use a.") }';
  expect(await breaking(old, old.replace(/ b: .*"\)/, ''))).toHaveLength(1);
  expect(await breaking(old, old.replace('x: Int', 'x: Int y: Int'))).toEqual([]);
});

// Links.

/** Every page that the sidebar of the site leads to. */
const PAGES = [...SECTIONS, ...referenceSections()].flatMap(({ pages }) => pages).map(({ file }) => file);

/** The links of a page that lead to no file, to a page that the site lacks, or to no heading. */
function brokenLinks(file: string, text: string): string[] {
  return linksOf(text).filter((target) => {
    const [path = '', anchor] = target.split('#');
    const linked = path === '' ? file : join(dirname(file), path);
    if (!statSync(join(ROOT, linked), { throwIfNoEntry: false })?.isFile()) return true;
    if (linked.endsWith('.md') && !PAGES.includes(linked)) return true;
    return anchor !== undefined && !anchorsOf(textOf(linked)).includes(anchor);
  });
}

test('every link of the pages and of llms.txt leads to a file or a page of the site, and to a heading that is there', () => {
  const broken = [...PAGES, 'llms.txt'].flatMap((file) =>
    brokenLinks(file, textOf(file)).map((target) => `${file}: ${target}`),
  );
  expect(broken).toEqual([]);
});

const pagesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

/** Folders with pages for developers of the code beside them. */
const INTERNAL = ['dist', 'node_modules', 'packages', 'site', 'src', 'test'];

test('the sidebar leads to every page, once', () => {
  const folders = readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !INTERNAL.includes(entry.name))
    .map(({ name }) => name);
  const written = ['.', 'docs/reference', 'packages/client', ...folders].flatMap(pagesIn);
  expect(PAGES.toSorted()).toEqual(written.toSorted());
});

test('a page has one title, and no two headings of one name, since links would lead to the first', () => {
  for (const file of PAGES) {
    expect(textOf(file), file).toMatch(/^# \S.*\n\n/);
    const repeated = anchorsOf(textOf(file)).filter((name) => /-\d$/.test(name));
    expect(repeated, file).toEqual([]);
  }
});

/** A page without its code, which the site shows as it is. */
const proseOf = (text: string): string =>
  text.replaceAll(/^ *```.*?^ *```/gms, '').replaceAll(/`[^`\n]*`/g, '');

test('no page holds what the site would take for a component or an expression of Vue', () => {
  for (const file of PAGES) {
    const prose = proseOf(textOf(file));
    expect(prose.match(/\{\{|<(?!https?:)[A-Za-z][^>]*>/g), file).toBeNull();
  }
});
