import { buildSchema, execute, GraphQLSchema, parse } from 'graphql';
import { expect, test } from 'vitest';
import { compile } from '../src/compile.ts';
import { compiled, schemaOf } from '../../../test/support/compiled.ts';

const SCHEMA = buildSchema(`
  enum Colour { RED GREEN }
  type Query { a(colour: Colour, count: Int): String, b: String }
`);

const DOCUMENTS: readonly (readonly [string, string, string | undefined])[] = [
  ['has no operation', 'fragment F on Query { a }', undefined],
  ['has several operations and none is named', 'query A { a } query B { b }', undefined],
  ['has no operation of that name', 'query A { a }', 'B'],
  ['has an unnamed operation only', '{ a }', 'A'],
];

test.each(DOCUMENTS)('a document that %s fails as with graphql-js', (_what, source, operationName) => {
  const document = parse(source);
  expect(compile(SCHEMA, document, { operationName })).toEqual(
    execute({ schema: SCHEMA, document, operationName }),
  );
});

test('the operation that is executed is the one that was named', () => {
  const operation = compiled(SCHEMA, 'query A { a } query B { b }', { operationName: 'B' });
  expect(operation.definition.name?.value).toBe('B');
  expect(operation.execute({ rootValue: { a: 'A', b: 'B' } })).toEqual({ data: { b: 'B' } });
});

test('an invalid schema is refused', () => {
  expect(() => compile(new GraphQLSchema({}), parse('{ a }'))).toThrow('Query root type must be provided.');
});

test('an operation without a root type fails as with graphql-js', () => {
  const document = parse('mutation { a }');
  const expected = execute({ schema: SCHEMA, document });
  expect(compiled(SCHEMA, 'mutation { a }').execute({})).toEqual(expected);
  expect(expected).toMatchObject({ data: null });
});

test('variables that are not an object are refused', () => {
  const operation = compiled(SCHEMA, 'query ($n: Int) { a(count: $n) }');
  const variableValues: never = '{"n":1}' as never;
  const args = { schema: SCHEMA, document: parse('{ a }'), variableValues };
  const message = messageOf(() => execute(args));
  expect(message).toContain('Variables must be provided as an Object');
  expect(messageOf(() => operation.execute({ variableValues }))).toBe(message);
});

function messageOf(call: () => unknown): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

test.each([true, false])(
  'errors of variables are those of graphql-js with hideSuggestions %s',
  (hideSuggestions) => {
    const source = 'query ($colour: Colour) { a(colour: $colour) }';
    const args = { schema: SCHEMA, document: parse(source), variableValues: { colour: 'REDD' } };
    const { errors } = compiled(SCHEMA, source, { hideSuggestions }).coerceVariables({ colour: 'REDD' });
    expect({ errors }).toEqual(execute({ ...args, hideSuggestions }));
    expect(errors?.[0]?.message.includes('Did you mean')).toBe(!hideSuggestions);
  },
);

test('errors of variables are limited as in graphql-js, or further', () => {
  const names = Array.from({ length: 60 }, (_, index) => `v${index}`);
  const source = `query (${names.map((name) => `$${name}: Int!`).join(' ')}) { a }`;
  const result = compiled(SCHEMA, source).execute({});
  expect(result).toEqual(execute({ schema: SCHEMA, document: parse(source) }));
  expect(result).toHaveProperty('errors.length', 51);
  const fewer = compiled(SCHEMA, source, { maxCoercionErrors: 3 }).execute({});
  expect(fewer).toHaveProperty('errors.length', 4);
});

test('coerced variables are not coerced again', () => {
  const schema = schemaOf('scalar Doubled type Query { a(n: Doubled): Int }', {
    Doubled: { parseValue: (value: number) => value * 2 },
    Query: { a: (_source: unknown, { n }: { n: number }) => n },
  });
  const operation = compiled(schema, 'query ($n: Doubled) { a(n: $n) }');
  const { coerced } = operation.coerceVariables({ n: 4 });
  expect(coerced).toEqual({ n: 8 });
  expect(operation.execute({ coercedVariables: coerced })).toEqual({ data: { a: 8 } });
  expect(operation.execute({ variableValues: { n: 4 } })).toEqual({ data: { a: 8 } });
});

test('the default resolver of the caller is used', () => {
  const operation = compiled(SCHEMA, '{ a b }', {
    fieldResolver: (_source, _args, _context, info) => info.path.key,
  });
  expect(operation.execute({})).toEqual({ data: { a: 'a', b: 'b' } });
});

test('the type resolver of the caller is used', () => {
  const schema = buildSchema('interface I { a: Int } type A implements I { a: Int } type Query { i: I }');
  const operation = compiled(schema, '{ i { __typename } }', { typeResolver: () => 'A' });
  expect(operation.execute({ rootValue: { i: {} } })).toEqual({ data: { i: { __typename: 'A' } } });
});
