import { setTimeout as after } from 'node:timers/promises';
import * as fc from 'fast-check';
import { execute, GraphQLError, parse, type ExecutionResult, type GraphQLObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { compiled, schemaOf } from '../../../test/support/compiled.ts';
import type { DataReads, Limits } from '../src/run.ts';

// Fields whose values are in a row that is loaded while the result is built.

const SCHEMA = schemaOf(`
  type Item { here: Int, there: Int, other: Int, must: Int!, items: [Item], owner: Item! }
  type Query { items: [Item], never: Int }
  type Mutation { first: Item, second: Item }
`);

/** A value of a row: as it is in the result, or one that only the resolver can read, or that nobody can. */
type Value = number | null | 'odd' | 'broken';
interface Row {
  readonly kind: object;
  readonly values: Readonly<Record<string, Value>>;
}
interface Item {
  readonly row: Row;
  /** The row that holds what this one lacks. */
  readonly detail: string;
  readonly items?: readonly (Item | null)[] | null;
  readonly owner?: Item | null;
}
interface Context {
  readonly load: (detail: string) => Promise<Row | null>;
}

const LISTED = { fields: ['here'] };
const DETAILED = { fields: ['there', 'other', 'must'] };

const DATA: DataReads = {
  rowOf: (source) => (source as Partial<Item>).row,
  kindOf: (row) => (row as Row).kind,
  readerOf({ name }, kind) {
    if (!(kind as typeof LISTED).fields.includes(name)) return undefined;
    return (row) => {
      const value = (row as Row).values[name];
      return typeof value === 'string' ? undefined : (value ?? null);
    };
  },
  loaderOf({ name }, kind) {
    if (kind === DETAILED || !DETAILED.fields.includes(name)) return undefined;
    return (source, context) => (context as Context).load((source as Item).detail);
  },
};

function decoded(value: Value | undefined): number | null {
  if (value === 'broken') throw new Error('broken');
  return value === 'odd' ? 7 : (value ?? null);
}

for (const name of [...LISTED.fields, ...DETAILED.fields]) {
  const field = (SCHEMA.getType('Item') as GraphQLObjectType).getFields()[name];
  if (!field) throw new Error(name);
  field.resolve = ({ row, detail }: Item, _args, { load }: Context) =>
    name in row.values
      ? decoded(row.values[name])
      : load(detail).then((loaded) => decoded(loaded?.values[name]));
}

const value = fc.constantFrom<Value>(1, 2, null, 'odd', 'broken');
const details = fc.array(
  fc.record({
    values: fc.record({ there: value, other: value, must: value }),
    outcome: fc.constantFrom('found', 'found', 'found', 'missing', 'failed'),
    turns: fc.integer({ min: 0, max: 3 }),
  }),
  { minLength: 1, maxLength: 4 },
);
const { items } = fc.letrec<{ item: Item; items: (Item | null)[] }>((tie) => ({
  item: fc
    .record({
      here: value,
      detail: fc.nat(3),
      items: fc.option(tie('items'), { maxDepth: 4 }),
      owner: fc.option(tie('item'), { freq: 6, maxDepth: 4 }),
    })
    .map(({ here, detail, ...others }) => ({
      row: { kind: LISTED, values: { here } },
      detail: String(detail),
      ...others,
    })),
  items: fc.array(fc.option(tie('item'), { freq: 8 }), { maxLength: 4 }),
}));
const fieldsText = fc
  .uniqueArray(fc.constantFrom('here', 'there', 'other', 'must', 'again: there'), { minLength: 1 })
  .map((names) => names.join(' '));

/** The context of one execution: each row is loaded once, as a loader does. */
function contextOf(rows: typeof details extends fc.Arbitrary<infer D> ? D : never): Context {
  const loading = new Map<string, Promise<Row | null>>();
  const loadOnce = async (detail: string): Promise<Row | null> => {
    const row = rows[Number(detail) % rows.length];
    for (let turn = 0; turn < (row?.turns ?? 0); turn += 1) await Promise.resolve();
    if (row?.outcome === 'failed') throw new Error('not loaded');
    return row?.outcome === 'found' ? { kind: DETAILED, values: row.values } : null;
  };
  return {
    load(detail) {
      const known = loading.get(detail) ?? loadOnce(detail);
      loading.set(detail, known);
      return known;
    },
  };
}

/** The data as text, and the errors at positions that are in it: which others remain depends on microtasks. */
function comparable({ data, errors = [] }: ExecutionResult): [string, string[]] {
  const isIn = ({ path = [] }: GraphQLError): boolean => {
    let holder: unknown = data;
    for (const key of path.slice(0, -1)) holder = (holder as Record<string, unknown> | null)?.[key];
    return holder !== null && holder !== undefined;
  };
  const shown = errors.filter(isIn).map(({ path, message }) => `${path?.join('.')}: ${message}`);
  return [JSON.stringify(data), shown.toSorted()];
}

test('a result with gaps is that of graphql-js', async () => {
  await fc.assert(
    fc.asyncProperty(items, details, fieldsText, fieldsText, async (all, rows, outer, inner) => {
      const source = `{ items { ${outer} items { ${inner} owner { ${outer} } } owner { ${inner} } } }`;
      const values = () => ({ rootValue: { items: all }, contextValue: contextOf(rows) });
      const theirs = execute({ schema: SCHEMA, document: parse(source), ...values() });
      const ours = compiled(SCHEMA, source, { data: DATA }).execute(values());
      expect(comparable(await ours)).toEqual(comparable(await theirs));
    }),
  );
});

const listed = (detail: string): Item => ({ row: { kind: LISTED, values: {} }, detail });
const found: Row = { kind: DETAILED, values: { there: 1 } };
const BOTH = 'mutation { first { there } second { there } }';

test('a mutation’s root field waits for the gaps of the one before', async () => {
  const order: string[] = [];
  const load = async (detail: string): Promise<Row> => {
    await after(5);
    order.push(`loaded ${detail}`);
    return found;
  };
  const rootValue = {
    first: () => listed('1'),
    second() {
      order.push('second');
      return listed('2');
    },
  };
  const operation = compiled(SCHEMA, BOTH, { data: DATA });
  const result = operation.execute({ rootValue, contextValue: { load } });
  expect(await result).toEqual({ data: { first: { there: 1 }, second: { there: 1 } } });
  expect(order).toEqual(['loaded 1', 'second', 'loaded 2']);
});

const never = new Promise<never>(() => undefined);

test.each([
  ['a gap', '{ items { there } }'],
  ['another field', '{ items { there } never }'],
  ['the next root field of a mutation', BOTH],
])('a limit that is exceeded in a gap ends an execution that waits for %s', async (_what, source) => {
  let calls = 0;
  const both = [listed('1'), listed('2')];
  const rootValue = { items: both, never, first: both[0], second: () => (calls += 1) };
  const limits: Limits = { maxErrors: 0, onExceeded: (kind) => new GraphQLError(`Too many ${kind}`) };
  const load = async (detail: string): Promise<Row> =>
    detail === '1' ? { kind: DETAILED, values: { there: 'broken' } } : await never;
  const operation = compiled(SCHEMA, source, { data: DATA, limits });
  const errors = [new GraphQLError('Too many errors')];
  expect(await operation.execute({ rootValue, contextValue: { load } })).toEqual({ data: null, errors });
  await after(1);
  expect(calls).toBe(0);
});
