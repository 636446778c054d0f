import {
  GraphQLError,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  graphql,
} from 'graphql';
import { expect, test } from 'vitest';
import { meterResolvers } from '../../src/engine/metered-resolvers.ts';
import { ResultBudget, type ResultLimits } from '../../src/engine/result-budget.ts';

const UNLIMITED: ResultLimits = { resultFields: Infinity, resultErrors: Infinity, resultBytes: Infinity };

/** A schema of lists within lists that counts how often its leaves are resolved. */
function nestedLists() {
  let resolved = 0;
  const fail = (): never => {
    resolved += 1;
    throw new Error('no');
  };
  const row: GraphQLObjectType = new GraphQLObjectType({
    name: 'Row',
    fields: () => ({
      rows: { type: new GraphQLList(row), resolve: () => Array.from({ length: 10 }, () => ({})) },
      leaf: { type: GraphQLInt, resolve: () => (resolved += 1) },
      required: { type: new GraphQLNonNull(GraphQLInt), resolve: () => (resolved += 1) },
      failing: { type: GraphQLInt, resolve: fail },
      rejecting: { type: GraphQLInt, resolve: async () => await Promise.resolve().then(fail) },
      failed: { type: GraphQLInt, resolve: () => new Error('no') },
    }),
  });
  const schema = meterResolvers(new GraphQLSchema({ query: row }));
  return { schema, count: () => resolved };
}

async function run(leaf: string, limits: Partial<ResultLimits>) {
  const { schema, count } = nestedLists();
  const budget = new ResultBudget({ ...UNLIMITED, ...limits });
  const source = `{ rows { rows { rows { ${leaf} } } } }`;
  const result = await graphql({ schema, source, contextValue: { budget } });
  return { judged: budget.judge(result), resolved: count(), errors: result.errors ?? [] };
}

test('beyond the limit of fields nothing more is resolved; below it everything is', async () => {
  for (const leaf of ['leaf', 'required']) {
    const { judged, resolved } = await run(leaf, { resultFields: 300 });
    expect(judged?.message).toBe(
      'The operation is beyond a limit: fields of the result, 300 allowed, 301 found.',
    );
    expect(judged?.extensions).toEqual({ code: 'LIMIT_EXCEEDED' });
    expect(resolved).toBeLessThan(300);
    expect(await run(leaf, { resultFields: 1_111 })).toMatchObject({
      judged: null,
      resolved: 1_000,
      errors: [],
    });
  }
});

test.each(['failing', 'rejecting', 'failed'])(
  'beyond the limit of errors a field that is %s has none of its own',
  async (leaf) => {
    const { judged, errors } = await run(leaf, { resultErrors: 100 });
    expect(judged?.message).toBe(
      'The operation is beyond a limit: errors of the result, 100 allowed, 101 found.',
    );
    // What the executor collects is the same error again and again, and not a copy with a stack.
    expect(new Set(errors).size).toBeLessThanOrEqual(101);
    const unlimited = await run(leaf, {});
    expect(unlimited.judged).toBeNull();
    expect(new Set(unlimited.errors).size).toBe(1_000);
  },
);

test('errors that no resolver throws are counted at the end', () => {
  const errors = Array.from({ length: 101 }, () => new GraphQLError('no'));
  const budget = (resultErrors: number) => new ResultBudget({ ...UNLIMITED, resultErrors });
  expect(budget(100).judge({ data: {}, errors })?.message).toContain(
    'errors of the result, 100 allowed, 101 found',
  );
  expect(budget(101).judge({ data: {}, errors })).toBeNull();
});

test('names, values, messages and paths count as bytes', () => {
  const long = 'x'.repeat(1_000);
  const error = new GraphQLError(long, { path: [long] });
  for (const result of [{ data: { [long]: 1 } }, { data: { a: long } }, { data: null, errors: [error] }]) {
    const budget = (resultBytes: number) => new ResultBudget({ ...UNLIMITED, resultBytes });
    expect(budget(900).judge(result)?.message).toMatch(
      /bytes of the result, 900 allowed, 1\d\d\d|2\d\d\d found/,
    );
    expect(budget(2_500).judge(result)).toBeNull();
  }
});

test('a budget that starts over has room again', () => {
  const budget = new ResultBudget({ ...UNLIMITED, resultFields: 1 });
  expect([budget.takeField(1), budget.takeField(1)]).toEqual([true, false]);
  budget.reset();
  expect([budget.takeField(1), budget.judge({ data: {} })]).toEqual([true, null]);
});
