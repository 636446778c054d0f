import { GraphQLError, type GraphQLObjectType, type SelectionSetNode } from 'graphql';
import { inspect } from 'graphql/jsutils/inspect.js';
import type { Field } from './field.ts';
import type { Complete, FieldInfo } from './info.ts';
import { isPromise } from './promise.ts';
import type { Plan, Run } from './run.ts';
import type { Selection } from './selection.ts';

/** Compiles the completion of values of an object type. */
export function compileObject(plan: Plan, field: Field, type: GraphQLObjectType): Complete {
  let selection: Selection | undefined;
  return (run, value, info, path) => {
    if (value === null || value === undefined) return null;
    if (value instanceof Error) throw value;
    // Compiled on first use: a document may select from types that never occur.
    selection ??= plan.select(type, selectionSetsOf(field));
    const chosen = selection;
    const fields = chosen.fieldsFor(run);
    if (!type.isTypeOf) return chosen.execute(run, fields, value, path);
    return ifTypeOf(type, run, value, info, () => chosen.execute(run, fields, value, path));
  };
}

function selectionSetsOf({ nodes }: Field): SelectionSetNode[] {
  return nodes.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet] : []));
}

function ifTypeOf(
  type: GraphQLObjectType,
  run: Run,
  value: unknown,
  info: FieldInfo,
  execute: () => unknown,
): unknown {
  const check = (isTypeOf: boolean): unknown => {
    if (isTypeOf) return execute();
    const message = `Expected value of type "${type.name}" but got: ${inspect(value)}.`;
    throw new GraphQLError(message, { nodes: info.fieldNodes });
  };
  const isTypeOf = type.isTypeOf?.(value, run.contextValue, info) ?? false;
  return isPromise(isTypeOf) ? isTypeOf.then(check) : check(isTypeOf);
}
