import { execute, parse } from 'graphql';
import { expect, test } from 'vitest';
import { compiled, schemaOf } from '../../../test/support/compiled.ts';

const SCHEMA = schemaOf('type Row { a: Int, b: Int, row: Row } type Query { row: Row, rows: [Row!] }');
const ROW = { a: 1, b: 2 };
const ROOT = { row: { ...ROW, row: ROW }, rows: [ROW, ROW] };

const SOURCES: Readonly<Record<string, string>> = {
  'a field twice, behind different directives':
    'query ($x: Boolean!, $y: Boolean!) { row { a @skip(if: $x) b a @include(if: $y) } }',
  'equal fields with different selections':
    'query ($x: Boolean!, $y: Boolean!) { row @include(if: $x) { a } row @include(if: $y) { b } row { row { a } } }',
  'both directives': 'query ($x: Boolean!, $y: Boolean!) { row { a @skip(if: $x) @include(if: $y) b } }',
  'a fragment twice, first behind a directive':
    'query ($x: Boolean!, $y: Boolean!) { row { ...F @include(if: $x) b @skip(if: $y) ...F } } fragment F on Row { a row { a @skip(if: $y) } }',
  'an inline fragment':
    'query ($x: Boolean!, $y: Boolean!) { rows { ...on Row @skip(if: $x) { a } ... @include(if: $y) { b } } }',
  literals: 'query ($x: Boolean!, $y: Boolean!) { row { a @skip(if: true) b @include(if: true) row { a } } }',
  'nothing left': 'query ($x: Boolean!, $y: Boolean!) { row { a @skip(if: $x) b @skip(if: $y) } }',
};

for (const [what, source] of Object.entries(SOURCES)) {
  test(`@skip or @include decides otherwise than in graphql-js: ${what}`, () => {
    const document = parse(source);
    const operation = compiled(SCHEMA, source);
    for (const number of [0, 1, 2, 3, 0]) {
      const variableValues = { x: number % 2 === 0, y: number > 1 };
      const args = { rootValue: ROOT, variableValues };
      const expected = execute({ schema: SCHEMA, document, ...args });
      expect(JSON.stringify(operation.execute(args))).toBe(JSON.stringify(expected));
    }
  });
}

const CONDITIONS: Readonly<Record<string, readonly [string, Record<string, unknown>]>> = {
  'a nullable variable that is null': [
    'query ($x: Boolean = true) { row { a @include(if: $x) } }',
    { x: null },
  ],
  'a nullable variable that is absent': ['query ($x: Boolean = true) { row { a @include(if: $x) } }', {}],
  'null at the root': ['query ($x: Boolean = true) { row @skip(if: $x) { a } }', { x: null }],
  'no argument': ['{ rows { a @skip b } }', {}],
  'a literal of another type': ['{ row { a @include(if: "yes") b } }', {}],
};

for (const [what, [source, variableValues]] of Object.entries(CONDITIONS)) {
  test(`a condition that cannot be decided is no error as in graphql-js: ${what}`, () => {
    const args = { rootValue: ROOT, variableValues };
    const expected = execute({ schema: SCHEMA, document: parse(source), ...args });
    expect(JSON.stringify(compiled(SCHEMA, source).execute(args))).toBe(JSON.stringify(expected));
  });
}

test('a document with many equal fields behind many variables is not executed for each combination', () => {
  const names = Array.from({ length: 12 }, (_, index) => `v${index}`);
  const fields = names.map((name) => `row @include(if: $${name}) { a ${name}: b }`);
  const source = `query (${names.map((name) => `$${name}: Boolean!`).join(' ')}) { ${fields.join(' ')} }`;
  const operation = compiled(SCHEMA, source);
  const document = parse(source);
  for (let bits = 0; bits < 200; bits += 1) {
    const chosen = names.map((name, index) => [name, ((bits * 37) >> index) % 2 === 1]);
    const args = { rootValue: ROOT, variableValues: Object.fromEntries(chosen) };
    const expected = execute({ schema: SCHEMA, document, ...args });
    expect(JSON.stringify(operation.execute(args))).toBe(JSON.stringify(expected));
  }
});
