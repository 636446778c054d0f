import {
  execute,
  GraphQLError,
  GraphQLSchema,
  parse,
  Source,
  valueFromASTUntyped,
  type ExecutionResult,
  type GraphQLResolveInfo,
  type ValueNode,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { compile } from '../src/compile.ts';
import { presentError } from '../../../src/schema/errors.ts';
import { compiled, run, schemaOf } from '../../../test/support/compiled.ts';

// What random-operations.test.ts, which compares whole operations with graphql-js, does not reach.

type Args = Record<string, unknown>;

const SCHEMA = schemaOf(
  `enum Colour { RED GREEN }
   input In { n: Int!, list: [Int!] }
   input One @oneOf { a: Int, b: Int }
   interface Node { id: ID }
   type Row implements Node { id: ID, name: String!, next: Row }
   type Query {
     a(in: In, one: One, list: [Int!], colour: Colour, count: Int): String, b: String
     rows: [Row], must: [Row!], row: Row, node: Node
   }`,
  { Node: { resolveType: ({ as }: Args) => as }, Row: { isTypeOf: (row: Args) => row['as'] === undefined } },
);

const MANY = Array.from({ length: 60 }, (_, index) => `$v${index}: Int!`);
const OPTIONAL = 'query ($x: Boolean = true) { row { id @include(if: $x) } }';
const COLOURED = 'query ($colour: Colour) { a(colour: $colour) }';
const MISSPELT = { variableValues: { colour: 'REDD' } };
const NULL = { variableValues: { x: null } };
const ownIterator = { [Symbol.iterator]: () => [{ id: 2 }, { id: 3 }].values() };

interface How {
  readonly operationName?: string;
  readonly hideSuggestions?: boolean;
  readonly variableValues?: Args;
  readonly rootValue?: unknown;
}
type Row = [what: string, source: string, how?: How];
const listOf = (what: string, rows: unknown): Row => [what, '{ rows { id } }', { rootValue: { rows } }];
const typedAs = (as: unknown): Row => [
  `a value of the type ${String(as)}`,
  '{ node { id } row { id } }',
  { rootValue: { node: { as }, row: { as: 'another' } } },
];

test.each<Row>([
  ['a document without an operation', 'fragment F on Query { a }'],
  ['several operations of which none is named', 'query A { a } query B { b }'],
  ['the name of no operation', 'query A { a }', { operationName: 'B' }],
  ['the name of an operation without one', '{ a }', { operationName: 'A' }],
  ['an operation without a root type', 'mutation { a }'],
  ['more errors of variables than are reported', `query (${MANY.join(' ')}) { a }`],
  ['a wrong variable', COLOURED, MISSPELT],
  ['a wrong variable without suggestions', COLOURED, { ...MISSPELT, hideSuggestions: true }],
  ['a directive whose variable is null', OPTIONAL, NULL],
  ['a directive whose variable is absent', OPTIONAL],
  ['a directive at the root', 'query ($x: Boolean = true) { row @skip(if: $x) { id } }', NULL],
  ['a directive without an argument', '{ rows { id @skip name } }'],
  ['a directive with a literal of another type', '{ row { id @include(if: "yes") name } }'],
  listOf('an array with holes', Array.from({ length: 2 })),
  listOf('a typed array', new Uint8Array(2)),
  listOf('a text', 'rows'),
  listOf('an array-like object', { length: 1, 0: { id: 1 } }),
  listOf('a map', new Map([[1, 2]])),
  listOf('an array with an iterator of its own', Object.assign([{ id: 1 }], ownIterator)),
  ...['Nowhere', 'Int', 'Query', 7, SCHEMA.getType('Row')].map(typedAs),
  ...[
    'in: {}',
    'in: { n: null }',
    'in: { n: 1, list: "x" }',
    'in: 3',
    'list: [1, "x"]',
    'list: [null]',
    'one: { a: 1, b: 2 }',
    'in: { n: $v }',
    'list: $v',
    'list: [$v]',
  ].map((argument): Row => [`the argument ${argument}`, `query ($v: Int) { a(${argument}) }`]),
])('the result with %s is that of graphql-js', async (_what, source, how = {}) => {
  const { operationName, hideSuggestions, ...args } = {
    rootValue: { row: { id: 1, name: 'n' }, rows: [{ id: 2, name: 'm' }] },
    ...how,
  };
  const document = parse(source);
  const operation = compile(SCHEMA, document, { operationName, hideSuggestions });
  const ours = 'errors' in operation ? operation : await operation.execute(args);
  const theirs = await execute({ schema: SCHEMA, document, operationName, hideSuggestions, ...args });
  expect(JSON.stringify(ours)).toBe(JSON.stringify(theirs));
});

test('an invalid schema is refused, and variables that are not an object are', () => {
  expect(() => compile(new GraphQLSchema({}), parse('{ a }'))).toThrow('Query root type must be provided.');
  const operation = compiled(SCHEMA, 'query ($n: Int) { a(count: $n) }');
  const executing = () => operation.execute({ variableValues: '{"n":1}' as never });
  expect(executing).toThrow('Variables must be provided as an Object');
});

const changing = (_source: unknown, args: { in: { n: number; list: number[] }; any: { a: number } }) => {
  const before = JSON.stringify(args);
  args.in.n += 1;
  args.in.list.push(7);
  args.any.a += 1;
  return before;
};
const replacing = (_source: unknown, args: Args) => {
  const before = JSON.stringify(args);
  args['n'] = 'changed';
  return before;
};

describe('arguments', () => {
  test('are fresh for each call, whatever a resolver does with them', async () => {
    const schema = schemaOf(
      `scalar Any
       input In { n: Int = 5, list: [Int!] }
       type Query { a(n: Int, text: String = "t"): String, in(in: In = { n: 1 }, any: Any): String }`,
      { Query: { in: changing, a: replacing } },
    );
    const operation = compiled(schema, '{ in(in: { list: [1] }, any: { a: 1 }) a(n: 1) b: a(n: 1) }');
    const first = await operation.execute({});
    expect(first).toMatchObject({ data: { a: '{"n":1,"text":"t"}', b: '{"n":1,"text":"t"}' } });
    expect(await operation.execute({})).toEqual(first);
  });

  test('inside a custom scalar have the variables of each execution, and constants are read once', async () => {
    let read = 0;
    const parseLiteral = (node: ValueNode, variables: Args | null) => {
      read += 1;
      return JSON.stringify(valueFromASTUntyped(node, variables));
    };
    const schema = schemaOf('scalar Text type Query { a(text: Text): String }', {
      Text: { parseLiteral },
      Query: { a: (_source: unknown, { text }: Args) => text },
    });
    const operation = compiled(schema, 'query ($n: Text) { a(text: { n: [$n] }) }');
    for (const n of ['1', '2'])
      expect(await operation.execute({ variableValues: { n } })).toEqual({ data: { a: `{"n":["${n}"]}` } });
    const constant = compiled(schema, '{ a(text: 1) }');
    await constant.execute({});
    const afterFirst = read;
    await constant.execute({});
    expect(read).toBe(afterFirst);
  });
});

// Results.

test('an iterator is closed when an item fails', async () => {
  let isEnded = false;
  function* must(): Generator {
    try {
      yield null;
      yield { id: 1 };
    } finally {
      isEnded = true;
    }
  }
  expect((await run(SCHEMA, '{ must { id } }', { must: must() })).data).toEqual({ must: null });
  expect(isEnded).toBe(true);
});

test('fragments that contain themselves end with the data', async () => {
  const source = '{ row { ...F } } fragment F on Row { id next { ...F } }';
  const rootValue = { row: { id: 1, next: { id: 2, next: null } } };
  const row = { id: '1', next: { id: '2', next: null } };
  expect((await run(SCHEMA, source, rootValue)).data).toEqual({ row });
});

test('resolvers get the objects of graphql-js, and a type resolver that of its field', () => {
  const infos: GraphQLResolveInfo[] = [];
  const keep = (info: GraphQLResolveInfo, value: unknown) => (infos.push(info), value);
  type Resolver = [source: unknown, args: unknown, context: unknown, info: GraphQLResolveInfo];
  const schema = schemaOf(
    'interface Node { id: ID! } type Row implements Node { id: ID! } type Query { rows: [Node] }',
    {
      Query: { rows: (...[, , , info]: Resolver) => keep(info, [{}]) },
      Row: { id: (...[, , , info]: Resolver) => keep(info, 1) },
      Node: {
        resolveType: (_value: unknown, _context: unknown, info: GraphQLResolveInfo) => keep(info, 'Row'),
      },
    },
  );
  const operation = compiled(schema, '{ all: rows { ...F } } fragment F on Node { id }');
  expect(operation.execute({ rootValue: 'root' })).toEqual({ data: { all: [{ id: '1' }] } });
  const [rows, type, id] = infos;
  expect(type).toBe(rows);
  expect(id?.path.prev?.prev).toBe(rows?.path);
  expect(id?.parentType).toBe(schema.getType('Row'));
  expect(id?.operation).toBe(operation.definition);
  expect(id).toMatchObject({ fieldName: 'id', schema, rootValue: 'root', variableValues: {} });
  expect(id?.fragments['F']?.name.value).toBe('F');
});

describe('errors', () => {
  const absent = new Error('absent');
  const refused = new GraphQLError('refused', { extensions: { code: 'NO' } });
  const schema = schemaOf('type Row { id: ID, other: Row } type Query { rows(count: Int!): [Row] }', {
    Query: {
      rows: (_root: never, { count }: { count: number }) => Array.from({ length: count }, () => ({})),
    },
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

  /** Executes the query over so many rows; counts how often its text is read once it is parsed. */
  async function executed(count: number) {
    const source = new Source(QUERY);
    const document = parse(source);
    let reads = 0;
    Object.defineProperty(source, 'body', { get: () => ((reads += 1), QUERY) });
    const operation = compile(schema, document);
    if ('errors' in operation) throw new Error('no operation');
    const result = await operation.execute({ variableValues: { count } });
    return { result, document, reads: () => reads };
  }

  test('for a hundred rows read the document as often as for one, and not again when they are presented', async () => {
    const [one, many] = [await executed(1), await executed(100)];
    // Once for each field: every line break up to the field takes one read.
    expect(one.reads()).toBeGreaterThan(BREAKS);
    expect(one.reads()).toBeLessThan(3 * BREAKS);
    const { errors = [] } = many.result;
    const presented = errors.map((error) => presentError(error, 'r').error);
    expect(many.reads()).toBe(one.reads());
    expect(presented.map(placeOf)).toEqual(errors.map(placeOf));
    const ids = presented.map(({ extensions }) => extensions['requestId']);
    expect(ids).toEqual(Array.from({ length: 200 }, () => 'r'));
  });

  test('at known places are those of graphql-js in every property, and keep the original ones', async () => {
    const { result, document } = await executed(3);
    const theirs = await execute({ schema, document, variableValues: { count: 3 } });
    expect(result.errors).toHaveLength(6);
    expect(result.errors?.[0]?.originalError).toBe(refused);
    expect(facts(result)).toEqual(facts(theirs));
    expect(JSON.stringify(result)).toBe(JSON.stringify(theirs));
  });

  const facts = ({ errors = [] }: ExecutionResult): unknown =>
    errors.map((error) => [
      placeOf(error),
      Object.getOwnPropertyDescriptors(error),
      error.toString(),
      error.stack,
    ]);
});

function placeOf({ path, locations, nodes, positions, source }: GraphQLError): unknown {
  return { path, locations, nodes, positions, source };
}
