import {
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLLeafType,
  type GraphQLOutputType,
} from 'graphql';
import { compileAbstract } from './abstract.ts';
import type { Field } from './field.ts';
import type { Complete } from './info.ts';
import { compileLeaf } from './leaf.ts';
import { compileList } from './list.ts';
import { compileObject } from './object.ts';
import type { Plan } from './run.ts';

/** Compiles the completion of values of a type. */
export function compileCompletion(plan: Plan, field: Field, type: GraphQLOutputType): Complete {
  if (isNonNullType(type)) return completeNonNull(field, compileCompletion(plan, field, type.ofType));
  if (isLeafType(type)) return completeLeaf(type);
  if (isListType(type)) return compileList(field, type.ofType, compileCompletion(plan, field, type.ofType));
  if (isObjectType(type)) return compileObject(plan, field, type);
  return compileAbstract(plan, field, type);
}

function completeLeaf(type: GraphQLLeafType): Complete {
  const serialize = compileLeaf(type);
  return (_run, value) => serialize(value);
}

function completeNonNull(field: Field, complete: Complete): Complete {
  return (run, value, info, path) => requireValue(field, complete(run, value, info, path));
}

/** Returns a completed value of a non-null type, and throws if it is null. A promise never resolves to null here. */
export function requireValue({ parentType, name }: Field, completed: unknown): unknown {
  if (completed !== null) return completed;
  throw new Error(`Cannot return null for non-nullable field ${parentType.name}.${name}.`);
}
