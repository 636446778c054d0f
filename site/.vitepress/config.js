import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { defineConfig } from 'vitepress';
import { linksOf, slugOf } from '../markdown.js';
import { referenceSections, ROOT, SECTIONS } from '../pages.js';

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const types = referenceSections();
const files = [...SECTIONS, ...types].flatMap(({ pages }) => pages).map(({ file }) => file);

/** Addresses follow the repository, so that links hold in both; only a README is the page of its folder. */
const asIndex = (path) => path.replace(/(^|\/)README\.md/, '$1index.md');

const linkOf = ({ title, file }) => ({
  text: title,
  link: `/${asIndex(file).replace(/(?:index)?\.md$/, '')}`,
});
const groupOf = ({ title, pages }, collapsed) => ({ text: title, collapsed, items: pages.map(linkOf) });

/** Points links to a README at the page of its folder, and lets the browser fetch what is no page. */
function adaptLinks(md) {
  md.core.ruler.push('adapt-links', ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href === null || /^(?:[a-z]+:|#)/.test(href)) continue;
      if (/\.md(?:#|$)/.test(href)) token.attrSet('href', asIndex(href));
      else token.attrSet('target', '_self');
    }
  });
}

/** Puts the sources of the pages, and the other files that they link to, beside the pages, for programs. */
function copyFiles({ outDir }) {
  const linked = files.flatMap((file) =>
    linksOf(readFileSync(join(ROOT, file), 'utf8')).map((link) =>
      normalize(join(dirname(file), link.replace(/#.*/, ''))),
    ),
  );
  for (const file of new Set([
    ...files,
    ...linked,
    'llms.txt',
    'schema.graphql',
    'packages/explorer/src/icon.svg',
  ])) {
    if (!statSync(join(ROOT, file)).isFile()) continue;
    mkdirSync(dirname(join(outDir, file)), { recursive: true });
    cpSync(join(ROOT, file), join(outDir, file));
  }
}

/** Folders of the repository without a page. */
const without = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) =>
    name === 'packages' ? readdirSync(join(ROOT, name)).map((one) => `${name}/${one}`) : name,
  )
  .filter((folder) => !files.some((file) => file.startsWith(`${folder}/`)))
  .map((folder) => `${folder}/**`);

/** Lets pages, which lie outside this folder, find Vue in it when they are rendered. */
const vueOfTheSite = {
  name: 'vue-of-the-site',
  enforce: 'pre',
  resolveId: (id, _importer, { ssr }) => (ssr && /^vue(?:\/|$)/.test(id) ? { id, external: true } : null),
};

export default defineConfig({
  title: manifest.name,
  description: manifest.description,
  srcDir: ROOT,
  srcExclude: [...without, '**/node_modules/**'],
  outDir: join(import.meta.dirname, '../dist'),
  rewrites: (file) => asIndex(file),
  head: [['link', { rel: 'icon', href: '/packages/explorer/src/icon.svg' }]],
  cleanUrls: true,
  // A heading such as "GET /library/view/{contentid}" does not end in attributes.
  markdown: { anchor: { slugify: slugOf }, attrs: { disable: true }, config: adaptLinks },
  vite: {
    envDir: import.meta.dirname,
    publicDir: false,
    plugins: [vueOfTheSite],
    // The index of the search is larger than Vite's 500 kB.
    build: { chunkSizeWarningLimit: 1_000 },
  },
  themeConfig: {
    nav: [
      { text: 'Getting started', link: '/docs/getting-started' },
      { text: 'Operations', link: '/docs/operations' },
      { text: 'Reference', link: '/docs/reference/' },
    ],
    sidebar: [
      ...SECTIONS.map((section) => groupOf(section, false)),
      { text: 'Types', items: types.map((section) => groupOf(section, true)) },
    ],
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: {
            // What a guide says comes before the fields of the same name.
            boostDocument: (id) => (/\/reference\/|\/service-fields/.test(id) ? 0.4 : 1),
            // The pages write it as two words.
            processTerm: (term) => (/^timezones?$/i.test(term) ? ['time', 'zone'] : term.toLowerCase()),
          },
        },
      },
    },
  },
  buildEnd: copyFiles,
});
