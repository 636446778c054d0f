import { GraphQLInt, GraphQLScalarType, parse, GraphQLError, type GraphQLArgument } from 'graphql';
import { expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { addArguments } from '../../../src/engine/limits/argument-size.ts';
import { measure } from '../../../src/engine/limits/measure.ts';
import { resultError } from '../../../src/engine/limits/result.ts';
import { variablesError } from '../../../src/engine/engine.ts';
import { validateWithin } from '../../../src/engine/limits/validation.ts';
import { schema } from '../../../src/schema/index.ts';

test('variables are counted together, however few there are at each depth', () => {
  const limits = { variableDepth: 20, variableValues: 5 };
  expect(variablesError({ a: { b: { c: { d: [1] } } } }, limits)).toBeNull();
  expect(variablesError({ a: { b: { c: { d: [1, 2] } } } }, limits)?.message).toMatch(
    /values in the variables: 6 \(maximum 5\)/,
  );
});

test('what stands in an argument of no declared shape is counted at each depth, in lists and in objects', () => {
  const json = { name: 'a', type: new GraphQLScalarType({ name: 'JSON' }) } as GraphQLArgument;
  const valuesOf = (value: unknown): number => {
    const size = { values: 0, ids: 0, longestIdList: 0 };
    addArguments(size, [json, { name: 'b', type: GraphQLInt } as GraphQLArgument], { a: value });
    return size.values;
  };
  const fields = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, index]));
  expect(valuesOf({ fields })).toBe(valuesOf([Object.values(fields)]));
  expect(valuesOf({ fields })).toBeGreaterThan(50);
});

const depthOf = (text: string): number | undefined => measure(parse(text))[0]?.introspectionDepth;

test('introspection within introspection is as deep as both', () => {
  expect(depthOf('{ __schema { a { b } } }')).toBe(2);
  expect(depthOf('{ __schema { __schema { __type { a } } } }')).toBe(3);
});

test('the errors of a result count towards its bytes', () => {
  const errors = Array.from({ length: 10 }, () => new GraphQLError('x'.repeat(200)));
  const limits = { resultFields: 100, resultErrors: 100, resultBytes: 1_000 };
  expect(resultError({ data: {}, errors: errors.slice(0, 2) }, limits)).toBeNull();
  expect(resultError({ data: {}, errors }, limits)?.message).toMatch(
    /bytes of the result: \d+ \(maximum 1000\)/,
  );
});

test('the errors of a document are told within six kibibytes, also where a character takes several bytes', () => {
  const { limits } = readConfig({});
  const fields = Array.from(
    { length: 10 },
    (_, index) => `f${index}: accounts(first: "${index}${'€'.repeat(400)}") { totalCount }`,
  );
  const errors = validateWithin(schema, parse(`{ ${fields.join(' ')} }`), {
    limits: { ...limits, aliases: 10, rootFields: 10 },
    introspection: true,
  });
  expect(errors.length).toBeGreaterThan(1);
  expect(errors[0]?.message).toContain('€€');
  expect(Buffer.byteLength(JSON.stringify(errors))).toBeLessThan(6 * 1_024 + 20);
});
