import {
  buildSchema,
  GraphQLError,
  isEnumType,
  isObjectType,
  isScalarType,
  printSchema,
  specifiedScalarTypes,
  valueFromASTUntyped,
} from 'graphql';
import { hash } from './random.mjs';
import { resolve } from './values.mjs';

/** @import { GraphQLEnumType, GraphQLScalarType, GraphQLSchema } from 'graphql' */

const FIELDS = /* GraphQL */ `
    id: ID!
    name: String
    title(upper: Boolean = false, prefix: String): String!
    count: Int
    size(range: Range = { to: 3 }, unit: Colour = GREEN): Int!
    ratio: Float
    weight: Float!
    isReal: Boolean
    isGood: Boolean!
    colour: Colour
    shade(of: Colour!, choice: Choice): Colour!
    any(value: Any): Any
    thing(values: [Any!], ranges: [Range]): Any!
    even(not: Even, notThese: [Even!]! = [2]): Even
    tags: [String]
    names: [String!]!
    matrix: [[Int]]
    grid: [[Int!]!]!
    colours(first: Int = 3, within: [Colour!]): [Colour!]
    friend(id: ID!): Person
    owner: Person!
    robot: Robot
    friends(first: Int! = 2, after: String): [Person]
    people: [Person!]
    crowd: [Person]!
    family: [Person!]!
    teams: [[Person!]]!
    node(id: ID, choice: Choice! = { id: "7" }): Node
    nodes: [Node!]
    named: Named!
    anything: Anything
    all: [Anything]!
    typed: [Typed]
`;

const SDL = /* GraphQL */ `
  scalar Any
  scalar Even
  enum Colour {
    RED
    GREEN
    BLUE
  }
  input Range {
    from: Int = 1
    to: Int!
    colour: Colour = GREEN
    within: Range
    tags: [String!]
    any: Any
  }
  input Choice @oneOf {
    id: ID
    name: String
    range: Range
  }
  interface Node {
    id: ID!
    name: String
  }
  interface Named implements Node {
    id: ID!
    name: String
    title(upper: Boolean = false, prefix: String): String!
    owner: Person!
  }
  type Person implements Node & Named {${FIELDS}}
  type Robot implements Node & Named {${FIELDS}}
  type Place implements Node {
    id: ID!
    name: String
    ratio: Float!
    near: [Place!]!
    people(first: Int): [Person!]
  }
  union Anything = Person | Robot | Place
  union Typed = Robot | Place
  type Query {${FIELDS}}
  type Mutation {${FIELDS}}
  type Subscription {${FIELDS}}
`;

/** A schema with every kind of type, at every kind of place, and with resolvers that do everything they can. */
export function everyKindOfSchema() {
  const schema = buildSchema(SDL);
  Object.assign(scalar(schema, 'Any'), ANY);
  Object.assign(scalar(schema, 'Even'), EVEN);
  const colour = /** @type {GraphQLEnumType} */ (schema.getType('Colour'));
  for (const value of colour.getValues())
    value.value = value.name === 'BLUE' ? { blue: 1 } : value.name.toLowerCase();
  Object.assign(/** @type {object} */ (schema.getType('Node')), { resolveType });
  Object.assign(/** @type {object} */ (schema.getType('Typed')), { resolveType });
  Object.assign(/** @type {object} */ (schema.getType('Robot')), { isTypeOf });
  Object.assign(/** @type {object} */ (schema.getType('Place')), { isTypeOf: isTypeOfLater });
  return withResolvers(schema);
}

/** A copy of a schema: its types, scalars and enum values, with resolvers that return random values. */
export function mockedSchema(/** @type {GraphQLSchema} */ original) {
  const schema = buildSchema(printSchema(original));
  for (const type of Object.values(original.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    if (isScalarType(type) && !specifiedScalarTypes.includes(type)) {
      const { serialize, parseValue, parseLiteral } = type;
      Object.assign(scalar(schema, type.name), { serialize, parseValue, parseLiteral });
    }
    if (!isEnumType(type)) continue;
    const copy = /** @type {GraphQLEnumType} */ (schema.getType(type.name));
    for (const value of copy.getValues()) value.value = type.getValue(value.name)?.value;
  }
  return withResolvers(schema);
}

/** @returns {GraphQLScalarType} */
function scalar(/** @type {GraphQLSchema} */ schema, /** @type {string} */ name) {
  return /** @type {GraphQLScalarType} */ (schema.getType(name));
}

/** Half of all fields get a resolver, the others are read from their source. */
function withResolvers(/** @type {GraphQLSchema} */ schema) {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      if (hash(`${type.name}.${field.name}`) % 2 === 0) field.resolve = resolve;
    }
  }
  return schema;
}

const ANY = {
  serialize: (/** @type {unknown} */ value) => {
    if (value === 'later') return Promise.resolve('late');
    if (value === 'fails later') return Promise.reject(new Error('Failed late'));
    if (value === 'nothing') return undefined;
    if (value === 'null') return null;
    if (value === 'throws') throw new GraphQLError('Cannot serialise', { extensions: { code: 'BAD' } });
    return value;
  },
  parseValue: (/** @type {unknown} */ value) => value,
  parseLiteral: valueFromASTUntyped,
};

const EVEN = {
  serialize: even,
  parseValue: even,
  parseLiteral: (/** @type {any} */ node) => even(Number(node.value)),
};

function even(/** @type {unknown} */ value) {
  if (typeof value === 'number' && value % 2 === 0) return value;
  throw new TypeError(`Not even: ${String(value)}`);
}

/** @typedef {{ type?: string, typeMode?: number, isWrong?: boolean } | null | undefined} Source */

function resolveType(/** @type {Source} */ value) {
  if (value?.isWrong) return WRONG_TYPES[(value.typeMode ?? 0) % WRONG_TYPES.length]?.();
  const name = value?.type;
  return (value?.typeMode ?? 0) > 6 ? Promise.resolve(name) : name;
}

/** @type {readonly (() => unknown)[]} */
const WRONG_TYPES = [
  () => null,
  () => 'Nowhere',
  () => 'Int',
  () => 'Query',
  () => 5,
  () => ({ name: 'Person' }),
  () => Promise.reject(new Error('No type')),
  () => {
    throw new Error('No type at all');
  },
  () => Promise.resolve(undefined),
];

function isTypeOf(/** @type {Source} */ value) {
  if (value?.isWrong && value.typeMode === 3) throw new Error('Not sure');
  return value?.type === 'Robot' && (value.typeMode ?? 0) > 4
    ? Promise.resolve(true)
    : value?.type === 'Robot';
}

async function isTypeOfLater(/** @type {Source} */ value) {
  if (value?.isWrong && value.typeMode === 4) throw new Error('Not sure yet');
  return value?.type === 'Place';
}
