import { existsSync, readdirSync } from 'node:fs';
import { Server } from 'node:net';
import { join, posix, sep } from 'node:path';
import { parseSync } from 'vite';
import { expect, test, vi } from 'vitest';
import root from '../package.json' with { type: 'json' };
import { ROOT, textOf } from './support/files.ts';

/** An import of a file; paths begin at the root of the repository, and have slashes. */
interface Import {
  readonly from: string;
  /** The file that is imported, or the name of a package. */
  readonly to: string;
  readonly isPackage: boolean;
  /** True when nothing of it is left once types are gone. */
  readonly isTypeOnly: boolean;
}

const filesUnder = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => posix.join(folder, file.replaceAll(sep, '/')))
    .filter((file) => /\.tsx?$/.test(file));

function importsOf(from: string): Import[] {
  const text = textOf(from);
  const { staticImports, staticExports, dynamicImports } = parseSync(from, text).module;
  const stated = staticImports.map(({ moduleRequest, entries }) =>
    importOf(from, moduleRequest.value, entries.length > 0 && entries.every(({ isType }) => isType)),
  );
  const passedOn = staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ moduleRequest, isType }) =>
      moduleRequest ? importOf(from, moduleRequest.value, isType) : [],
    );
  const dynamic = dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1));
  return [...stated, ...passedOn, ...dynamic.map((target) => importOf(from, target, false))];
}

function importOf(from: string, target: string, isTypeOnly: boolean): Import {
  const isPackage = !target.startsWith('.');
  return { from, to: isPackage ? target : posix.join(posix.dirname(from), target), isPackage, isTypeOnly };
}

const FILES = filesUnder('src');

/** What no line of some files may contain. */
test.each<[rule: string, files: RegExp, wrong: RegExp]>([
  ['nothing is left to be done', /^src/, /\bTODO\b|\bFIXME\b|\bXXX\b|@ts-(?:ignore|nocheck)/],
  ['a suppression has its reason', /^src/, /^(?!.* -- \S).*(?:oxlint-disable|@ts-expect-error)/],
  ['nothing is sent with fetch', /^src/, /(?<![.\w]|async )fetch\(/],
  [
    'a resolver contains no status, header or address',
    /^src\/schema\//,
    /\bstatusCode: \d|'content-type'|'https?:\/\//,
  ],
  [
    'only the sources contain names of fields of the service',
    /^src\/(?!sources\/)/,
    /\b(?:accountUsername|fbAppInstall|profileUniqueId|shortenerMaster|group_name|account_type|isReconnect)\b/,
  ],
  [
    'nothing that lies outside the repository is mentioned',
    /^/,
    /\.\.\/shared|registry\.(?:npmjs|yarnpkg)|npm\.pkg\.github|\/(?:home|root|tmp)\//,
  ],
])('%s', (_rule, files, wrong) => {
  const found = ['src', 'test', 'packages']
    .flatMap(filesUnder)
    .filter((file) => files.test(file) && !file.includes('/node_modules/'))
    .flatMap((file) =>
      textOf(file)
        .split('\n')
        .filter((line) => wrong.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
  expect(found).toEqual([]);
});

// Layers.

/** Files beside the folders of the table, each with the folder that it stands above. */
const BESIDE = { 'authorization.ts': 'sources', 'service-time.ts': 'sources', 'config.ts': 'config' };
/** What everything may import. */
const HELPERS = ['own-files.ts', 'cut-text.ts', 'find-text.ts', 'bounded-cache.ts', 'remember.ts'];

const [, AND_MORE = ''] = textOf('ARCHITECTURE.md').split(/^## Layers$/m);
const ROWS = AND_MORE.split(/^## /m)[0]?.match(/^\| `.*?\|/gm) ?? [];
/** The layers from top to bottom, as ARCHITECTURE.md has them: a file imports from lower layers and its own folder. */
const LAYERS = ROWS.flatMap((row) => [...row.matchAll(/`([\w.-]+)\/?`/g)])
  .flatMap(([, name = '']) => [
    ...Object.entries(BESIDE).flatMap(([file, below]) => (below === name ? [file] : [])),
    name,
  ])
  .concat(HELPERS);

/** Folders that may import types from higher layers. */
const TYPES_FROM_ABOVE: Readonly<Record<string, readonly string[]>> = { observability: ['sources'] };

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

const IMPORTS = FILES.flatMap(importsOf);
const INNER = IMPORTS.filter(({ to }) => to.startsWith('src/'));

const folderOf = (file: string): string => file.split('/')[1] ?? '';
const layerOf = (folder: string): number => LAYERS.indexOf(folder);
const told = ({ from, to }: Pick<Import, 'from' | 'to'>): string => `${from} imports ${to}`;

test('imports are found: static and dynamic, of files and of packages', () => {
  const some = ['src/main.ts imports src/cli/program.ts', 'src/cli/program.ts imports commander'];
  expect(IMPORTS.map(told)).toEqual(expect.arrayContaining(some));
});

test('files are named after an idea and not a technical role, and only two pass on what others export', () => {
  const roles = /\/(?:utils?|helpers?|common|types?|misc|index)\.ts$/;
  expect(FILES.filter((file) => roles.test(file))).toEqual(['src/index.ts', 'src/schema/index.ts']);
});

test('every file is in a layer', () => {
  expect(FILES.filter((file) => layerOf(folderOf(file)) < 0)).toEqual([]);
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
    return name !== undefined && PACKAGE_OF[name]?.test(from.slice('src/'.length)) === false;
  });
  expect(wrong.map(told)).toEqual([]);
});

test('only cli, journal, own-files.ts and the output of the log use the file system, and nothing starts a process', () => {
  const wrong = IMPORTS.filter(
    ({ from, to }) =>
      /^node:(?:child_process|cluster|vm|worker_threads)$/.test(to) ||
      (to.startsWith('node:fs') &&
        !/^src\/(?:(?:cli|journal)\/|own-files\.ts$|observability\/output\.ts$)/.test(from)),
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
  JSON.parse(textOf(`packages/${name}/package.json`)) as Manifest;
const MANIFESTS = new Map(NAMES.map((name) => [name, manifestOf(name)]));

/** The sources of what a package exports, which others may import. A package that is published exports what is built. */
const entriesOf = (name: string): string[] =>
  Object.values(MANIFESTS.get(name)?.exports ?? {})
    .map((entry) => (typeof entry === 'string' ? entry : entry.default))
    .filter((entry) => /\.[jt]s$/.test(entry))
    .map((entry) => join('packages', name, entry.replace(/^\.\/dist\/(.*)\.js$/, 'src/$1.ts')));

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
    const wrong = filesUnder(`packages/${name}/src`)
      .flatMap(importsOf)
      .filter(({ to, isPackage }) =>
        isPackage
          ? !to.startsWith('node:') && !declared.some((one) => `${to}/`.startsWith(`${one}/`))
          : !to.startsWith(own) && !to.startsWith('node_modules/') && !others.includes(to),
      );
    expect(wrong.map(told)).toEqual([]);
  },
);

test('src imports only what packages export', () => {
  const exported = NAMES.flatMap(entriesOf);
  const wrong = IMPORTS.filter(
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

// Side effects.

/** What an import could change, beside declaring things. */
function stateOfProcess(): Record<string, unknown> {
  return {
    listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
    environment: { ...process.env },
    directory: process.cwd(),
    exitCode: process.exitCode,
    globals: Object.getOwnPropertyNames(globalThis).toSorted(),
    prototypes: [Object, Array, String, Number, Promise, Error].map(({ prototype }) =>
      Object.getOwnPropertyNames(prototype).toSorted(),
    ),
  };
}

/** What is open that was not open before. Timers of earlier tests of this worker may end at any time. */
function openedSince(before: readonly string[]): string[] {
  const left = [...before];
  return openNow().filter((kind) => {
    const at = left.indexOf(kind);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

function openNow(): string[] {
  const kinds = /Server|TCP|Pipe|Timeout|Immediate|FSEvent/;
  return process.getActiveResourcesInfo().filter((kind) => kinds.test(kind));
}

const LOADED = ['src', ...['executor', 'sandbox', 'mcp', 'webhooks'].map((name) => `packages/${name}/src`)];

// What packages do when they are loaded for the first time is theirs to answer for, so they are loaded before.
test('every file can be imported without side effects', async () => {
  vi.resetModules();
  const files = LOADED.flatMap(filesUnder).filter((file) => file !== 'src/main.ts');
  const imported = files.flatMap(importsOf).filter(({ isPackage, isTypeOnly }) => isPackage && !isTypeOnly);
  for (const name of new Set(imported.map(({ to }) => to))) await import(name);
  const listen = vi.spyOn(Server.prototype, 'listen');
  const written = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write'));
  const before = stateOfProcess();
  const open = openNow();
  for (const file of files) await import(join(ROOT, file));
  expect(stateOfProcess()).toEqual(before);
  expect(openedSince(open)).toEqual([]);
  expect(listen).not.toHaveBeenCalled();
  for (const spy of written) expect(spy).not.toHaveBeenCalled();
});
