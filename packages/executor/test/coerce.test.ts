import { inspect } from 'node:util';
import {
  getVariableValues,
  GraphQLList,
  GraphQLNonNull,
  isInputType,
  isNullableType,
  Kind,
  parse,
  specifiedScalarTypes,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  type VariableDefinitionNode,
} from 'graphql';
import { expect, inject, test } from 'vitest';
import { compileVariables } from '../src/coerce.ts';
import { schema as serverSchema } from '../../../src/schema/index.ts';
import { compiled, schemaOf } from '../../../test/support/compiled.ts';
import { cases } from '../../../test/support/depth.ts';
import { literal, rawValue } from './random/inputs.ts';
import { Random } from './random/random.ts';
import { everyKindOfSchema } from './random/schemas.ts';

const SCHEMAS: readonly GraphQLSchema[] = [serverSchema, everyKindOfSchema()];

const inputTypesOf = (schema: GraphQLSchema): GraphQLNamedInputType[] =>
  Object.values(schema.getTypeMap()).filter((type) => isInputType(type));

/** Values that do not come from JSON, or that only some types accept. */
const NUMBERS = [-0, 1.5, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1e300, Number.NaN, Infinity, 1n];
const OBJECTS: unknown[] = [new Date(0), new Map([['a', 1]]), { ['__proto__']: 1 }, { toString: null }];
const OTHERS = [expect, undefined, null, true, 'constructor', Symbol.iterator];
const ODD: readonly unknown[] = [...NUMBERS, ...OBJECTS, ...OTHERS];

/** Damages a value from a request at some places, so that it is odd in ways that `rawValue` is not. */
function damaged(random: Random, value: unknown, chance: number): unknown {
  if (random.chance(chance)) return random.pick(ODD);
  if (Array.isArray(value)) {
    const items = value.map((item) => damaged(random, item, chance));
    if (!random.chance(chance)) return items;
    const forms: readonly (() => unknown)[] = [
      () => new Set(items),
      () => items.values(),
      () => Object.assign(Array.from({ length: items.length + 1 }), { 0: items[0] }),
      // oxlint-disable-next-line unicorn/no-new-array -- its items are missing, not undefined
      () => new Array(2),
    ];
    return random.pick(forms)();
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, child]) => [key, damaged(random, child, chance)] as const);
  if (random.chance(chance)) entries.push([random.pick(['unknown', 'toString', 'id', 'first']), undefined]);
  if (random.chance(chance)) entries.reverse();
  const object: unknown = Object.fromEntries(entries);
  return random.chance(chance) ? Object.create(object as object) : object;
}

/** A type made of a named type, lists and non-null. */
function wrapped(random: Random, type: GraphQLInputType): GraphQLInputType {
  if (random.chance(0.4) && isNullableType(type)) return wrapped(random, new GraphQLNonNull(type));
  return random.chance(0.3) ? wrapped(random, new GraphQLList(type)) : type;
}

function variableNode(random: Random, type: GraphQLInputType, index: number): string {
  const fallback = random.chance(0.25) ? ` = ${literal(random, type, () => null)}` : '';
  return `$v${index}: ${random.chance(0.01) ? 'Nothing' : String(type)}${fallback}`;
}

/** The definitions of variables that an operation declares so. */
function definitionsOf(declared: string): readonly VariableDefinitionNode[] {
  const [operation] = parse(`query (${declared}) { __typename }`).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error(declared);
  return operation.variableDefinitions ?? [];
}

/** Everything about a value: its structure, the order of its keys, and its prototypes. */
function shown(value: unknown): string {
  return inspect(value, { depth: null, maxArrayLength: null, maxStringLength: null, breakLength: Infinity });
}

/** Whether a value contains an iterable other than an array, which is left to graphql-js. */
function containsIterable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (!Array.isArray(value) && Symbol.iterator in value) return true;
  const inherited: unknown = Object.getPrototypeOf(value);
  return containsIterable(inherited) || Object.values(value).some(containsIterable);
}

/** What differs for random variables; `valid` is called if graphql-js takes them. */
function difference(schema: GraphQLSchema, seed: string, valid: () => void): string | null {
  const random = new Random(seed);
  const types = Array.from({ length: 1 + random.below(3) }, () =>
    wrapped(random, random.pick(inputTypesOf(schema))),
  );
  const declared = types.map((type, index) => variableNode(random, type, index)).join(', ');
  const definitions = definitionsOf(declared);
  const chance = random.pick([0, 0, 0.02, 0.2]);
  // Made twice, because reading an iterator consumes it.
  const inputs = (): Record<string, unknown> => {
    const values = new Random(`${seed} values`);
    const given = types.flatMap((type, index) =>
      values.chance(0.1)
        ? []
        : [[`v${index}`, damaged(values, rawValue(values, type, chance), chance)] as const],
    );
    return Object.fromEntries(given);
  };
  const found = compileVariables(schema, definitions)(inputs());
  const expected = getVariableValues(schema, definitions, inputs());
  if (!expected.errors) valid();
  if (found === null) {
    const hasWrongDefault = Object.values(expected.coerced ?? {}).includes(undefined);
    if (expected.errors !== undefined || hasWrongDefault || containsIterable(inputs())) return null;
  } else if (shown(found) === shown(expected.coerced)) return null;
  return `query (${declared}) with ${shown(inputs())}: ${shown(found)}, not ${shown(expected)}`;
}

const INPUTS = cases(1_200, 50_000);

test('random variables are coerced as by graphql-js', () => {
  let valid = 0;
  const differences: string[] = [];
  for (let index = 0; index < INPUTS && differences.length < 5; index += 1) {
    const schema = SCHEMAS[index % 4 === 3 ? 1 : 0] ?? serverSchema;
    const found = difference(schema, `${inject('seed')} ${index}`, () => (valid += 1));
    if (found !== null) differences.push(found);
  }
  expect(differences).toEqual([]);
  expect(valid).toBeGreaterThan(INPUTS / 4);
}, 600_000);

test.each(specifiedScalarTypes)('%s takes the odd values that it takes in graphql-js', (type) => {
  const definitions = definitionsOf(`$v: ${type.name}`);
  const coerce = compileVariables(serverSchema, definitions);
  for (const v of ODD) {
    const { coerced = null } = getVariableValues(serverSchema, definitions, { v });
    if (!containsIterable(v)) expect(shown(coerce({ v })), shown(v)).toBe(shown(coerced));
  }
});

test('each input type of the schema coerces valid values without graphql-js', () => {
  const left = inputTypesOf(serverSchema).filter((type) => {
    const coerce = compileVariables(serverSchema, definitionsOf(`$v: ${type.name}!`));
    const random = new Random(type.name);
    const isLeft = (): boolean => coerce({ v: rawValue(random, new GraphQLNonNull(type), 0) }) === null;
    return Array.from({ length: 50 }).some(isLeft);
  });
  expect(left).toEqual([]);
});

test('a variable with the name of the prototype is no prototype', () => {
  const source = 'query ($__proto__: Int) { a }';
  const inputs = JSON.parse('{ "__proto__": 4 }') as Record<string, unknown>;
  const { coerced = {} } = compiled(schemaOf('type Query { a: Int }'), source).coerceVariables(inputs);
  expect(Object.getPrototypeOf(coerced)).toBe(Object.prototype);
  expect(Object.entries(coerced)).toEqual([['__proto__', 4]]);
});
