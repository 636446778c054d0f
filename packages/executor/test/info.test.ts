import { parse, type GraphQLResolveInfo } from 'graphql';
import { expect, test } from 'vitest';
import { compile } from '../src/compile.ts';
import { schemaOf } from '../../../test/support/compiled.ts';

const infos: GraphQLResolveInfo[] = [];
const keep =
  (value: unknown) =>
  (_source: unknown, _args: unknown, _context: unknown, info: GraphQLResolveInfo): unknown => {
    infos.push(info);
    return value;
  };

const SCHEMA = schemaOf(
  'interface Node { id: ID! } type Row implements Node { id: ID! } type Query { rows(first: Int): [Node] }',
  {
    Query: { rows: keep([{}]) },
    Row: { id: keep(1) },
    Node: {
      resolveType: (_value: unknown, _context: unknown, info: GraphQLResolveInfo) => {
        infos.push(info);
        return 'Row';
      },
    },
  },
);

const DOCUMENT = parse('query Q($x: Int = 3) { all: rows(first: $x) { ...F } } fragment F on Node { id }');

function observed(): GraphQLResolveInfo[] {
  infos.length = 0;
  const operation = compile(SCHEMA, DOCUMENT);
  if ('errors' in operation) throw new Error('Not compiled');
  expect(operation.execute({ rootValue: 'root' })).toEqual({ data: { all: [{ id: '1' }] } });
  return [...infos];
}

test('a resolver gets what graphql-js passes', () => {
  const info = observed().at(-1);
  const row = SCHEMA.getType('Row');
  expect(info).toMatchObject({
    fieldName: 'id',
    path: {
      key: 'id',
      typename: 'Row',
      prev: { key: 0, typename: undefined, prev: { key: 'all', typename: 'Query' } },
    },
    rootValue: 'root',
    variableValues: { x: 3 },
  });
  expect(info?.parentType).toBe(row);
  expect(String(info?.returnType)).toBe('ID!');
  expect(info?.schema).toBe(SCHEMA);
  expect(info?.operation).toBe(DOCUMENT.definitions[0]);
  expect(info?.fragments['F']).toBe(DOCUMENT.definitions[1]);
  expect(info?.fieldNodes).toHaveLength(1);
  expect(info?.fieldNodes[0]?.name.value).toBe('id');
});

test('the path of a field is the beginning of the paths below it', () => {
  const [rows, , id] = observed();
  expect(id?.path.prev?.prev).toBe(rows?.path);
});

test('a type resolver gets the same object as the resolver of its field', () => {
  const [rows, type] = observed();
  expect(type).toBe(rows);
});
