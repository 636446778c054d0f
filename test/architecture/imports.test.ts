import { expect, test } from 'vitest';
import { filesUnder, importsOf, type Import } from './source-files.ts';

/** The rooms of the house from the top floor to the ground: what is imported lies on a lower floor, or in the same room. */
const FLOORS: readonly (readonly string[])[] = [
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

/** Where types may come down from an upper floor: what an operation carries. */
const TYPES_FROM_ABOVE: Readonly<Record<string, readonly string[]>> = {
  observability: ['sources'],
};

/** Rooms that only some may enter. */
const MAY_ENTER: Readonly<Record<string, readonly string[]>> = {
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

/** Packages that one room alone knows. */
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

const roomOf = (file: string): string => file.split('/')[0] ?? '';
const floorOf = (room: string): number => FLOORS.findIndex((rooms) => rooms.includes(room));
const told = ({ from, to }: Import): string => `${from} imports ${to}`;

test('imports are found: static, dynamic, with and without types', () => {
  expect(IMPORTS.length).toBeGreaterThan(150);
  expect(IMPORTS).toContainEqual({
    from: 'cli/program.ts',
    to: 'cli/start.ts',
    isPackage: false,
    isTypeOnly: false,
  });
  expect(IMPORTS).toContainEqual({
    from: 'services.ts',
    to: 'coordination/coordination.ts',
    isPackage: false,
    isTypeOnly: false,
  });
  expect(IMPORTS).toContainEqual({
    from: 'sources/upstream/transport.ts',
    to: 'undici',
    isPackage: true,
    isTypeOnly: false,
  });
});

test('every file stands in a room that the table knows', () => {
  expect(FILES.filter((file) => floorOf(roomOf(file)) < 0)).toEqual([]);
});

test('what is imported is there', () => {
  expect(INNER.filter(({ to }) => !FILES.includes(to)).map(told)).toEqual([]);
});

test('imports point downwards', () => {
  const wrong = INNER.filter((one) => {
    const [from, to] = [roomOf(one.from), roomOf(one.to)];
    if (from === to) return false;
    if (one.isTypeOnly && TYPES_FROM_ABOVE[from]?.includes(to)) return false;
    return floorOf(to) <= floorOf(from);
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

test('files do not import each other in a circle, but accounts and their groups', () => {
  const imports = new Map(FILES.map((file) => [file, [] as string[]]));
  for (const { from, to } of INNER) {
    if (!(from === 'schema/account.ts' && to === 'schema/account-group.ts')) imports.get(from)?.push(to);
  }
  const circles = FILES.map((file) => cycleFrom(file, imports)).filter((circle) => circle !== null);
  expect(circles).toEqual([]);
});

test('rooms are entered only by those who may', () => {
  const wrong = INNER.filter((one) => {
    const [from, to] = [roomOf(one.from), roomOf(one.to)];
    return from !== to && MAY_ENTER[to] !== undefined && !MAY_ENTER[to].includes(from);
  });
  expect(wrong.map(told)).toEqual([]);
});

test('each package is known where it belongs, and nowhere else', () => {
  const wrong = IMPORTS.filter(({ from, to, isPackage }) => {
    if (!isPackage) return false;
    const name = Object.keys(PACKAGE_OF).find((known) => to === known || to.startsWith(`${known}/`));
    return name !== undefined && PACKAGE_OF[name]?.test(from) === false;
  });
  expect(wrong.map(told)).toEqual([]);
});

test('only the process’s own rooms import its file system, and nothing starts another process', () => {
  const wrong = IMPORTS.filter(
    ({ from, to }) =>
      /^node:(?:child_process|cluster|vm|worker_threads)$/.test(to) ||
      (to.startsWith('node:fs') && !/^(?:(?:cli|journal)\/|own-files\.ts$)/.test(from)),
  );
  expect(wrong.map(told)).toEqual([]);
});
