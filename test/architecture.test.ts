import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Server } from 'node:net';
import { basename, dirname, join, normalize, relative, resolve, sep } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import root from '../package.json' with { type: 'json' };

const ROOT = resolve(import.meta.dirname, '..');

/** An import of a file. */
interface Import {
  /** The file that imports, from its folder, with slashes. */
  readonly from: string;
  /** The file that is imported, from the same folder, or the name of a package. */
  readonly to: string;
  readonly isPackage: boolean;
  /** True when nothing of it is left once types are gone. */
  readonly isTypeOnly: boolean;
}

/** Files under a folder of the repository, as paths from that folder, with slashes. */
function filesUnder(folder: string, ending: string): string[] {
  const base = join(ROOT, folder);
  return readdirSync(base, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(base, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .toSorted();
}

/** The text of a file under `src`, or another folder. */
const sourceOf = (file: string, folder = 'src'): string => readFileSync(join(ROOT, folder, file), 'utf8');

const STATEMENT = /^(?:import|export)\s+(type\s)?([\w*{][^;'"=()]*?\s+from\s+)?['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;
/** A package that is loaded as CommonJS. */
const REQUIRED = /\bload\(\s*['"]([^'"]+)['"]/g;

/** Every import of a file under a folder, dynamic ones and what is loaded as CommonJS too. */
function importsOf(file: string, folder = 'src'): Import[] {
  const text = sourceOf(file, folder);
  const stated = [...text.matchAll(STATEMENT)].map(([, type, names = '', target = '']) =>
    importOf(file, target, type !== undefined || namesTypesOnly(names)),
  );
  const dynamic = [DYNAMIC, REQUIRED]
    .flatMap((form) => [...text.matchAll(form)])
    .map(([, target = '']) => importOf(file, target, false));
  return [...stated, ...dynamic];
}

function namesTypesOnly(names: string): boolean {
  const listed = /^\{(.*)\}\s+from$/s
    .exec(names.trim())?.[1]
    ?.split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return listed !== undefined && listed.length > 0 && listed.every((name) => name.startsWith('type '));
}

function importOf(from: string, target: string, isTypeOnly: boolean): Import {
  const isPackage = !target.startsWith('.');
  const to = isPackage ? target : normalize(join(dirname(from), target));
  return { from, to: to.split(sep).join('/'), isPackage, isTypeOnly };
}

const FILES = filesUnder('src', '.ts');

// Files.

test('files are named in lower case with hyphens, after an idea and not a technical role', () => {
  const roles = /^(?:utils?|helpers?|common|types?|misc)\.ts$/;
  const form = /^(?:[a-z0-9]+(?:-[a-z0-9]+)*\/)*[a-z0-9]+(?:-[a-z0-9]+)*\.ts$/;
  expect(FILES.filter((file) => roles.test(basename(file)) || !form.test(file))).toEqual([]);
  // No other file only passes on what others export.
  expect(FILES.filter((file) => basename(file) === 'index.ts')).toEqual(['index.ts', 'schema/index.ts']);
});

/** What no line of some files may contain. */
test.each<[rule: string, files: RegExp, wrong: RegExp]>([
  ['nothing is left to be done', /^/, /\bTODO\b|\bFIXME\b|\bXXX\b|@ts-(?:ignore|nocheck)/],
  ['a suppression has its reason', /^/, /^(?!.* -- \S).*(?:oxlint-disable|@ts-expect-error)/],
  ['nothing is sent with fetch', /^/, /(?<![.\w]|async )fetch\(/],
  [
    'a resolver contains no status, header or address',
    /^schema\//,
    /\bstatusCode: \d|'content-type'|'https?:\/\//,
  ],
  [
    'only the sources contain names of fields of the service',
    /^(?!sources\/)/,
    /\b(?:accountUsername|fbAppInstall|profileUniqueId|shortenerMaster|group_name|account_type|isReconnect)\b/,
  ],
])('%s', (_rule, files, wrong) => {
  const found = FILES.filter((file) => files.test(file)).flatMap((file) =>
    sourceOf(file)
      .split('\n')
      .filter((line) => wrong.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

/** Words that have no place in a repository that anyone may have: where it was made, and where packages come from. */
const FOREIGN = [
  ['..', 'shared'].join('/'),
  ['registry', 'npmjs'].join('.'),
  ['registry', 'yarnpkg'].join('.'),
  ['npm', 'pkg', 'github'].join('.'),
  ['', 'home', ''].join('/'),
  ['', 'root', ''].join('/'),
  ['', 'tmp', ''].join('/'),
];

test('no file mentions what lies outside the repository', () => {
  const texts = ['src', 'test', 'packages'].flatMap((folder) =>
    filesUnder(folder, '.ts').map((file) => join(folder, file)),
  );
  const mentioning = [...texts, 'package.json', 'README.md', 'ARCHITECTURE.md'].flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return FOREIGN.filter((word) => text.includes(word)).map((word) => `${file}: ${word}`);
  });
  expect(mentioning).toEqual([]);
});

// Layers.

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
  ['own-files.ts', 'cut-text.ts', 'find-text.ts', 'bounded-cache.ts'],
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

test('only cli, journal, own-files.ts and the output of the log use the file system, and nothing starts a process', () => {
  const wrong = IMPORTS.filter(
    ({ from, to }) =>
      /^node:(?:child_process|cluster|vm|worker_threads)$/.test(to) ||
      (to.startsWith('node:fs') &&
        !/^(?:(?:cli|journal)\/|own-files\.ts$|observability\/output\.ts$)/.test(from)),
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

afterEach(() => vi.restoreAllMocks());

const FOLDERS = ['src', ...['executor', 'sandbox', 'mcp', 'webhooks'].map((name) => `packages/${name}/src`)];

// What packages do when they are loaded for the first time is theirs to answer for, so they are loaded before.
test('every file can be imported without side effects', async () => {
  vi.resetModules();
  const files = FOLDERS.flatMap((folder) =>
    filesUnder(folder, '.ts').map((file) => [folder, file] as const),
  ).filter(([, file]) => file !== 'main.ts');
  const packages = files.flatMap(([folder, file]) =>
    importsOf(file, folder).flatMap(({ to, isPackage, isTypeOnly }) =>
      isPackage && !isTypeOnly ? [to] : [],
    ),
  );
  for (const name of new Set(packages)) await import(name);
  const listen = vi.spyOn(Server.prototype, 'listen');
  const written = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write'));
  const before = stateOfProcess();
  const open = openNow();
  for (const [folder, file] of files) await import(join(ROOT, folder, file));
  expect(stateOfProcess()).toEqual(before);
  expect(openedSince(open)).toEqual([]);
  expect(listen).not.toHaveBeenCalled();
  for (const spy of written) expect(spy).not.toHaveBeenCalled();
});
