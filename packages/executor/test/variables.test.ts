import { getVariableValues, Kind, parse, type OperationDefinitionNode } from 'graphql';
import { expect, test } from 'vitest';
import { compilePlainVariables } from '../src/variables.ts';
import { compiled, schemaOf } from '../../../test/support/compiled.ts';

const SCHEMA = schemaOf(
  'scalar Any input In { n: Int } enum Colour { RED } type Query { a(id: ID, is: Boolean, n: Float): Int }',
);

const TYPES = ['Boolean', 'Float', 'ID', 'Int', 'String', '[Int]', 'Any', 'In', 'Colour', 'Nothing'];
const NUMBERS = [
  0,
  -0,
  1,
  1.5,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31),
  -(2 ** 31) - 1,
  2 ** 53,
  Number.NaN,
  Infinity,
  1n,
];
const OTHERS = [true, false, '', 'RED', '1', null, undefined, [], [1], {}, { n: 1 }];
const INPUTS: readonly Record<string, unknown>[] = [
  {},
  { other: 1 },
  Object.create({ v: 1 }),
  ...[...NUMBERS, ...OTHERS].map((v) => ({ v })),
];

const definitionsIn = (source: string) => {
  const [operation] = parse(source).definitions;
  expect(operation?.kind).toBe(Kind.OPERATION_DEFINITION);
  return (operation as OperationDefinitionNode).variableDefinitions ?? [];
};

const DEFINITIONS = TYPES.flatMap((type) =>
  ['', '!', ' = null', ' = 3'].map((suffix) => definitionsIn(`query ($v: ${type}${suffix}) { a }`)),
);

test('plain variables are coerced as graphql-js coerces them, or left to it', () => {
  let plain = 0;
  for (const definitions of DEFINITIONS) {
    const coerce = compilePlainVariables(SCHEMA, definitions);
    for (const inputs of INPUTS) {
      const coerced = coerce(inputs);
      if (coerced === null) continue;
      plain += 1;
      expect({ coerced }).toStrictEqual(getVariableValues(SCHEMA, definitions, inputs));
    }
  }
  expect(plain).toBeGreaterThan(80);
});

test('one variable that is not plain leaves all of them to graphql-js', () => {
  const coerce = compilePlainVariables(SCHEMA, definitionsIn('query ($a: Int, $b: In) { a }'));
  expect(coerce({ a: 1 })).toBeNull();
});

test('a variable with the name of the prototype is no prototype', () => {
  const source = 'query ($__proto__: Int) { a }';
  const inputs = JSON.parse('{ "__proto__": 4 }') as Record<string, unknown>;
  const { coerced = {} } = compiled(SCHEMA, source).coerceVariables(inputs);
  expect(Object.getPrototypeOf(coerced)).toBe(Object.prototype);
  expect(Object.entries(coerced)).toEqual([['__proto__', 4]]);
});
