import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLString,
  type GraphQLLeafType,
} from 'graphql';
import { inspect } from 'graphql/jsutils/inspect.js';

/** Completes the value of a scalar or an enum. */
export type Serialize = (value: unknown) => unknown;

const PRIMITIVES = new Map<GraphQLLeafType, string>([
  [GraphQLString, 'string'],
  [GraphQLID, 'string'],
  [GraphQLBoolean, 'boolean'],
]);

/** Returns the `typeof` of values that serialise to themselves, or an empty string if there is none. */
export function primitiveOf(type: GraphQLLeafType): string {
  return PRIMITIVES.get(type) ?? '';
}

/** Compiles the completion of a nullable leaf. */
export function compileLeaf(type: GraphQLLeafType): Serialize {
  const primitive = primitiveOf(type);
  if (primitive) return (value) => (typeof value === primitive ? value : serialize(type, value));
  if (type === GraphQLInt) return (value) => (isInt(value) ? value : serialize(type, value));
  if (type === GraphQLFloat) return (value) => (Number.isFinite(value) ? value : serialize(type, value));
  return (value) => serialize(type, value);
}

/** Whether a value is a number that an `Int` can be. */
export function isInt(value: unknown): boolean {
  return typeof value === 'number' && (value | 0) === value;
}

function serialize(type: GraphQLLeafType, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (value instanceof Error) throw value;
  const serialized: unknown = type.serialize(value);
  if (serialized === null || serialized === undefined) {
    const call = `${inspect(type)}.serialize(${inspect(value)})`;
    throw new Error(`Expected \`${call}\` to return non-nullable value, returned: ${inspect(serialized)}`);
  }
  return serialized;
}
