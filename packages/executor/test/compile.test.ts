import { buildSchema, execute, GraphQLSchema, parse, subscribe, type ExecutionResult } from 'graphql';
import { expect, test } from 'vitest';
import { compile } from '../src/compile.ts';
import { compiled, schemaOf } from '../../../test/support/compiled.ts';

const SCHEMA = buildSchema(`
  enum Colour { RED GREEN }
  type Query { a(colour: Colour, count: Int): String, b: String }
`);

test.each<[what: string, source: string, operationName?: string]>([
  ['has no operation', 'fragment F on Query { a }'],
  ['has several operations and none is named', 'query A { a } query B { b }'],
  ['has no operation of that name', 'query A { a }', 'B'],
  ['has an unnamed operation only', '{ a }', 'A'],
])('a document that %s fails as with graphql-js', (_what, source, operationName) => {
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

test('an invalid schema is refused, and an operation without a root type fails as with graphql-js', () => {
  expect(() => compile(new GraphQLSchema({}), parse('{ a }'))).toThrow('Query root type must be provided.');
  const expected = execute({ schema: SCHEMA, document: parse('mutation { a }') });
  expect(compiled(SCHEMA, 'mutation { a }').execute({})).toEqual(expected);
  expect(expected).toMatchObject({ data: null });
});

test('variables that are not an object are refused', () => {
  const operation = compiled(SCHEMA, 'query ($n: Int) { a(count: $n) }');
  expect(() => operation.execute({ variableValues: '{"n":1}' as never })).toThrow(
    'Variables must be provided as an Object',
  );
});

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

test('the default resolvers of the caller are used, for fields and for types', () => {
  const operation = compiled(SCHEMA, '{ a b }', {
    fieldResolver: (_source, _args, _context, info) => info.path.key,
  });
  expect(operation.execute({})).toEqual({ data: { a: 'a', b: 'b' } });
  const schema = buildSchema('interface I { a: Int } type A implements I { a: Int } type Query { i: I }');
  const abstract = compiled(schema, '{ i { __typename } }', { typeResolver: () => 'A' });
  expect(abstract.execute({ rootValue: { i: {} } })).toEqual({ data: { i: { __typename: 'A' } } });
});

let isClosed = false;
async function* events(_source: unknown, { to = 2 }: { to?: number }): AsyncGenerator {
  try {
    for (let count = 1; count <= to; count += 1) yield await Promise.resolve({ count });
    yield { count: new Error('no') };
  } finally {
    isClosed = true;
  }
}

const EVENTS = schemaOf('type Query { a: Int } type Subscription { count(to: Int): Int, other: Int }');
Object.assign(EVENTS.getSubscriptionType()?.getFields()['count'] ?? {}, { subscribe: events });

async function outcomeOf(call: () => unknown): Promise<string> {
  try {
    const results = await call();
    if (!(Symbol.asyncIterator in (results as object))) return JSON.stringify(results);
    const all: ExecutionResult[] = [];
    for await (const result of results as AsyncIterable<ExecutionResult>) all.push(result);
    return JSON.stringify(all);
  } catch (error) {
    return String(error);
  }
}

test.each<[what: string, source: string, variables: Record<string, unknown>]>([
  ['events', 'subscription ($to: Int) { n: count(to: $to) }', { to: 3 }],
  ['variables that do not fit', 'subscription ($to: Int) { count(to: $to) }', { to: 'x' }],
  ['a field without a stream', 'subscription { other }', {}],
])('a subscription with %s is as with graphql-js', async (_what, source, variableValues) => {
  const theirs = await outcomeOf(() =>
    subscribe({ schema: EVENTS, document: parse(source), variableValues }),
  );
  expect(await outcomeOf(() => compiled(EVENTS, source).subscribe({ variableValues }))).toBe(theirs);
});

test('the selection of a subscription can be executed for one event', () => {
  const operation = compiled(EVENTS, 'subscription { n: count }');
  expect(operation.execute({ rootValue: { count: 7 } })).toEqual({ data: { n: 7 } });
});

test('the source of a subscription is closed when the reader leaves', async () => {
  isClosed = false;
  const results = await compiled(EVENTS, 'subscription { count }').subscribe({});
  if (!(Symbol.asyncIterator in results)) throw new Error('No stream');
  for await (const result of results) {
    expect(result).toEqual({ data: { count: 1 } });
    break;
  }
  expect(isClosed).toBe(true);
});
