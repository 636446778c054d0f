import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import root from '../../package.json' with { type: 'json' };
import { filesUnder, importsOf, ROOT } from './source-files.ts';

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

const told = ({ from, to }: { readonly from: string; readonly to: string }): string =>
  `${from} imports ${to}`;

test.each(NAMES)('packages/%s has a README, and exports that exist', (name) => {
  expect(existsSync(join(ROOT, 'packages', name, 'README.md'))).toBe(true);
  expect(entriesOf(name).filter((entry) => !existsSync(join(ROOT, entry)))).toEqual([]);
});

test.each(NAMES)(
  'packages/%s imports only itself, what other packages export, and its dependencies',
  (name) => {
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
