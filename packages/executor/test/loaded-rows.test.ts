import { execute, parse, type GraphQLFieldResolver } from 'graphql';
import { expect, test, vi } from 'vitest';
import { compile } from '../src/compile.ts';
import type { DataReads } from '../src/run.ts';
import { schemaOf } from '../../../test/support/compiled.ts';

const SCHEMA = schemaOf(`
  type Row { id: ID, name: String, size: Int!, note: String, more: [Row] }
  type Query { rows: [Row] }
`);

type Values = Readonly<Record<string, unknown>>;

/** A row that holds some of its fields; the others are in a row of another kind. */
interface Source {
  readonly held: Values;
  readonly load: () => Promise<Values | null>;
}

const LISTED = {};
const LOADED = {};

/** Fields in the loaded row are `name`, `size` and `note`; an odd note is left to the resolver. */
const DATA: DataReads = {
  rowOf: (source) => (source as Partial<Source>).held,
  kindOf: (row) => ('id' in row ? LISTED : LOADED),
  readerOf({ name }, kind) {
    const isHere = (kind === LISTED) === (name === 'id');
    const read = (row: object): unknown => (row as Values)[name];
    return name === 'more' || !isHere ? undefined : (row) => (read(row) === 'odd' ? undefined : read(row));
  },
  loaderOf: ({ name }, kind) =>
    kind === LISTED && name !== 'more' ? (source) => (source as Source).load() : undefined,
};

const resolve: GraphQLFieldResolver<unknown, unknown> = async (source, _args, _context, { fieldName }) => {
  if (fieldName === 'rows') return (source as Values)['rows'];
  const { held, load } = source as Source;
  return held[fieldName] ?? (await load())?.[fieldName];
};

/** Executes a query by the compiled executor and by graphql-js, and returns both results. */
async function both(query: string, rowsBy: (load: Source['load']) => Source[], row: () => Values | null) {
  const loaded = new Promise(setImmediate).then(row);
  const rootValue = { rows: rowsBy(() => loaded) };
  const document = parse(query);
  const compiled = compile(SCHEMA, document, { fieldResolver: resolve, data: DATA });
  if ('errors' in compiled) throw new Error('no operation');
  const waits = vi.spyOn(loaded, 'then');
  const ours = JSON.stringify(await compiled.execute({ rootValue }));
  const { length: waitCount } = waits.mock.calls;
  const expected = await execute({ schema: SCHEMA, document, rootValue, fieldResolver: resolve });
  return { ours, expected: JSON.stringify(expected), waitCount };
}

const one = (load: Source['load']): Source[] => [{ held: { id: 'a' }, load }];
const QUERY = '{ rows { name id size again: name note } }';
const WHOLE = { name: 'n', size: 2, note: 'x' };

test('fields of a row that is loaded are those that are resolved, and wait for it once', async () => {
  const { ours, expected, waitCount } = await both(QUERY, one, () => WHOLE);
  expect(ours).toBe('{"data":{"rows":[{"name":"n","id":"a","size":2,"again":"n","note":"x"}]}}');
  expect(ours).toBe(expected);
  expect(waitCount).toBe(1);
});

test.each<[string, () => Values | null]>([
  ['is absent', () => null],
  [
    'cannot be loaded',
    () => {
      throw new Error('no row');
    },
  ],
  ['holds a value that its reader refuses', () => ({ ...WHOLE, note: 'odd' })],
  ['lacks a value that must not be null', () => ({ name: 'n' })],
])('a row that %s is left to the resolvers', async (_what, row) => {
  const { ours, expected } = await both(QUERY, one, row);
  expect(ours).toBe(expected);
});

const withFailing = (load: Source['load']): Source[] => [
  { held: { id: 'a' }, load },
  { held: { id: 'b' }, load: () => Promise.reject(new Error('gone')) },
  { held: { id: 'c' }, load },
];

test('a row that fails leaves the values of others', async () => {
  const { ours, expected } = await both('{ rows { id size name } }', withFailing, () => WHOLE);
  expect(ours).toBe(expected);
  expect(ours).toContain('"rows":[{"id":"a","size":2,"name":"n"},null,{"id":"c","size":2,"name":"n"}]');
});
