import { EventEmitter, once } from 'node:events';
import { GraphQLError } from 'graphql';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Limits } from '../src/run.ts';
import { compiled, schemaOf } from '../../../test/support/compiled.ts';

const SCHEMA = schemaOf(`
  type Row { id: ID, name: String!, row: Row }
  type Query { rows: [Row], strict: [Row!], a: Int, b: Int, row: Row, must: Int! }
  type Mutation { a: Int, b: Int }
`);

const onExceeded: Limits['onExceeded'] = (kind) => new GraphQLError(`Too many ${kind}`);

const run = (source: string, rootValue: unknown, limits: Omit<Limits, 'onExceeded'>) =>
  compiled(SCHEMA, source, { limits: { ...limits, onExceeded } }).execute({ rootValue });

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);

beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});

afterEach(() => void process.removeListener('unhandledRejection', note));

const TOO_MANY_FIELDS = { errors: [new GraphQLError('Too many fields')], data: null };
const TOO_MANY_ERRORS = { errors: [new GraphQLError('Too many errors')], data: null };

test('an error that leaves no data counts as well', async () => {
  expect(await run('{ must }', {}, { maxErrors: 0 })).toEqual(TOO_MANY_ERRORS);
  expect(await run('{ must }', {}, { maxErrors: 1 })).toHaveProperty('errors.length', 1);
});

test('no resolver is called after a limit was exceeded', async () => {
  let calls = 0;
  const count = (): number => (calls += 1);
  const rows = Array.from({ length: 100 }, () => ({ id: count }));
  await run('{ rows { id } a }', { rows, a: count }, { maxFields: 4 });
  expect(calls).toBe(2);
});

test('promises of an ended execution are no unhandled rejections', async () => {
  const release = new EventEmitter();
  const late = once(release, 'done');
  const rows = [{ id: late }, late, { id: 1, name: 'n' }];
  expect(await run('{ a rows { id name } }', { a: late, rows }, { maxFields: 4 })).toEqual(TOO_MANY_FIELDS);
  release.emit('error', new Error('late'));
  await new Promise((resolve) => void setImmediate(resolve));
  await new Promise((resolve) => void setImmediate(resolve));
  expect(unhandled).toEqual([]);
});

test('a limit that is exceeded below a null leaves no result', async () => {
  const strict = [Promise.resolve({ id: 1, row: { id: 2 } }), null];
  const rootValue = { strict, a: Promise.resolve(1) };
  expect(await run('{ strict { id row { id } } a }', rootValue, { maxFields: 3 })).toEqual(TOO_MANY_FIELDS);
});
