import { execute, GraphQLError, parse, Source, type DocumentNode, type ExecutionResult } from 'graphql';
import { expect, test } from 'vitest';
import { compile } from '../src/compile.ts';
import { presentError } from '../../../src/schema/errors.ts';
import { schemaOf } from '../../../test/support/compiled.ts';

const absent = new Error('absent');
const refused = new GraphQLError('refused', { extensions: { code: 'NO' } });

const SCHEMA = schemaOf('type Row { id: ID, other: Row } type Query { rows(count: Int!): [Row] }', {
  Query: { rows: (_root: never, { count }: { count: number }) => Array.from({ length: count }, () => ({})) },
  Row: {
    id: () => {
      throw refused;
    },
    other: () => Promise.reject(absent),
  },
});

const BREAKS = 1_000;
const QUERY = `${'\n'.repeat(BREAKS)}query ($count: Int!) {
  rows(count: $count) { a: id other { id } other { id } }
}`;

/** A document that counts how often its text is read once it is parsed. */
function watched(text: string): { readonly document: DocumentNode; readonly reads: () => number } {
  const source = new Source(text);
  const document = parse(source);
  let reads = 0;
  Object.defineProperty(source, 'body', {
    get: () => {
      reads += 1;
      return text;
    },
  });
  return { document, reads: () => reads };
}

function operationOf(document: DocumentNode) {
  const operation = compile(SCHEMA, document);
  if ('errors' in operation) throw new Error(operation.errors.join('\n'));
  return operation;
}

test('the document is read as often for a hundred rows of errors as for one', async () => {
  const reads: number[] = [];
  for (const count of [1, 100]) {
    const { document, reads: soFar } = watched(QUERY);
    const { errors } = await operationOf(document).execute({ variableValues: { count } });
    expect(errors).toHaveLength(count * 2);
    reads.push(soFar());
  }
  // Once for each field: every line break up to the field takes one read.
  expect(reads[0]).toBeGreaterThan(BREAKS);
  expect(reads[0]).toBeLessThan(3 * BREAKS);
  expect(reads[1]).toBe(reads[0]);
});

test('presenting an error does not read the document again', async () => {
  const { document, reads } = watched(QUERY);
  const { errors = [] } = await operationOf(document).execute({ variableValues: { count: 10 } });
  const before = reads();
  const presented = errors.map((error) => presentError(error, 'r').error);
  expect(reads()).toBe(before);
  expect(presented.map(placeOf)).toEqual(errors.map(placeOf));
  expect(presented.map(({ extensions }) => extensions['requestId'])).toEqual(errors.map(() => 'r'));
});

test('errors at known places are those of graphql-js in every property', async () => {
  const document = parse(QUERY);
  const args = { variableValues: { count: 3 } };
  const ours = await operationOf(document).execute(args);
  const theirs = await execute({ schema: SCHEMA, document, ...args });
  expect(ours.errors).toHaveLength(6);
  expect(facts(ours)).toEqual(facts(theirs));
  expect(JSON.stringify(ours)).toBe(JSON.stringify(theirs));
});

function facts({ errors = [] }: ExecutionResult): unknown {
  return errors.map((error) => [
    placeOf(error),
    error.message,
    Object.getOwnPropertyDescriptors(error),
    error.toString(),
    error.stack,
  ]);
}

function placeOf({ path, locations, nodes, positions, source }: GraphQLError): unknown {
  return { path, locations, nodes, positions, source };
}
