import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import root from '../../package.json' with { type: 'json' };
import { filesUnder, importsOf, ROOT, type Import } from './source-files.ts';

/** The layers from top to bottom: a file imports from lower layers and its own folder. */
const LAYERS: readonly (readonly string[])[] = [
  ['main.ts', 'index.ts'],
  ['cli'],
  ['server.ts'],
  ['http'],
  ['local-graph.ts'],
  ['graph.ts', 'present-result.ts'],
  ['schema'],
  ['operation'],
  ['services.ts'],
  ['coordination'],
  ['watch'],
  ['writes', 'live'],
  ['journal'],
  ['records'],
  ['loaders'],
  ['lists'],
  ['authorization.ts', 'service-time.ts'],
  ['sources'],
  ['engine'],
  ['config.ts'],
  ['config'],
  ['observability'],
  ['own-files.ts', 'cut-text.ts', 'bounded-cache.ts'],
];

/** Folders that may import types from higher layers. */
const TYPES_FROM_ABOVE: Readonly<Record<string, readonly string[]>> = {
  observability: ['sources'],
};

/** Folders that only some may import from. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'main.ts': [],
  'index.ts': [],
  cli: ['main.ts', 'index.ts'],
  'server.ts': ['cli', 'index.ts'],
  http: ['server.ts', 'cli', 'index.ts'],
  schema: ['cli', 'http', 'graph.ts', 'present-result.ts', 'index.ts'],
  'graph.ts': ['server.ts', 'http', 'cli', 'local-graph.ts'],
  'present-result.ts': ['http', 'local-graph.ts'],
  records: ['schema', 'operation', 'watch', 'writes', 'live'],
  loaders: ['schema', 'operation', 'watch', 'records', 'writes', 'services.ts'],
  lists: ['cli', 'schema', 'watch', 'loaders', 'records', 'services.ts', 'writes', 'live'],
  engine: ['graph.ts', 'present-result.ts', 'http', 'schema', 'config'],
};

/** Packages that may be imported in one place only. */
const PACKAGE_OF: Readonly<Record<string, RegExp>> = {
  ioredis: /^coordination\/redis\//,
  'classic-level': /^journal\/store\.ts$/,
  'lru-cache': /^bounded-cache\.ts$/,
  undici: /^sources\/upstream\/(?:call|transport)\.ts$/,
  commander: /^cli\/program\.ts$/,
  pino: /^observability\/log\.ts$/,
  'prom-client': /^observability\/metrics\.ts$/,
  '@opentelemetry/api': /^observability\/tracing\.ts$/,
  'socket.io-client': /^sources\/ai-results\//,
  dataloader: /^loaders\//,
  'graphql-yoga': /^http\//,
  'graphql-ws': /^http\//,
  '@pothos/core': /^schema\//,
  '@pothos/plugin-relay': /^schema\//,
  'graphql-scalars': /^schema\//,
  graphql: /^(?:schema|http|engine)\/|^(?:graph|local-graph|present-result)\.ts$/,
  'html-to-text': /^sources\//,
};

const FILES = filesUnder('src', '.ts');
const IMPORTS = FILES.flatMap((file) => importsOf(file));
const INNER = IMPORTS.filter(({ isPackage, to }) => !isPackage && !to.startsWith('../'));

const folderOf = (file: string): string => file.split('/')[0] ?? '';
const layerOf = (folder: string): number => LAYERS.findIndex((folders) => folders.includes(folder));
const told = ({ from, to }: Pick<Import, 'from' | 'to'>): string => `${from} imports ${to}`;

test('imports are found: static, dynamic, with and without types', () => {
  const some = [
    ['cli/program.ts', 'cli/start.ts', false],
    ['services.ts', 'coordination/coordination.ts', false],
    ['sources/upstream/transport.ts', 'undici', true],
  ] as const;
  for (const [from, to, isPackage] of some)
    expect(IMPORTS).toContainEqual({ from, to, isPackage, isTypeOnly: false });
});

test('every file is in a layer, and every import is a file', () => {
  expect(FILES.filter((file) => layerOf(folderOf(file)) < 0)).toEqual([]);
  expect(INNER.filter(({ to }) => !FILES.includes(to)).map(told)).toEqual([]);
});

test('the layers are those of ARCHITECTURE.md, in its order', () => {
  const [, table = ''] = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8').split(/^## Layers$/m);
  const rows = table.split(/^## /m)[0]?.match(/^\| `.*$/gm) ?? [];
  const layers = rows.map((row) =>
    [...(row.split('|')[1]?.matchAll(/`([\w.-]+)\/?`/g) ?? [])].map(([, name = '']) => layerOf(name)),
  );
  expect(layers.length).toBeGreaterThan(10);
  expect(layers.flat().filter((layer) => layer < 0)).toEqual([]);
  for (const [index, layer] of layers.entries())
    expect(Math.min(...layer)).toBeGreaterThanOrEqual(Math.max(-1, ...(layers[index - 1] ?? [])));
});

test('imports point down the layers', () => {
  const wrong = INNER.filter((one) => {
    const [from, to] = [folderOf(one.from), folderOf(one.to)];
    if (from === to) return false;
    if (one.isTypeOnly && TYPES_FROM_ABOVE[from]?.includes(to)) return false;
    return layerOf(to) <= layerOf(from);
  });
  expect(wrong.map(told)).toEqual([]);
});

/** What lies on a cycle of imports, of types as well, from one file back to it; null where there is none. */
function cycleFrom(start: string, importedBy: ReadonlyMap<string, readonly string[]>): string[] | null {
  const seen = new Set<string>();
  const search = (file: string, path: readonly string[]): string[] | null => {
    for (const next of importedBy.get(file) ?? []) {
      if (next === start) return [...path, file];
      if (seen.has(next)) continue;
      seen.add(next);
      const found = search(next, [...path, file]);
      if (found) return found;
    }
    return null;
  };
  return search(start, []);
}

test('files do not import each other in a circle, except accounts and their groups', () => {
  const imports = new Map(FILES.map((file) => [file, [] as string[]]));
  for (const { from, to } of INNER) {
    if (!(from === 'schema/account.ts' && to === 'schema/account-group.ts')) imports.get(from)?.push(to);
  }
  const circles = FILES.map((file) => cycleFrom(file, imports)).filter((circle) => circle !== null);
  expect(circles).toEqual([]);
});

test('a folder is imported only where it may be', () => {
  const wrong = INNER.filter((one) => {
    const [from, to] = [folderOf(one.from), folderOf(one.to)];
    return from !== to && MAY_IMPORT[to] !== undefined && !MAY_IMPORT[to].includes(from);
  });
  expect(wrong.map(told)).toEqual([]);
});

test('each package is imported only where it belongs', () => {
  const wrong = IMPORTS.filter(({ from, to, isPackage }) => {
    if (!isPackage) return false;
    const name = Object.keys(PACKAGE_OF).find((known) => to === known || to.startsWith(`${known}/`));
    return name !== undefined && PACKAGE_OF[name]?.test(from) === false;
  });
  expect(wrong.map(told)).toEqual([]);
});

test('only cli, journal and own-files.ts use the file system, and nothing starts a process', () => {
  const wrong = IMPORTS.filter(
    ({ from, to }) =>
      /^node:(?:child_process|cluster|vm|worker_threads)$/.test(to) ||
      (to.startsWith('node:fs') && !/^(?:(?:cli|journal)\/|own-files\.ts$)/.test(from)),
  );
  expect(wrong.map(told)).toEqual([]);
});

// The packages.

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const NAMES = readdirSync(join(ROOT, 'packages'));
const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8')) as Manifest;
const MANIFESTS = new Map(NAMES.map((name) => [name, manifestOf(name)]));

/** The sources of what a package exports, which others may import. A package that is published exports what is built. */
const entriesOf = (name: string): string[] =>
  Object.values(MANIFESTS.get(name)?.exports ?? {})
    .map((entry) => (typeof entry === 'string' ? entry : entry.default))
    .filter((entry) => /\.[jt]s$/.test(entry))
    .map((entry) => join('packages', name, entry.replace(/^\.\/dist\/(.*)\.js$/, 'src/$1.ts')));

/** Imports of one folder, with paths from the root of the repository. */
const importsUnder = (folder: string) =>
  ['.ts', '.tsx']
    .flatMap((ending) => filesUnder(folder, ending))
    .flatMap((file) => importsOf(file, folder))
    .map((one) => ({
      from: join(folder, one.from),
      to: one.isPackage ? one.to : join(folder, one.to),
      isPackage: one.isPackage,
    }));

test.each(NAMES)(
  'packages/%s has a README and exports that exist, and imports only itself, what other packages export, and its dependencies',
  (name) => {
    const needed = [join('packages', name, 'README.md'), ...entriesOf(name)];
    expect(needed.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    const { dependencies, devDependencies, peerDependencies } = MANIFESTS.get(name) ?? {};
    const declared = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies });
    const own = join('packages', name, 'src/');
    const others = NAMES.filter((other) => declared.includes(MANIFESTS.get(other)?.name ?? '')).flatMap(
      entriesOf,
    );
    const wrong = importsUnder(join('packages', name, 'src')).filter(({ to, isPackage }) =>
      isPackage
        ? !to.startsWith('node:') && !declared.some((one) => `${to}/`.startsWith(`${one}/`))
        : !to.startsWith(own) && !to.startsWith('node_modules/') && !others.includes(to),
    );
    expect(wrong.map(told)).toEqual([]);
  },
);

test('src imports only what packages export', () => {
  const exported = NAMES.flatMap(entriesOf);
  const wrong = importsUnder('src').filter(
    ({ to, isPackage }) => !isPackage && !to.startsWith('src/') && !exported.includes(to),
  );
  expect(wrong.map(told)).toEqual([]);
});

test('what is bundled into the server depends on the versions that are installed with it', () => {
  const installed: Readonly<Record<string, string>> = { ...root.dependencies, ...root.devDependencies };
  const differing = [...MANIFESTS].flatMap(([name, { dependencies, devDependencies }]) =>
    Object.entries({ ...dependencies, ...devDependencies })
      .filter(
        ([dependency, version]) => (installed[dependency] ?? version) !== version && !version.startsWith('^'),
      )
      .map(([dependency]) => `packages/${name}: ${dependency}`),
  );
  expect(differing).toEqual([]);
});
