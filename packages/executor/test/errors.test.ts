import { GraphQLError, execute, parse, type GraphQLSchema } from 'graphql';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { run, schemaOf } from '../../../test/support/compiled.ts';

const SCHEMA = schemaOf(
  `
  scalar Odd
  interface Node { id: ID }
  type Row implements Node { id: ID, name: String!, size: Int, ratio: Float, odd: Odd }
  type Other { id: ID }
  type Query { row: Row, rows: [Row!], mixed: [Row], must: Row!, node: Node, a: Int, b: Int }
`,
  { Odd: { serialize: (value: number) => (value === 1 ? null : undefined) } },
);

let unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);

let listeners: NodeJS.UnhandledRejectionListener[] = [];

beforeEach(() => {
  unhandled = [];
  listeners = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', note);
});

afterEach(() => {
  process.removeListener('unhandledRejection', note);
  for (const listener of listeners) process.on('unhandledRejection', listener);
});

/** Lets rejections that nobody handles be reported. */
async function settled(): Promise<void> {
  await new Promise((resolve) => void setImmediate(resolve));
  await new Promise((resolve) => void setImmediate(resolve));
}

test('the original error is a copy, or its extensions are lost', async () => {
  const plain = new Error('plain');
  const refused = new GraphQLError('refused', { extensions: { code: 'NO' } });
  const { errors = [] } = await run(SCHEMA, '{ a b }', {
    a: () => {
      throw plain;
    },
    b: refused,
  });
  expect(errors.map(({ originalError }) => originalError)).toEqual([plain, refused]);
  expect(errors[0]?.originalError).toBe(plain);
  expect(errors[1]?.originalError).toBe(refused);
  expect(errors[1]?.extensions).toEqual({ code: 'NO' });
});

test('an error that has a path already gets another', async () => {
  const located = new GraphQLError('elsewhere', { path: ['x'] });
  const { errors } = await run(SCHEMA, '{ a }', { a: Promise.reject(located) });
  expect(errors?.[0]).toBe(located);
});

const no = async (name: string): Promise<never> => Promise.reject(new Error(name));

const SOURCES: Readonly<Record<string, readonly [string, () => unknown]>> = {
  'a null in a non-null field': ['{ row { id name } a }', () => ({ row: { id: 1 }, a: 1 })],
  'a null up to the root': ['{ a must { name } }', () => ({ a: 1, must: { name: null } })],
  'a null in a non-null item': ['{ rows { id } }', () => ({ rows: [{ id: 1 }, null] })],
  'wrong values of scalars': ['{ row { size id } a }', () => ({ row: { size: 'x', id: {} }, a: 2 ** 40 })],
  'numbers that are none': ['{ row { ratio size } }', () => ({ row: { ratio: NaN, size: 2 ** 31 } })],
  'a scalar that serialises to null': ['{ row { odd } }', () => ({ row: { odd: 1 } })],
  'a scalar that serialises to nothing': ['{ row { odd } }', () => ({ row: { odd: 2 } })],
  'no list': ['{ rows { id } mixed { id } }', () => ({ rows: 5, mixed: 'text' })],
  'an unknown type': ['{ node { id } }', () => ({ node: { __typename: 'Nowhere' } })],
  'a type that is none of the interface’s': ['{ node { id } }', () => ({ node: { __typename: 'Other' } })],
  'a type that is no object': ['{ node { id } }', () => ({ node: { __typename: 'Odd' } })],
  'no type': ['{ node { id } }', () => ({ node: {} })],
  'a rejection among items': [
    '{ mixed { id } }',
    () => ({ mixed: [Promise.reject(new Error('x')), { id: 1 }, new Error('y')] }),
  ],
  'several rejections at once': [
    '{ a b row { name size } mixed { name } }',
    () => {
      return {
        a: no('a'),
        b: no('b'),
        row: { name: no('n'), size: no('s') },
        mixed: [{ name: no('1') }, no('2')],
      };
    },
  ],
};

for (const [what, [source, rootValue]] of Object.entries(SOURCES)) {
  test(`errors differ from graphql-js: ${what}`, async () => {
    const expected = await execute({ schema: SCHEMA, document: parse(source), rootValue: rootValue() });
    const result = await run(SCHEMA, source, rootValue());
    expect(JSON.stringify(result)).toBe(JSON.stringify(expected));
    expect(expected.errors?.length).toBeGreaterThan(0);
    await settled();
  });
}

// What JavaScript may return from `resolveType` although its type does not allow it.
const ODD_TYPES: Readonly<Record<string, (schema: GraphQLSchema) => unknown>> = {
  'the type itself': (schema) => schema.getType('Row'),
  'a number': () => 7,
  nothing: () => undefined,
  null: () => null,
};

test.each(Object.entries(ODD_TYPES))(
  'resolveType that returns %s fails as in graphql-js',
  async (_what, type) => {
    const schema: GraphQLSchema = schemaOf(
      'interface Node { id: ID } type Row implements Node { id: ID } type Query { node: Node, a: Int }',
      { Node: { resolveType: () => type(schema) } },
    );
    const source = '{ node { id } a }';
    const rootValue = { node: { id: 1 }, a: 1 };
    const expected = await execute({ schema, document: parse(source), rootValue });
    expect(JSON.stringify(await run(schema, source, rootValue))).toBe(JSON.stringify(expected));
    expect(expected.errors).toHaveLength(1);
  },
);

test('a promise beside a failed item becomes an unhandled rejection', async () => {
  const late = async (): Promise<never> => {
    await settled();
    throw new Error('late');
  };
  const { data } = await run(SCHEMA, '{ rows { name } a }', { rows: [late(), null, late()], a: 1 });
  expect(data).toEqual({ rows: null, a: 1 });
  await settled();
  await settled();
  expect(unhandled).toEqual([]);
});

test('a promise beside a failed field becomes an unhandled rejection', async () => {
  const rootValue = { row: { id: Promise.reject(new Error('id')), name: null }, a: 1 };
  const { errors } = await run(SCHEMA, '{ row { id name } a }', rootValue);
  await settled();
  expect(errors?.map(({ path }) => path)).toEqual([
    ['row', 'id'],
    ['row', 'name'],
  ]);
  expect(unhandled).toEqual([]);
});
