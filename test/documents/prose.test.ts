import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './commands.ts';

/** What people read: pages, descriptions, messages and comments. */
const FOLDERS = ['src', 'docs', 'examples', 'deploy', 'explorer', 'site'];
const FILES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'schema.graphql',
];

/** One word for one thing, and what to say instead. */
const AVOIDED: Readonly<Record<string, RegExp>> = {
  '“surface” for one of the service’s two APIs': /\b(?:legacy|current) sides?\b|\bsides? of the service\b/i,
  '“use `id` in `accountIds`”': /posts are made for/,
  '“is not valid GraphQL”, “fix it”': /is no GraphQL|\bmend it\b/i,
  '“retrying fails again”, “attempt 1 failed”': /\bin vain\b/,
  '“is not an id of this graph”': /is no id of this graph/,
  '“a page of a list”': /(?:"|')A window of /,
  '“the problems with the write”': /stood in the way/,
  '“that this version does not know”': /no name here yet/,
  '“separated by commas”, “maximum number of”': /with commas between'|'most [a-z]+ (?:of|in|that)/,
  '“is not a duration”, “is not a URL”': /is no (?:length of time|URL)\b/,
  'no capitals for emphasis': /LISTS ITS OWN/,
};

function textsOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return ['node_modules', 'dist', 'cache'].includes(entry.name) ? [] : textsOf(path);
    return /\.(?:[jt]sx?|md|html|yml|graphql|py)$/.test(entry.name) ? [path] : [];
  });
}

test.each(Object.entries(AVOIDED))('people read %s', (_, avoided) => {
  const found = [...FILES, ...FOLDERS.flatMap(textsOf)].filter((file) =>
    avoided.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(found).toEqual([]);
});

test('the words that are avoided are found where they stand', () => {
  const old = [
    'The legacy side has no account.',
    '"id" is what posts are made for.',
    'Mend it where `locations` points.',
    'Send another one; the same again is in vain.',
    '"x" is no id of this graph',
    '"A window of a list of accounts.',
    'What stood in the way; empty when it was done.',
    'Something that has no name here yet.',
    "'tokens, with commas between'",
    'is no length of time',
    'EACH SIDE OF THE SERVICE LISTS ITS OWN',
  ];
  const wrong = Object.values(AVOIDED).map((avoided, index) => avoided.test(old[index] ?? ''));
  expect(wrong).not.toContain(false);
});
