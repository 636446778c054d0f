import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { filesUnder, ROOT, sourceOf } from './source-files.ts';

const FILES = filesUnder('src', '.ts');

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
