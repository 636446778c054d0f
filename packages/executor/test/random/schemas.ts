import {
  buildSchema,
  GraphQLError,
  isEnumType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  printSchema,
  valueFromASTUntyped,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type IntValueNode,
} from 'graphql';
import { hash } from './random.ts';
import { resolve } from './values.ts';

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
  enum Colour { RED GREEN BLUE }
  input Range { from: Int = 1, to: Int!, colour: Colour = GREEN, within: Range, tags: [String!], any: Any }
  input Choice @oneOf { id: ID, name: String, range: Range }
  interface Node { id: ID!, name: String }
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
export function everyKindOfSchema(): GraphQLSchema {
  const schema = buildSchema(SDL);
  const more: Readonly<Record<string, object>> = {
    Any: ANY,
    Even: {
      serialize: even,
      parseValue: even,
      parseLiteral: (node: IntValueNode) => even(Number(node.value)),
    },
    Node: { resolveType },
    Typed: { resolveType },
    Robot: { isTypeOf: isRobot },
    Place: { isTypeOf: isPlaceLater },
  };
  for (const [name, methods] of Object.entries(more)) Object.assign(schema.getType(name) ?? {}, methods);
  const colour = schema.getType('Colour');
  for (const value of isEnumType(colour) ? colour.getValues() : [])
    value.value = value.name === 'BLUE' ? { blue: 1 } : value.name.toLowerCase();
  return withResolvers(schema);
}

/** A copy of a schema: its types, scalars and enum values, with resolvers that return random values. */
export function mockedSchema(original: GraphQLSchema): GraphQLSchema {
  const schema = buildSchema(printSchema(original));
  for (const copy of Object.values(schema.getTypeMap())) {
    const type = original.getType(copy.name);
    if (isScalarType(type) && !isSpecifiedScalarType(type)) {
      const { serialize, parseValue, parseLiteral } = type;
      Object.assign(copy, { serialize, parseValue, parseLiteral });
    }
    if (isEnumType(type) && isEnumType(copy) && !copy.name.startsWith('__'))
      for (const value of copy.getValues()) value.value = type.getValue(value.name)?.value;
  }
  return withResolvers(schema);
}

/** Half of all fields get a resolver, the others are read from their source. */
function withResolvers(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields()))
      if (hash(`${type.name}.${field.name}`) % 2 === 0) field.resolve = resolve;
  }
  return schema;
}

const ANY = {
  serialize: (value: unknown): unknown => {
    if (value === 'later') return Promise.resolve('late');
    if (value === 'fails later') return Promise.reject(new Error('Failed late'));
    if (value === 'nothing') return undefined;
    if (value === 'null') return null;
    if (value === 'throws') throw new GraphQLError('Cannot serialise', { extensions: { code: 'BAD' } });
    return value;
  },
  parseValue: (value: unknown): unknown => value,
  parseLiteral: valueFromASTUntyped,
};

function even(value: unknown): number {
  if (typeof value === 'number' && value % 2 === 0) return value;
  throw new TypeError(`Not even: ${String(value)}`);
}

type Source =
  { readonly type?: string; readonly typeMode?: number; readonly isWrong?: boolean } | null | undefined;

const WRONG_TYPES: readonly ((schema: GraphQLSchema) => unknown)[] = [
  () => null,
  () => undefined,
  (schema) => schema.getType('Person'),
  () => 'Nowhere',
  () => 'Int',
  () => 'Query',
  () => 5,
  () => ({ name: 'Person' }),
  () => Promise.reject(new Error('No type')),
  () => {
    throw new Error('No type at all');
  },
];

function resolveType(value: Source, _context: unknown, { schema }: GraphQLResolveInfo): unknown {
  const { type, typeMode = 0, isWrong = false } = value ?? {};
  if (isWrong) return WRONG_TYPES[typeMode]?.(schema);
  return typeMode > 6 ? Promise.resolve(type) : type;
}

function isRobot(value: Source): boolean | Promise<boolean> {
  const { type, typeMode = 0, isWrong = false } = value ?? {};
  if (isWrong && typeMode === 3) throw new Error('Not sure');
  return type === 'Robot' && typeMode > 4 ? Promise.resolve(true) : type === 'Robot';
}

async function isPlaceLater(value: Source): Promise<boolean> {
  if (value?.isWrong && value.typeMode === 4) throw new Error('Not sure yet');
  return value?.type === 'Place';
}
