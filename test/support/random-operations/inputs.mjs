import { isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql';

/** @import { GraphQLInputType, GraphQLInputObjectType, GraphQLInputField } from 'graphql' */
/** @import { Random } from './random.mjs' */

/** @type {Readonly<Record<string, readonly unknown[]>>} */
const SCALARS = {
  Int: [0, 1, 7, -3],
  Float: [0, 1.5, -2, 1e3],
  String: ['', 'a', 'two words', '“ü”'],
  Boolean: [true, false],
  ID: ['1', 'x', 7],
  Even: [0, 2, 44],
  Any: ['text', 1, { a: [1, { b: null }] }, [true]],
  JSON: ['text', 1, { a: [1, { b: null }] }, [true]],
  DateTime: ['2026-01-02T03:04:05Z'],
  LocalDateTime: ['2026-01-02T03:04'],
  LocalTime: ['03:04'],
  URL: ['https://example.com/a'],
};

const WRONG = [
  null,
  'wrong',
  3,
  3.7,
  true,
  [],
  {},
  [null],
  { a: 1 },
  { to: 'x', unknown: 1 },
  ['RED', 'REED'],
];

/**
 * A raw value of an input type, as a caller would send it.
 *
 * @param {Random} random
 * @param {GraphQLInputType} type
 * @param {number} damage probability of a value that does not fit
 * @returns {unknown}
 */
export function rawValue(random, type, damage) {
  if (random.chance(damage)) return random.pick(WRONG);
  if (!isNonNullType(type) && random.chance(0.1)) return null;
  return rawNonNull(random, isNonNullType(type) ? type.ofType : type, damage);
}

/**
 * @param {Random} random
 * @param {GraphQLInputType} type
 * @param {number} damage
 * @returns {unknown}
 */
function rawNonNull(random, type, damage) {
  if (isNonNullType(type)) return rawNonNull(random, type.ofType, damage);
  if (isListType(type)) {
    if (random.chance(0.15)) return rawValue(random, type.ofType, damage);
    return Array.from({ length: random.below(3) }, () => rawValue(random, type.ofType, damage));
  }
  if (isEnumType(type)) return random.pick(type.getValues()).name;
  if (!isInputObjectType(type)) return random.pick(SCALARS[type.name] ?? ['a']);
  const entries = givenFields(random, type).map(({ name, type: of }) => [
    name,
    type.isOneOf ? rawNonNull(random, of, damage) : rawValue(random, of, damage),
  ]);
  return Object.fromEntries(entries);
}

/**
 * A literal of an input type; variables in it come from `variableFor`, which gives null where there is to be none.
 *
 * @param {Random} random
 * @param {GraphQLInputType} type
 * @param {(type: GraphQLInputType) => string | null} variableFor
 * @returns {string}
 */
export function literal(random, type, variableFor) {
  if (isNonNullType(type)) return literal(random, type.ofType, variableFor).replace(/^null$/, '[]');
  if (random.chance(0.07)) return 'null';
  return valueLiteral(random, type, variableFor);
}

/**
 * @param {Random} random
 * @param {GraphQLInputType} type
 * @param {(type: GraphQLInputType) => string | null} variableFor
 * @returns {string}
 */
export function valueLiteral(random, type, variableFor) {
  if (isNonNullType(type)) return valueLiteral(random, type.ofType, variableFor);
  if (isListType(type)) {
    const item = () => variableFor(type.ofType) ?? itemLiteral(random, type.ofType, variableFor);
    return `[${Array.from({ length: random.below(3) }, item).join(', ')}]`;
  }
  if (isEnumType(type)) return random.pick(type.getValues()).name;
  if (!isInputObjectType(type)) return printed(random.pick(SCALARS[type.name] ?? ['a']));
  const fields = givenFields(random, type).map(({ name, type: of }) => {
    const value = type.isOneOf ? null : variableFor(of);
    return `${name}: ${value ?? (type.isOneOf ? valueLiteral(random, of, variableFor) : itemLiteral(random, of, variableFor))}`;
  });
  return `{${fields.join(', ')}}`;
}

/**
 * @param {Random} random
 * @param {GraphQLInputType} type
 * @param {(type: GraphQLInputType) => string | null} variableFor
 */
function itemLiteral(random, type, variableFor) {
  return isNonNullType(type) ? valueLiteral(random, type, variableFor) : literal(random, type, variableFor);
}

/**
 * The fields of an input object that are given: what is required, and some of the others.
 *
 * @param {Random} random
 * @param {GraphQLInputObjectType} type
 * @returns {GraphQLInputField[]}
 */
function givenFields(random, type) {
  const fields = Object.values(type.getFields());
  if (type.isOneOf) return [random.pick(fields)];
  return fields.filter(({ type: of, defaultValue }) =>
    isNonNullType(of) && defaultValue === undefined
      ? true
      : random.chance(isInputObjectType(of) ? 0.15 : 0.4),
  );
}

/** A JSON value as a GraphQL literal. @param {unknown} value @returns {string} */
function printed(value) {
  if (Array.isArray(value)) return `[${value.map(printed).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, one]) => `${key}: ${printed(one)}`)
    .join(', ')}}`;
}
