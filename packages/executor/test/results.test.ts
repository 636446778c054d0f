import { execute, parse } from 'graphql';
import { expect, test } from 'vitest';
import { compiled, run, schemaOf } from '../../../test/support/compiled.ts';

const SCHEMA = schemaOf(`
  interface Node { id: ID }
  type Row implements Node { id: ID, name: String!, next: Row, size: Int, ratio: Float, tags: [String!] }
  type Query { id: ID, name: String, rows: [Row], must: [Row!], row: Row, node: Node }
  type Mutation { set(to: Int): Int, fail: Int! }
`);

test('a response name of Object.prototype is lost or changes the object', async () => {
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

test('objects of the result inherit something', async () => {
  const { data } = await run(SCHEMA, '{ row { id } }', { row: { id: 1 } });
  expect('toString' in (data ?? {})).toBe(false);
  expect('hasOwnProperty' in ((data?.['row'] as object | null) ?? {})).toBe(false);
});

const later = async <T>(value: T): Promise<T> => Promise.resolve(value);

test('fields that arrive later come later in the result', async () => {
  const result = await run(SCHEMA, '{ name row { size id } id }', {
    name: later('n'),
    row: later({ size: later(1), id: 'x' }),
    id: 'i',
  });
  expect(JSON.stringify(result)).toBe('{"data":{"name":"n","row":{"size":1,"id":"x"},"id":"i"}}');
});

test('an execution without promises returns a promise', () => {
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

for (const [what, rows] of Object.entries(LISTS)) {
  test(`a list differs from graphql-js where the resolver returned ${what}`, async () => {
    const source = '{ rows { id } }';
    const expected = await execute({ schema: SCHEMA, document: parse(source), rootValue: { rows } });
    expect(JSON.stringify(await run(SCHEMA, source, { rows }))).toBe(JSON.stringify(expected));
  });
}

test('an iterator is not closed when an item fails', async () => {
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

test('root fields of a mutation run at the same time, or go on after one that is non-null has failed', async () => {
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

test('a fragment on an abstract type, or one that is spread twice, selects something else', async () => {
  const source =
    '{ node { ...F ...on Row { size ...F } ...G } } fragment F on Node { id ...on Row { name } } fragment G on Query { name }';
  const rootValue = { node: { __typename: 'Row', id: 1, name: 'n', size: 2 } };
  expect(JSON.stringify(await run(SCHEMA, source, rootValue))).toBe(
    '{"data":{"node":{"id":"1","name":"n","size":2}}}',
  );
});

test('a document whose fragments contain themselves never ends', async () => {
  const source = '{ row { ...F } } fragment F on Row { id next { ...F } }';
  const rootValue = { row: { id: 1, next: { id: 2, next: null } } };
  expect((await run(SCHEMA, source, rootValue)).data).toEqual({
    row: { id: '1', next: { id: '2', next: null } },
  });
});
