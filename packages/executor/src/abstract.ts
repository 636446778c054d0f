import {
  defaultTypeResolver,
  GraphQLError,
  isObjectType,
  type GraphQLAbstractType,
  type GraphQLObjectType,
} from 'graphql';
import { inspect } from 'graphql/jsutils/inspect.js';
import type { Field } from './field.ts';
import type { Complete } from './info.ts';
import { compileObject } from './object.ts';
import { isPromise } from './promise.ts';
import type { Plan } from './run.ts';

/** Compiles the completion of values of an interface or a union. */
export function compileAbstract(plan: Plan, field: Field, type: GraphQLAbstractType): Complete {
  const resolveType = type.resolveType ?? defaultTypeResolver;
  const completions = new Map<unknown, Complete>();
  const completionFor = (name: unknown, value: unknown): Complete => {
    const known = completions.get(name);
    if (known) return known;
    const complete = compileObject(plan, field, runtimeTypeOf(plan, { field, type, name, value }));
    completions.set(name, complete);
    return complete;
  };
  return (run, value, info, path) => {
    if (value === null || value === undefined) return null;
    if (value instanceof Error) throw value;
    const name: unknown = resolveType(value, run.contextValue, info, type);
    const completeAs = (resolved: unknown): unknown => completionFor(resolved, value)(run, value, info, path);
    return isPromise(name) ? name.then(completeAs) : completeAs(name);
  };
}

/** The outcome of resolving the type of a value. */
interface Resolved {
  readonly field: Field;
  readonly type: GraphQLAbstractType;
  readonly name: unknown;
  readonly value: unknown;
}

function runtimeTypeOf({ schema }: Plan, resolved: Resolved): GraphQLObjectType {
  const { field, type, name } = resolved;
  if (typeof name !== 'string') throw unnamedTypeError(resolved);
  const fail = (message: string): GraphQLError => new GraphQLError(message, { nodes: field.nodes });
  const runtimeType = schema.getType(name);
  const start = `Abstract type "${type.name}" was resolved to a`;
  if (!runtimeType) throw fail(`${start} type "${name}" that does not exist inside the schema.`);
  if (!isObjectType(runtimeType)) throw fail(`${start} non-object type "${name}".`);
  if (schema.isSubType(type, runtimeType)) return runtimeType;
  throw fail(`Runtime Object type "${runtimeType.name}" is not a possible type for "${type.name}".`);
}

function unnamedTypeError({ field, type, name, value }: Resolved): GraphQLError {
  const place = `for field "${field.parentType.name}.${field.name}"`;
  const start = `Abstract type "${type.name}" must resolve to an Object type at runtime ${place}`;
  if (name === null || name === undefined) {
    const advice = `Either the "${type.name}" type should provide a "resolveType" function or each possible type should provide an "isTypeOf" function.`;
    return new GraphQLError(`${start}. ${advice}`, { nodes: field.nodes });
  }
  if (isObjectType(name)) {
    return new GraphQLError(
      'Support for returning GraphQLObjectType from resolveType was removed in graphql-js@16.0.0 please return type name instead.',
    );
  }
  return new GraphQLError(`${start} with value ${inspect(value)}, received "${inspect(name)}".`);
}
