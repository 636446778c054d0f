import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { printedSchema } from '../../src/schema/index.ts';
import { ROOT } from '../examples/programs.ts';

const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const RELEASED = textOf('test/documents/released.graphql');
const [, releasedVersion = ''] = /^# (\d+\.\d+\.\d+)\n/.exec(RELEASED) ?? [];
const majorOf = (one: string): number => Number(one.split('.')[0]);

/** What in a schema would break a client of another one. */
async function breaking(before: string, after: string): Promise<string[]> {
  const changes = await diff(buildSchema(before), buildSchema(after));
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ message }) => message);
}

test('the schema breaks nothing that the last release promised, except in the next major version', async () => {
  expect(majorOf(manifest.version)).toBeGreaterThanOrEqual(majorOf(releasedVersion));
  if (majorOf(manifest.version) > majorOf(releasedVersion)) return;
  expect(await breaking(RELEASED, printedSchema())).toEqual([]);
});

test('the changelog has the released version and the version of the package', () => {
  for (const version of [releasedVersion, manifest.version])
    expect(textOf('CHANGELOG.md')).toContain(`## ${version} `);
});

test('a removal counts as breaking, an addition does not', async () => {
  const old = 'type Query { a(x: Int): Int b: Int @deprecated(reason: "Since 1.0: use a.") }';
  expect(await breaking(old, old.replace(/ b: .*"\)/, ''))).toHaveLength(1);
  expect(await breaking(old, old.replace('x: Int', 'x: Int y: Int'))).toEqual([]);
});
