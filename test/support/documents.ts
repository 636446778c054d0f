import * as fc from 'fast-check';
import { GraphQLSchema } from 'graphql';
import { randomOperation } from '../../packages/executor/test/random/documents.ts';
import { schema } from '../../src/schema/index.ts';

interface GeneratedOperation {
  readonly query: string;
  readonly variables: Record<string, unknown>;
  readonly operationName?: string | undefined;
}

const QUERIES = new GraphQLSchema({ ...schema.toConfig(), mutation: null, subscription: null });

/** Generates queries of this graph, of which nearly all are valid. */
export function generateOperation(g: fc.GeneratorValue): GeneratedOperation {
  const { source, variables, operationName } = randomOperation(QUERIES, String(g(fc.nat)));
  return { query: source, variables: variables[0] ?? {}, operationName };
}

const NODE = 'query ($id: ID!) { node(id: $id) { id } }';
const TWO = 'query A { __typename } query B { surfaces { surface } }';

/** Parameters that are no operation which can be executed. */
export const NO_OPERATIONS: readonly object[] = [
  {},
  { query: null },
  { query: '' },
  { query: 7 },
  { query: '{ __typename }', variables: [] },
  { query: '{ __typename }', variables: 'x' },
  { query: '{ __typename }', operationName: 7 },
  { query: '{ __typename }', operationName: 'Missing' },
  { query: '{ __typename }', extensions: 'x' },
  { query: TWO },
  { query: TWO, operationName: '' },
  { query: '{' },
  { query: '{ nothing }' },
  { query: NODE },
  { query: NODE, variables: { id: {} } },
  { query: NODE, variables: JSON.parse('{"__proto__":{"id":"x"},"constructor":{"id":"x"}}') as object },
  { query: 'fragment F on Query { surfaces { surface } }' },
  { query: 'subscription { unknown }' },
  { query: 'query A { unknown }', operationName: 'B' },
  { query: 'query ($n: Int) { accounts(first: $n) { totalCount } }', variables: { n: 'many' } },
  { query: 'query ($n: Int) { accounts(first: $n) { totalCount } }', variables: { n: 2 ** 40 } },
];

const SIGNS = '{ } ( ) [ ] : = ! | & $ @ ... " """ # , \\'.split(' ');
const NAMES =
  'query mutation subscription fragment on true null 1e400 -0 0x1 __schema __type __typename __proto__ constructor accounts nodes first id Query';
const CHARACTERS = '\u0000\ufeff\ud800\u202e😀'.split('');
const PARTS = [
  '@include(if: true)',
  '$v: [[Int!]!]',
  '{ a }',
  '...F',
  '"\\u{110000}"',
  '"\\uD83D"',
  '/* x */',
];
/** Words that a document is made of, with some that should not be there. */
const WORDS: readonly string[] = [...SIGNS, ...NAMES.split(' '), ...CHARACTERS, ...PARTS];

/** Documents that nobody should send: of words at random, and valid ones with parts cut, doubled or swapped. */
export const hostileDocument: fc.Arbitrary<string> = fc.gen().map((g): string => {
  const made = g(() => fc.constantFrom('of words', 'nested', 'mutated'));
  if (made === 'of words') return g(someWords).join(g(aSpace));
  return made === 'nested' ? nestedDocument(g) : mutated(g, generateOperation(g).query);
});

const someWords = () => fc.array(fc.constantFrom(...WORDS), { maxLength: 40 });
const aSpace = () => fc.constantFrom(' ', '', '\n');
const nestings = () =>
  fc.constantFrom<readonly [string, string]>(
    ['{ a ', ' }'],
    ['{ accounts { nodes ', ' } }'],
    ['{ ... on Query ', ' }'],
    ['{ a(b: [', ']) }'],
    ['{ a(b: {c: ', '}) }'],
    ['query ($v: [', ']) { a }'],
    ['{ ...F } fragment F on Query ', ''],
  );
const aNumber = () => fc.nat({ max: 80 });

function nestedDocument(g: fc.GeneratorValue): string {
  const [open, close] = g(nestings);
  const depth = g(aNumber);
  return open.repeat(depth) + g(someWords).join(' ') + close.repeat(g(fc.boolean) ? depth : g(aNumber));
}

function mutated(g: fc.GeneratorValue, text: string): string {
  const at = (): number => g(fc.nat, { max: text.length });
  const [one, other] = [at(), at()].toSorted((a, b) => a - b) as [number, number];
  const part = text.slice(one, other);
  switch (g(fc.nat, { max: 3 })) {
    case 0:
      return text.slice(0, one) + text.slice(other);
    case 1:
      return text.slice(0, other) + part.repeat(g(aNumber)) + text.slice(other);
    case 2:
      return text.slice(other) + part + text.slice(0, one);
    default:
      return text.slice(0, one) + g(someWords).join(' ') + text.slice(one);
  }
}
