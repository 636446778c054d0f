import { expect, inject, test } from 'vitest';
import { compile } from '../src/compile.ts';
import { schema } from '../../../src/schema/index.ts';
import { cases } from '../../../test/support/depth.ts';
import { compareAtRandom, Coverage } from '../../../test/support/random-operations/compare.mjs';
import { everyKindOfSchema, mockedSchema } from '../../../test/support/random-operations/schemas.mjs';

const SCHEMAS = { 'every kind of schema': everyKindOfSchema(), 'the server’s schema': mockedSchema(schema) };

const coverage = new Coverage();

test('a random operation has the result, order of errors and calls of resolvers that it has with graphql-js', async () => {
  const differences = await compareAtRandom({
    schemas: SCHEMAS,
    prepare: (of, document, options) => {
      const compiled = compile(of, document, options);
      return 'errors' in compiled ? () => compiled : (args) => compiled.execute(args);
    },
    seed: String(inject('seed')),
    cases: cases(600, 20_000),
    coverage,
  });
  expect(differences).toEqual([]);
}, 600_000);

/** How often each must have come, at least. */
const LEAST = cases(2, 5);

test('the comparison covers all of these', () => {
  const missing = EXPECTED.filter(
    (name) => (coverage.counts.get(name) ?? coverage.outcomes.get(name) ?? 0) < LEAST,
  );
  expect(missing).toEqual([]);
  for (const fields of coverage.fields.values()) expect(fields.size).toBeGreaterThan(100);
});

const EXPECTED = [
  'documents: mutation',
  'documents: subscription',
  'documents: @skip with a variable',
  'documents: @include with a variable',
  'documents: @skip or @include with a literal',
  'documents: inline fragment',
  'documents: inline fragment without a type',
  'documents: named fragment',
  'documents: fragment spread twice',
  'documents: alias',
  'documents: alias __proto__',
  'documents: introspection',
  'documents: several operations',
  'results: with promises',
  'results: without promises',
  'results: with data and errors',
  'results: data null',
  'results: no data',
  'misleading __typename',
  'null',
  'undefined',
  'wrong value',
  'promise',
  'thenable',
  'thenable that returns nothing',
  'throws an Error',
  'throws a GraphQLError',
  'throws a located GraphQLError',
  'throws a text',
  'throws undefined',
  'returns an Error',
];
