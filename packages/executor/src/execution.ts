import {
  defaultFieldResolver,
  isLeafType,
  isNonNullType,
  TypeNameMetaFieldDef,
  type GraphQLFieldResolver,
  type GraphQLLeafType,
} from 'graphql';
import { compileArguments } from './arguments.ts';
import { compileCompletion, requireValue } from './completion.ts';
import type { Field } from './field.ts';
import { FieldInfo } from './info.ts';
import { compileLeaf, primitiveOf, type Serialize } from './leaf.ts';
import type { Path } from './path.ts';
import { isObjectLike, isPromise } from './promise.ts';
import type { Execute, Plan, Run } from './run.ts';

type Resolve = GraphQLFieldResolver<unknown, unknown>;

/** Chooses how a field is executed; the most common kinds take the fewest steps. */
export function compileExecution(plan: Plan, field: Field): Execute {
  const { definition, parentType } = field;
  if (definition === TypeNameMetaFieldDef) return () => parentType.name;
  const resolve = definition.resolve ?? defaultFieldResolver;
  const type = isNonNullType(definition.type) ? definition.type.ofType : definition.type;
  if (!isLeafType(type)) return executeComposite(plan, field, resolve);
  const hasArguments = definition.args.length > 0;
  return resolve === defaultFieldResolver && !hasArguments
    ? executeProperty(field, type)
    : executeLeaf(field, type, resolve);
}

/** Completes the value of a leaf field. */
function compileLeafOf(field: Field, type: GraphQLLeafType): Serialize {
  const serialize = compileLeaf(type);
  if (!field.isNonNull) return serialize;
  return (value) => requireValue(field, serialize(value));
}

/** Executes a leaf that is a plain property of its source, as most fields of most results are. */
function executeProperty(field: Field, type: GraphQLLeafType): Execute {
  const { name } = field;
  const primitive = primitiveOf(type);
  const serialize = compileLeafOf(field, type);
  const call = executeLeaf(field, type, defaultFieldResolver);
  return (run, source, parentPath) => {
    try {
      const value = isObjectLike(source) ? (source as Record<string, unknown>)[name] : undefined;
      if (typeof value === primitive) return value;
      if (typeof value === 'function') return call(run, source, parentPath);
      return settle(run, field, serialize, value, parentPath);
    } catch (error) {
      return run.fail(error, field, field.pathUnder(parentPath), field.isNonNull);
    }
  };
}

function executeLeaf(field: Field, type: GraphQLLeafType, resolve: Resolve): Execute {
  const primitive = primitiveOf(type);
  const serialize = compileLeafOf(field, type);
  const readArguments = compileArguments(field.definition, field.nodes[0]);
  return (run, source, parentPath) => {
    try {
      const info = new FieldInfo(run, field, parentPath);
      const value = resolve(source, readArguments(run.variableValues), run.contextValue, info);
      return typeof value === primitive ? value : settle(run, field, serialize, value, parentPath);
    } catch (error) {
      return run.fail(error, field, field.pathUnder(parentPath), field.isNonNull);
    }
  };
}

function settle(
  run: Run,
  field: Field,
  serialize: Serialize,
  value: unknown,
  parentPath: Path | undefined,
): unknown {
  const completed = isPromise(value) ? value.then(serialize) : serialize(value);
  if (!isPromise(completed)) return completed;
  return completed.then(undefined, (error: unknown) =>
    run.fail(error, field, field.pathUnder(parentPath), field.isNonNull),
  );
}

/** Executes a field that has a selection or is a list. */
function executeComposite(plan: Plan, field: Field, resolve: Resolve): Execute {
  const readArguments = compileArguments(field.definition, field.nodes[0]);
  const complete = compileCompletion(plan, field, field.definition.type);
  return (run, source, parentPath) => {
    const info = new FieldInfo(run, field, parentPath);
    try {
      const value = resolve(source, readArguments(run.variableValues), run.contextValue, info);
      const completed = isPromise(value)
        ? value.then((resolved) => complete(run, resolved, info, info.path))
        : complete(run, value, info, info.path);
      if (!isPromise(completed)) return completed;
      return completed.then(undefined, (error: unknown) =>
        run.fail(error, field, info.path, field.isNonNull),
      );
    } catch (error) {
      return run.fail(error, field, info.path, field.isNonNull);
    }
  };
}
