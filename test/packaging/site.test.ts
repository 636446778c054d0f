import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const LOCKFILE = resolve(import.meta.dirname, '../../site/package-lock.json');

interface Lockfile {
  readonly packages: Readonly<
    Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>
  >;
}

// npm writes such a lockfile without a word where a registry lacks one of them, and `npm ci` then refuses it.
test('the lockfile of the site has the packages of every platform', () => {
  const { packages } = JSON.parse(readFileSync(LOCKFILE, 'utf8')) as Lockfile;
  const wanted = Object.values(packages).flatMap((one) => Object.keys(one.optionalDependencies ?? {}));
  expect(wanted.length).toBeGreaterThan(40);
  expect(wanted.filter((name) => !(`node_modules/${name}` in packages))).toEqual([]);
});
