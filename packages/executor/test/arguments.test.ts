import { execute, parse, valueFromASTUntyped, type ValueNode } from 'graphql';
import { expect, test } from 'vitest';
import { compiled, run, schemaOf } from '../../../test/support/compiled.ts';

type Args = Record<string, unknown>;

const SDL = `
  scalar Any
  input In { n: Int = 5, list: [Int!] }
  type Query {
    plain: String
    a(n: Int, text: String = "t"): String
    in(in: In = { n: 1 }, any: Any, list: [Int!]): String
    must(n: Int!, other: Int! = 2): String
  }
`;

/** Resolvers that return their arguments as text. */
const told = (_source: unknown, args: Args): string => JSON.stringify(args);
const SCHEMA = schemaOf(SDL, { Query: { plain: told, a: told, in: told, must: told } });

/** Executes with both, and expects the same. */
async function expectSame(source: string, variableValues?: Args): Promise<void> {
  const result = await run(SCHEMA, source, undefined, variableValues);
  const expected = await execute({ schema: SCHEMA, document: parse(source), variableValues });
  expect(JSON.stringify(result)).toBe(JSON.stringify(expected));
}

const CASES: readonly (readonly [string, string, Args?])[] = [
  ['no arguments', '{ plain a in must(n: 1) }'],
  ['constants, in the order of the schema', '{ a(text: "x", n: 1) }'],
  ['null as a constant', '{ a(text: null) in(in: null) }'],
  ['objects and lists', '{ in(in: { list: 3 }, any: { a: [1] }, list: [1, 2]) }'],
  ['variables', 'query ($n: Int, $in: In) { a(n: $n) in(in: $in, list: [1]) }', { n: 1, in: { list: [1] } }],
  [
    'variables within lists and objects',
    'query ($n: Int!) { in(in: { n: $n, list: [$n] }, list: [$n]) }',
    { n: 1 },
  ],
  ['absent variables', 'query ($n: Int, $t: String, $m: Int) { a(n: $n, text: $t) in(in: { n: $m }) }', {}],
  ['null variables', 'query ($n: Int, $t: String) { a(n: $n, text: $t) }', { n: null, t: null }],
  ['a null variable at a place that has a default', 'query ($n: Int) { must(n: 1, other: $n) }', { n: null }],
  ['an absent variable at a place that has a default', 'query ($n: Int) { must(n: 1, other: $n) }', {}],
  ['a null variable with a default', 'query ($n: Int = 3) { must(n: $n) plain }', { n: null }],
  ['a missing argument, invalidly', '{ must plain }'],
  ['a constant that does not fit, invalidly', '{ a(n: "x") plain }'],
  ['an unknown variable, invalidly', '{ must(n: $n) plain }'],
];

for (const [what, source, variables] of CASES) {
  test(`arguments or their errors differ from graphql-js: ${what}`, () => expectSame(source, variables));
}

/** A resolver that returns its arguments as text, and changes all of them. */
function change(
  _source: unknown,
  args: { in: { n: number; list: number[] }; list: number[]; any: { a: number } },
): string {
  const before = JSON.stringify(args);
  args.in.n += 1;
  args.in.list.push(7);
  args.list.push(9);
  args.any.a += 1;
  return before;
}

test('a resolver changes the arguments of the next call', async () => {
  const schema = schemaOf(SDL, { Query: { in: change } });
  const operation = compiled(schema, '{ in(in: { list: [1] }, any: { a: 1 }, list: [1]) }');
  const first = await operation.execute({});
  expect(first.errors).toBeUndefined();
  expect(await operation.execute({})).toEqual(first);
});

test('a resolver changes constant arguments for the next call, or must not change them', async () => {
  const schema = schemaOf(SDL, {
    Query: {
      a: (_source: unknown, args: Args) => {
        const before = JSON.stringify(args);
        args['n'] = 'changed';
        return before;
      },
    },
  });
  const operation = compiled(schema, '{ a(n: 1) b: a(n: 1) }');
  const expected = '{"n":1,"text":"t"}';
  expect(await operation.execute({})).toEqual({ data: { a: expected, b: expected } });
  expect(await operation.execute({})).toEqual({ data: { a: expected, b: expected } });
});

test('a variable inside a custom scalar keeps the value of the first execution', async () => {
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

test('constants are coerced again for each call', async () => {
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
