import { inspect } from 'node:util';
import {
  getArgumentValues,
  getVariableValues,
  GraphQLList,
  GraphQLNonNull,
  isInputType,
  isNullableType,
  isObjectType,
  Kind,
  parse,
  type FieldNode,
  type GraphQLError,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { expect, inject, test } from 'vitest';
import { compileArguments } from '../src/arguments.ts';
import { compileVariables } from '../src/coerce.ts';
import { schema as serverSchema } from '../../../src/schema/index.ts';
import { compiled, schemaOf } from '../../../test/support/compiled.ts';
import { cases } from '../../../test/support/depth.ts';
import { literal, rawValue } from '../../../test/support/random-operations/inputs.mjs';
import { Random } from '../../../test/support/random-operations/random.mjs';
import { everyKindOfSchema } from '../../../test/support/random-operations/schemas.mjs';

const SCHEMAS: readonly GraphQLSchema[] = [serverSchema, everyKindOfSchema()];

const inputTypesOf = (schema: GraphQLSchema): GraphQLNamedInputType[] =>
  Object.values(schema.getTypeMap()).filter((type) => isInputType(type));

/** Values that do not come from JSON, or that only some types accept. */
const ODD: readonly (() => unknown)[] = [
  () => undefined,
  () => null,
  () => -0,
  () => 2 ** 31,
  () => -(2 ** 31) - 1,
  () => 2 ** 53,
  () => 1e300,
  () => Number.NaN,
  () => Infinity,
  () => 1n,
  () => 'constructor',
  () => Symbol.iterator,
  () => expect,
  () => new Date(0),
  () => new Map([['a', 1]]),
  () => ({ ['__proto__']: 1 }),
  () => ({ toString: null }),
];

/** Damages a value from a request at some places, so that it is odd in ways that `rawValue` is not. */
function damaged(random: Random, value: unknown, chance: number): unknown {
  if (random.chance(chance)) return random.pick(ODD)();
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

const WRONG_LITERALS = ['null', '3', '"wrong"', '[null]', '{}', '{ a: $v0 }', 'WRONG', '[[1]]', 'true'];

/** A value in a document, which may be wrong. */
function literalOf(random: Random, type: GraphQLInputType, variableFor: () => string | null): string {
  if (random.chance(0.08)) return random.pick(WRONG_LITERALS);
  return variableFor() ?? literal(random, type, variableFor);
}

function variableNode(random: Random, type: GraphQLInputType, index: number): string {
  const fallback = random.chance(0.25)
    ? ` = ${literalOf(random, type, () => null).replaceAll('$v0', '1')}`
    : '';
  return `$v${index}: ${random.chance(0.01) ? 'Nothing' : String(type)}${fallback}`;
}

function operationIn(source: string): OperationDefinitionNode {
  const [operation] = parse(source).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error(source);
  return operation;
}

/** Everything about a value: its structure, the order of its keys, and its prototypes. */
function shown(value: unknown): string {
  return inspect(value, { depth: null, maxArrayLength: null, maxStringLength: null, breakLength: Infinity });
}

function shownError({ message, locations, extensions }: GraphQLError): string {
  return `error ${shown([message, locations, extensions])}`;
}

/** Whether a value contains an iterable other than an array, which is left to graphql-js. */
function containsIterable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (!Array.isArray(value) && Symbol.iterator in value) return true;
  const inherited: unknown = Object.getPrototypeOf(value);
  return containsIterable(inherited) || Object.values(value).some(containsIterable);
}

/** How many inputs were valid. */
interface Counts {
  valid: number;
}

function compareVariables(schema: GraphQLSchema, seed: string, counts: Counts): string | null {
  const random = new Random(seed);
  const types = Array.from({ length: 1 + random.below(3) }, () =>
    wrapped(random, random.pick(inputTypesOf(schema))),
  );
  const declared = types.map((type, index) => variableNode(random, type, index)).join(', ');
  const { variableDefinitions = [] } = operationIn(`query (${declared}) { __typename }`);
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
  const found = compileVariables(schema, variableDefinitions)(inputs());
  const expected = getVariableValues(schema, variableDefinitions, inputs());
  if (!expected.errors) counts.valid += 1;
  if (found === null) {
    const hasWrongDefault = Object.values(expected.coerced ?? {}).includes(undefined);
    if (expected.errors !== undefined || hasWrongDefault || containsIterable(inputs())) return null;
  } else if (shown(found) === shown(expected.coerced)) return null;
  return `query (${declared}) with ${shown(inputs())}: ${shown(found)}, not ${shown(expected)}`;
}

const fieldsWithArguments = (schema: GraphQLSchema): GraphQLField<unknown, unknown>[] =>
  Object.values(schema.getTypeMap())
    .flatMap((type) => (isObjectType(type) ? Object.values(type.getFields()) : []))
    .filter(({ args }) => args.length > 0);

function compareArguments(schema: GraphQLSchema, seed: string, counts: Counts): string | null {
  const random = new Random(seed);
  const field = random.pick(fieldsWithArguments(schema));
  const frequency = random.pick([0, 0.1, 0.4]);
  const variables: Record<string, unknown> = {};
  const variableFor = (type: GraphQLInputType) => (): string | null => {
    if (!random.chance(frequency)) return null;
    const name = `v${random.below(6)}`;
    if (random.chance(0.8)) variables[name] = rawValue(random, type, 0.1);
    return `$${name}`;
  };
  const given = field.args.flatMap(({ name, type }) =>
    random.chance(0.2) ? [] : [`${name}: ${literalOf(random, type, variableFor(type))}`],
  );
  const source = `{ ${field.name}${given.length > 0 ? `(${given.join(', ')})` : ''} }`;
  const [node] = operationIn(source).selectionSet.selections;
  const expected = outcomeOf(() => getArgumentValues(field, node as FieldNode, variables));
  const read = compileArguments(field, node as FieldNode);
  const [found, again] = [outcomeOf(() => read(variables)), outcomeOf(() => read(variables))];
  if (!expected.startsWith('error')) counts.valid += 1;
  if (found === expected && again === expected) return null;
  return `${source} with ${shown(variables)}: ${found}, not ${expected}`;
}

function outcomeOf(coerce: () => unknown): string {
  try {
    return shown(coerce());
  } catch (error) {
    return shownError(error as GraphQLError);
  }
}

const HALF = cases(2_000, 50_000);

for (const [what, compare] of Object.entries({ variables: compareVariables, arguments: compareArguments })) {
  test(`random ${what} are coerced as by graphql-js`, () => {
    const counts: Counts = { valid: 0 };
    const differences: string[] = [];
    for (let index = 0; index < HALF && differences.length < 5; index += 1) {
      const schema = SCHEMAS[index % 4 === 3 ? 1 : 0] ?? serverSchema;
      const difference = compare(schema, `${inject('seed')} ${what} ${index}`, counts);
      if (difference !== null) differences.push(difference);
    }
    expect(differences).toEqual([]);
    expect(counts.valid).toBeGreaterThan(HALF / 4);
  }, 600_000);
}

test('each input type of the schema coerces valid values without graphql-js', () => {
  const left = inputTypesOf(serverSchema).filter((type) => {
    const coerce = compileVariables(
      serverSchema,
      operationIn(`query ($v: ${type.name}!) { __typename }`).variableDefinitions ?? [],
    );
    const random = new Random(type.name);
    return Array.from({ length: 50 }).some(
      () => coerce({ v: rawValue(random, new GraphQLNonNull(type), 0) }) === null,
    );
  });
  expect(left).toEqual([]);
});

const SCHEMA = schemaOf('type Query { a: Int }');

test('a variable with the name of the prototype is no prototype', () => {
  const source = 'query ($__proto__: Int) { a }';
  const inputs = JSON.parse('{ "__proto__": 4 }') as Record<string, unknown>;
  const { coerced = {} } = compiled(SCHEMA, source).coerceVariables(inputs);
  expect(Object.getPrototypeOf(coerced)).toBe(Object.prototype);
  expect(Object.entries(coerced)).toEqual([['__proto__', 4]]);
});
