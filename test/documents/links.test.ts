import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { anchorsOf, linksOf } from '../../site/markdown.js';
import { referenceSections, SECTIONS } from '../../site/pages.js';
import { ROOT } from '../examples/programs.ts';

const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** Every page that the sidebar of the site leads to. */
const PAGES = [...SECTIONS, ...referenceSections()].flatMap(({ pages }) => pages).map(({ file }) => file);

/** What is wrong with the links of a page that stands in a file. */
function brokenLinks(file: string, text: string): string[] {
  return linksOf(text).filter((target) => {
    const [path = '', anchor] = target.split('#');
    const linked = path === '' ? file : join(dirname(file), path);
    if (!existsSync(join(ROOT, linked))) return true;
    return anchor !== undefined && !anchorsOf(path === '' ? text : textOf(linked)).includes(anchor);
  });
}

test('every link of the pages and of llms.txt leads to a file, and to a heading that is there', () => {
  const broken = [...PAGES, 'llms.txt'].flatMap((file) =>
    brokenLinks(file, textOf(file)).map((target) => `${file}: ${target}`),
  );
  expect(broken).toEqual([]);
});

test('the pages link to files and to pages of the site, not to folders', () => {
  const wrong = PAGES.flatMap((file) =>
    linksOf(textOf(file))
      .filter((target) => !target.startsWith('#'))
      .map((target) => join(dirname(file), target.replace(/#.*/, '')))
      .filter(
        (linked) =>
          !statSync(join(ROOT, linked)).isFile() || (linked.endsWith('.md') && !PAGES.includes(linked)),
      )
      .map((linked) => `${file}: ${linked}`),
  );
  expect(wrong).toEqual([]);
});

/** The pages of a folder of the repository. */
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
