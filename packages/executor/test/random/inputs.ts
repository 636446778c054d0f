import {
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
} from 'graphql';
import { landmarks } from '../../../../test/support/landmarks.ts';
import { account } from '../../../../test/support/writes.ts';
import type { Random } from './random.ts';

const JSON_VALUES = ['text', 1, { a: [1, { b: null }] }, [true]];
const SCALARS: Readonly<Record<string, readonly unknown[]>> = {
  Int: [0, 1, 7, -3],
  Float: [0, 1.5, -2, 1e3],
  String: ['', 'a', 'two words', '“ü”'],
  Boolean: [true, false],
  ID: ['1', 'x', 7, account(), account(landmarks.pausedId)],
  Even: [0, 2, 44],
  Any: JSON_VALUES,
  JSON: JSON_VALUES,
  DateTime: ['2026-01-02T03:04:05Z'],
  LocalDateTime: ['2026-01-02T03:04'],
  LocalTime: ['03:04'],
  URL: ['https://example.com/a'],
};

const WRONG_SCALARS = [null, 'wrong', 3, 3.7, true];
const WRONG_OBJECTS = [[], {}, [null], { a: 1 }, { to: 'x', unknown: 1 }, ['RED', 'REED']];
const WRONG: readonly unknown[] = [...WRONG_SCALARS, ...WRONG_OBJECTS];

/** A raw value of an input type, as a caller would send it; `damage` is the probability of one that does not fit. */
export function rawValue(random: Random, type: GraphQLInputType, damage: number): unknown {
  if (random.chance(damage)) return random.pick(WRONG);
  if (!isNonNullType(type) && random.chance(0.1)) return null;
  return rawNonNull(random, type, damage);
}

function rawNonNull(random: Random, type: GraphQLInputType, damage: number): unknown {
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
  return Object.fromEntries(entries) as unknown;
}

/** Gives the variable for a place of a type, or null where there is to be none. */
export type VariableFor = (type: GraphQLInputType) => string | null;

/** A literal of an input type. */
export function literal(random: Random, type: GraphQLInputType, variableFor: VariableFor): string {
  return !isNonNullType(type) && random.chance(0.07) ? 'null' : valueLiteral(random, type, variableFor);
}

/** A literal of an input type that is not null. */
export function valueLiteral(random: Random, type: GraphQLInputType, variableFor: VariableFor): string {
  if (isNonNullType(type)) return valueLiteral(random, type.ofType, variableFor);
  if (isListType(type)) {
    // One item stands for a list of it.
    if (random.chance(0.15)) return valueLiteral(random, type.ofType, variableFor);
    const item = () => variableFor(type.ofType) ?? literal(random, type.ofType, variableFor);
    return `[${Array.from({ length: random.below(3) }, item).join(', ')}]`;
  }
  if (isEnumType(type)) return random.pick(type.getValues()).name;
  if (!isInputObjectType(type)) return printed(random.pick(SCALARS[type.name] ?? ['a']));
  const fields = givenFields(random, type).map(({ name, type: of }) =>
    type.isOneOf
      ? `${name}: ${valueLiteral(random, of, variableFor)}`
      : `${name}: ${variableFor(of) ?? literal(random, of, variableFor)}`,
  );
  return `{${fields.join(', ')}}`;
}

/** The fields of an input object that are given: what is required, and some of the others. */
function givenFields(random: Random, type: GraphQLInputObjectType): GraphQLInputField[] {
  const fields = Object.values(type.getFields());
  if (type.isOneOf) return [random.pick(fields)];
  return fields.filter(
    ({ type: of, defaultValue }) =>
      (isNonNullType(of) && defaultValue === undefined) || random.chance(isInputObjectType(of) ? 0.15 : 0.4),
  );
}

/** A JSON value as a GraphQL literal. */
function printed(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printed).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, one]) => `${key}: ${printed(one)}`);
  return `{${fields.join(', ')}}`;
}
