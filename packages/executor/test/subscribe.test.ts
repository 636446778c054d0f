import { parse, subscribe, type ExecutionResult } from 'graphql';
import { expect, test } from 'vitest';
import { compiled, schemaOf } from '../../../test/support/compiled.ts';

let isClosed = false;
async function* events(_source: unknown, { to = 2 }: { to?: number }): AsyncGenerator {
  try {
    for (let count = 1; count <= to; count += 1) yield await Promise.resolve({ count });
    yield { count: new Error('no') };
  } finally {
    isClosed = true;
  }
}

const SCHEMA = schemaOf('type Query { a: Int } type Subscription { count(to: Int): Int, other: Int }');
Object.assign(SCHEMA.getSubscriptionType()?.getFields()['count'] ?? {}, { subscribe: events });

async function collect(results: unknown): Promise<unknown> {
  if (!(Symbol.asyncIterator in (results as object))) return results;
  const all: ExecutionResult[] = [];
  for await (const result of results as AsyncIterable<ExecutionResult>) all.push(result);
  return all;
}

const outcomeOf = async (call: () => Promise<unknown>): Promise<string> =>
  JSON.stringify(await call().catch((error: unknown) => String(error)));

const SOURCES: Readonly<Record<string, readonly [string, Record<string, unknown>]>> = {
  events: ['subscription ($to: Int) { n: count(to: $to) }', { to: 3 }],
  'variables that do not fit': ['subscription ($to: Int) { count(to: $to) }', { to: 'x' }],
  'a field without a stream': ['subscription { other }', {}],
};

test.each(Object.entries(SOURCES))('%s, as with graphql-js', async (_what, [source, variableValues]) => {
  const mine = async (): Promise<unknown> =>
    collect(await compiled(SCHEMA, source).subscribe({ variableValues }));
  const theirs = async (): Promise<unknown> =>
    collect(await subscribe({ schema: SCHEMA, document: parse(source), variableValues }));
  expect(await outcomeOf(mine)).toBe(await outcomeOf(theirs));
});

test('the selection of a subscription can be executed for one event', () => {
  const operation = compiled(SCHEMA, 'subscription { n: count }');
  expect(operation.execute({ rootValue: { count: 7 } })).toEqual({ data: { n: 7 } });
});

test('the source is closed when the reader leaves', async () => {
  isClosed = false;
  const results = await compiled(SCHEMA, 'subscription { count }').subscribe({});
  if (!(Symbol.asyncIterator in results)) throw new Error('No stream');
  for await (const result of results) {
    expect(result).toEqual({ data: { count: 1 } });
    break;
  }
  expect(isClosed).toBe(true);
});
