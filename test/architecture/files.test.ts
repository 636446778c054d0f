import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { filesUnder, ROOT, sourceOf } from './source-files.ts';

const FILES = filesUnder('src', '.ts');

test('no file is named after a technical role', () => {
  expect(FILES.filter((file) => /^(?:utils?|helpers?|common|types?|misc)\.ts$/.test(basename(file)))).toEqual(
    [],
  );
});

test('no file only passes on what others export, but the package’s own and the one that joins the schema', () => {
  expect(FILES.filter((file) => basename(file) === 'index.ts')).toEqual(['index.ts', 'schema/index.ts']);
});

test('files are named in lower case with hyphens', () => {
  expect(
    FILES.filter((file) => !/^(?:[a-z0-9]+(?:-[a-z0-9]+)*\/)*[a-z0-9]+(?:-[a-z0-9]+)*\.ts$/.test(file)),
  ).toEqual([]);
});

test('nothing is exported by default', () => {
  expect(
    FILES.filter((file) => /^export default\b|^export \{[^}]*\bas default\b/m.test(sourceOf(file))),
  ).toEqual([]);
});

test('nothing is left to be done, banned or commented out', () => {
  const wrong = FILES.filter((file) =>
    /\bTODO\b|\bFIXME\b|\bXXX\b|@ts-(?:ignore|nocheck)/.test(sourceOf(file)),
  );
  expect(wrong).toEqual([]);
});

test('a suppression carries its reason', () => {
  const wrong = FILES.flatMap((file) =>
    sourceOf(file)
      .split('\n')
      .filter((line) => /oxlint-disable|@ts-expect-error/.test(line) && !/ -- \S/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(wrong).toEqual([]);
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

test('only the source of HTTP asks anything of the service, and nothing is sent with fetch', () => {
  const wrong = FILES.filter((file) => /(?<![.\w]|async )fetch\(/.test(sourceOf(file)));
  expect(wrong).toEqual([]);
});

test('a resolver knows no status, header or address', () => {
  const wrong = FILES.filter(
    (file) =>
      file.startsWith('schema/') && /\bstatusCode: \d|'content-type'|'https?:\/\//.test(sourceOf(file)),
  );
  expect(wrong).toEqual([]);
});

test('the service’s own spelling of its fields stands in the sources alone', () => {
  const spelling =
    /\b(?:accountUsername|fbAppInstall|profileUniqueId|shortenerMaster|group_name|account_type|isReconnect)\b/;
  const wrong = FILES.filter((file) => !file.startsWith('sources/') && spelling.test(sourceOf(file)));
  expect(wrong).toEqual([]);
});
