import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { printedSchema } from '../../src/schema/index.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const textOf = (file: string): string => readFileSync(resolve(ROOT, file), 'utf8');

const RELEASED = textOf('test/documents/released.graphql');
const [, releasedVersion = ''] = /^# (\d+\.\d+\.\d+)\n/.exec(RELEASED) ?? [];
const { version } = JSON.parse(textOf('package.json')) as { readonly version: string };
const majorOf = (one: string): number => Number(one.split('.')[0]);

/** What of a schema would break a client of another one. */
async function breaking(before: GraphQLSchema, after: GraphQLSchema): Promise<string[]> {
  const changes = await diff(before, after);
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ message }) => message);
}

test('the schema breaks nothing that the last release promised, but in the next major version', async () => {
  expect(releasedVersion).toMatch(/^\d+\.\d+\.\d+$/);
  expect(majorOf(version)).toBeGreaterThanOrEqual(majorOf(releasedVersion));
  if (majorOf(version) > majorOf(releasedVersion)) return;
  expect(await breaking(buildSchema(RELEASED), buildSchema(printedSchema()))).toEqual([]);
});

test('the file of a release has the schema of that release, whose version the package has had', () => {
  expect(textOf('CHANGELOG.md')).toContain(`## ${releasedVersion} `);
  expect(textOf('CHANGELOG.md')).toContain(`## ${version} `);
});

const OLD =
  'type Query { a(x: Int): Int b: Int @deprecated(reason: "Since 1.0: use a.") c: E! } enum E { ONE TWO }';

test.each([
  ['a field goes', OLD.replace('a(x: Int): Int', '')],
  ['a field is renamed', OLD.replace('a(x', 'd(x')],
  ['a field that was deprecated goes', OLD.replace(/b: .*"\)/, '')],
  ['a field becomes nullable', OLD.replace('c: E!', 'c: E')],
  ['an argument becomes required', OLD.replace('x: Int', 'x: Int!')],
  ['an argument goes', OLD.replace('(x: Int)', '')],
  ['an enum value goes', OLD.replace('TWO', '')],
])('it is a breaking change when %s', async (_, changed) => {
  expect(await breaking(buildSchema(OLD), buildSchema(changed))).not.toEqual([]);
});

test.each([
  ['a field comes', OLD.replace('c: E!', 'c: E! d: Int')],
  ['a field is deprecated', OLD.replace('c: E!', 'c: E! @deprecated(reason: "Since 1.1: use a.")')],
  ['an argument comes that may be left out', OLD.replace('x: Int', 'x: Int y: Int')],
  ['a description changes', OLD.replace('c: E!', '"New" c: E!')],
])('it is none when %s', async (_, changed) => {
  expect(await breaking(buildSchema(OLD), buildSchema(changed))).toEqual([]);
});
