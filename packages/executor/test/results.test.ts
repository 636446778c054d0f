import {
  execute,
  GraphQLError,
  parse,
  valueFromASTUntyped,
  type GraphQLSchema,
  type ValueNode,
} from 'graphql';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compiled, run, schemaOf } from '../../../test/support/compiled.ts';

// Results that are those of graphql-js, case by case; random-operations.test.ts compares whole operations at random.

type Args = Record<string, unknown>;

/** Executes an operation by both, several times, and expects equal results, down to the order of their keys. */
async function expectSame(
  schema: GraphQLSchema,
  source: string,
  { root = () => undefined, variables }: { readonly root?: () => unknown; readonly variables?: Args } = {},
) {
  const args = variables === undefined ? {} : { variableValues: variables };
  const expected = await execute({ schema, document: parse(source), rootValue: root(), ...args });
  const result = await compiled(schema, source).execute({ rootValue: root(), ...args });
  expect(JSON.stringify(result)).toBe(JSON.stringify(expected));
  return expected;
}

let unhandled: unknown[];
let listeners: NodeJS.UnhandledRejectionListener[];
const note = (error: unknown): void => void unhandled.push(error);

beforeEach(() => {
  unhandled = [];
  listeners = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', note);
});

afterEach(async () => {
  await settled();
  await settled();
  process.removeListener('unhandledRejection', note);
  for (const listener of listeners) process.on('unhandledRejection', listener);
  expect(unhandled).toEqual([]);
});

/** Lets rejections that nobody handles be reported. */
async function settled(): Promise<void> {
  await new Promise((resolve) => void setImmediate(resolve));
  await new Promise((resolve) => void setImmediate(resolve));
}

const change = (
  _source: unknown,
  args: { in: { n: number; list: number[] }; list: number[]; any: { a: number } },
): string => {
  const before = JSON.stringify(args);
  args.in.n += 1;
  args.in.list.push(7);
  args.list.push(9);
  args.any.a += 1;
  return before;
};
const replace = (_source: unknown, args: Args): string => {
  const before = JSON.stringify(args);
  args['n'] = 'changed';
  return before;
};

describe('arguments', () => {
  const SDL = `
    scalar Any
    input In { n: Int = 5, list: [Int!] }
    type Query { a(n: Int, text: String = "t"): String, in(in: In = { n: 1 }, any: Any, list: [Int!]): String }
  `;

  test('are fresh for each call, whatever a resolver does with them', async () => {
    const schema = schemaOf(SDL, { Query: { in: change, a: replace } });
    const operation = compiled(
      schema,
      '{ in(in: { list: [1] }, any: { a: 1 }, list: [1]) a(n: 1) b: a(n: 1) }',
    );
    const first = await operation.execute({});
    expect(first).toMatchObject({ data: { a: '{"n":1,"text":"t"}', b: '{"n":1,"text":"t"}' } });
    expect(await operation.execute({})).toEqual(first);
  });

  test('a variable inside a custom scalar has its value in each execution', async () => {
    const schema = schemaOf('scalar Text type Query { a(text: Text): String }', {
      Text: {
        parseLiteral: (node: ValueNode, variables: Args | null) =>
          JSON.stringify(valueFromASTUntyped(node, variables)),
      },
      Query: { a: (_source: unknown, { text }: Args) => text },
    });
    const operation = compiled(schema, 'query ($n: Text) { a(text: { n: [$n] }) }');
    for (const n of ['1', '2']) {
      expect(await operation.execute({ variableValues: { n } })).toEqual({ data: { a: `{"n":["${n}"]}` } });
    }
  });

  test('constants are coerced once for all executions', async () => {
    let parsed = 0;
    const schema = schemaOf('scalar Count type Query { a(n: Count): [Int] }', {
      Count: {
        parseLiteral: () => {
          parsed += 1;
          return parsed;
        },
      },
      Query: { a: () => [1] },
    });
    const operation = compiled(schema, '{ a(n: 1) }');
    await operation.execute({});
    const afterFirst = parsed;
    await operation.execute({});
    expect(parsed).toBe(afterFirst);
  });
});

describe('@skip and @include', () => {
  const SCHEMA = schemaOf('type Row { a: Int, b: Int, row: Row } type Query { row: Row, rows: [Row!] }');
  const ROW = { a: 1, b: 2 };
  const root = () => ({ row: { ...ROW, row: ROW }, rows: [ROW, ROW] });

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
    literals:
      'query ($x: Boolean!, $y: Boolean!) { row { a @skip(if: true) b @include(if: true) row { a } } }',
    'nothing left': 'query ($x: Boolean!, $y: Boolean!) { row { a @skip(if: $x) b @skip(if: $y) } }',
  };

  test.each(Object.entries(SOURCES))('%s', async (_what, source) => {
    for (const number of [0, 1, 2, 3, 0])
      await expectSame(SCHEMA, source, { root, variables: { x: number % 2 === 0, y: number > 1 } });
  });

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

  test.each(Object.entries(CONDITIONS))('%s, which cannot be decided', async (_what, [source, variables]) => {
    await expectSame(SCHEMA, source, { root, variables });
  });
});

const no = async (name: string): Promise<never> => Promise.reject(new Error(name));

describe('errors', () => {
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

  test('keep the original error, its extensions and its path', async () => {
    const plain = new Error('plain');
    const refused = new GraphQLError('refused', { extensions: { code: 'NO' } });
    const located = new GraphQLError('elsewhere', { path: ['x'] });
    const a = () => {
      throw plain;
    };
    const { errors = [] } = await run(SCHEMA, '{ a b row { id } }', { a, b: refused, row: { id: located } });
    expect(errors.map(({ originalError }) => originalError)).toEqual([plain, refused, undefined]);
    expect([errors[0]?.originalError, errors[1]?.originalError, errors[2]]).toEqual([
      plain,
      refused,
      located,
    ]);
    expect(errors[1]?.extensions).toEqual({ code: 'NO' });
  });

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

  test.each(Object.entries(SOURCES))('%s', async (_what, [source, root]) => {
    const { errors = [] } = await expectSame(SCHEMA, source, { root });
    expect(errors.length).toBeGreaterThan(0);
  });

  // What JavaScript may return from `resolveType` although its type does not allow it.
  const ODD_TYPES: Readonly<Record<string, (schema: GraphQLSchema) => unknown>> = {
    'the type itself': (schema) => schema.getType('Row'),
    'a number': () => 7,
    nothing: () => undefined,
    null: () => null,
  };

  test.each(Object.entries(ODD_TYPES))('resolveType that returns %s', async (_what, type) => {
    const schema: GraphQLSchema = schemaOf(
      'interface Node { id: ID } type Row implements Node { id: ID } type Query { node: Node, a: Int }',
      { Node: { resolveType: () => type(schema) } },
    );
    const { errors } = await expectSame(schema, '{ node { id } a }', {
      root: () => ({ node: { id: 1 }, a: 1 }),
    });
    expect(errors).toHaveLength(1);
  });

  test('a value that isTypeOf refuses, at once or later', async () => {
    const schema = schemaOf('type Row { id: ID } type Query { rows: [Row] }', {
      Row: { isTypeOf: ({ id }: { id: number }) => (id === 1 ? false : Promise.resolve(false)) },
    });
    const root = { rows: [{ id: 1 }, { id: 2 }] };
    const { errors } = await expectSame(schema, '{ rows { id } }', { root: () => root });
    expect(errors).toHaveLength(2);
  });

  test('a promise beside a failed item or field is no unhandled rejection', async () => {
    const late = async (): Promise<never> => {
      await settled();
      throw new Error('late');
    };
    const { data } = await run(SCHEMA, '{ rows { name } a }', { rows: [late(), null, late()], a: 1 });
    expect(data).toEqual({ rows: null, a: 1 });
    const row = { id: Promise.reject(new Error('id')), name: null };
    const { errors = [] } = await run(SCHEMA, '{ row { id name } a }', { row, a: 1 });
    await settled();
    expect(errors.map(({ path = [] }) => path.join('.'))).toEqual(['row.id', 'row.name']);
  });
});

describe('results', () => {
  const SCHEMA = schemaOf(`
  interface Node { id: ID }
  type Row implements Node { id: ID, name: String!, next: Row, size: Int, ratio: Float, tags: [String!] }
  type Query { id: ID, name: String, rows: [Row], must: [Row!], row: Row, node: Node }
  type Mutation { set(to: Int): Int, fail: Int! }
`);

  test('may have the names that Object.prototype has', async () => {
    const result = await run(SCHEMA, '{ __proto__: id constructor: name toString: row { __proto__: id } }', {
      id: 'a',
      name: 'b',
      row: { id: 'c' },
    });
    expect(JSON.stringify(result.data)).toBe(
      '{"__proto__":"a","constructor":"b","toString":{"__proto__":"c"}}',
    );
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });

  test('inherit nothing', async () => {
    const { data } = await run(SCHEMA, '{ row { id } }', { row: { id: 1 } });
    expect('toString' in (data ?? {})).toBe(false);
    expect('hasOwnProperty' in ((data?.['row'] as object | null) ?? {})).toBe(false);
  });

  test('have their fields in the order of the document, whenever they arrive', async () => {
    const result = await run(SCHEMA, '{ name row { size id } id }', {
      name: Promise.resolve('n'),
      row: Promise.resolve({ size: Promise.resolve(1), id: 'x' }),
      id: 'i',
    });
    expect(JSON.stringify(result)).toBe('{"data":{"name":"n","row":{"size":1,"id":"x"},"id":"i"}}');
  });

  test('without promises are returned at once', () => {
    expect(compiled(SCHEMA, '{ rows { id } }').execute({ rootValue: { rows: [{ id: 1 }] } })).toEqual({
      data: { rows: [{ id: '1' }] },
    });
  });

  const LISTS: Readonly<Record<string, unknown>> = {
    'a set': new Set([{ id: 1 }, null]),
    'an array with holes': Array.from({ length: 2 }),
    'a typed array': new Uint8Array(2),
    'a text': 'rows',
    'an array-like object': { length: 1, 0: { id: 1 } },
    'a map': new Map([[1, 2]]),
    'an array with an iterator of its own': Object.assign([{ id: 1 }], {
      [Symbol.iterator]: () => [{ id: 2 }, { id: 3 }].values(),
    }),
  };

  test.each(Object.entries(LISTS))('a list from %s', async (_what, rows) => {
    await expectSame(SCHEMA, '{ rows { id } }', { root: () => ({ rows }) });
  });

  test('an iterator is closed when an item fails', async () => {
    let isClosed = false;
    function* rows(): Generator {
      try {
        yield null;
        yield { id: 1 };
      } finally {
        isClosed = true;
      }
    }
    const { data } = await run(SCHEMA, '{ must { id } }', { must: rows() });
    expect(data).toEqual({ must: null });
    expect(isClosed).toBe(true);
  });

  test('root fields of a mutation run in turn, until one that is non-null has failed', async () => {
    const calls: string[] = [];
    const step = (name: string, value: unknown) => async () => {
      calls.push(`${name} begins`);
      await Promise.resolve();
      calls.push(`${name} ends`);
      if (value instanceof Error) throw value;
      return value;
    };
    const rootValue = { set: step('set', 1), fail: step('fail', new Error('no')) };
    const result = await run(SCHEMA, 'mutation { a: set b: set fail c: set }', rootValue);
    expect(calls).toEqual(['set begins', 'set ends', 'set begins', 'set ends', 'fail begins', 'fail ends']);
    expect(result).toMatchObject({ data: null, errors: [{ message: 'no', path: ['fail'] }] });
  });

  test('fragments on abstract types, and spread twice', async () => {
    const source =
      '{ node { ...F ...on Row { size ...F } ...G } } fragment F on Node { id ...on Row { name } } fragment G on Query { name }';
    const rootValue = { node: { __typename: 'Row', id: 1, name: 'n', size: 2 } };
    expect(JSON.stringify(await run(SCHEMA, source, rootValue))).toBe(
      '{"data":{"node":{"id":"1","name":"n","size":2}}}',
    );
  });

  test('fragments that contain themselves end with the data', async () => {
    const source = '{ row { ...F } } fragment F on Row { id next { ...F } }';
    const rootValue = { row: { id: 1, next: { id: 2, next: null } } };
    expect((await run(SCHEMA, source, rootValue)).data).toEqual({
      row: { id: '1', next: { id: '2', next: null } },
    });
  });
});
