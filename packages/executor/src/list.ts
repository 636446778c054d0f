import { GraphQLError, isNonNullType, type GraphQLOutputType } from 'graphql';
import type { Field } from './field.ts';
import type { Complete } from './info.ts';
import { ignoreRejections, isPromise } from './promise.ts';

/** Compiles the completion of a list; `complete` completes one item. */
export function compileList(field: Field, itemType: GraphQLOutputType, complete: Complete): Complete {
  const completeItem = compileItem(field, isNonNullType(itemType), complete);
  return (run, value, info, path) => {
    if (value === null || value === undefined) return null;
    if (value instanceof Error) throw value;
    const completed: unknown[] = [];
    let isAsync = false;
    try {
      for (const item of itemsOf(value, field)) {
        const itemPath = { prev: path, key: completed.length, typename: undefined };
        const done = completeItem(run, item, info, itemPath);
        completed.push(done);
        isAsync ||= isPromise(done);
      }
    } catch (error) {
      ignoreRejections(completed);
      if (Array.isArray(value)) ignoreRejections(value);
      throw error;
    }
    return isAsync ? resolveIn(completed) : completed;
  };
}

/** Resolves the promises of a list in place. `Promise.all` would also create promises for the other items. */
function resolveIn(list: unknown[]): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    let left = 0;
    for (let index = 0; index < list.length; index += 1) {
      const item = list[index];
      if (!isPromise(item)) continue;
      left += 1;
      const put = (value: unknown): void => {
        list[index] = value;
        left -= 1;
        if (left === 0) resolve(list);
      };
      Promise.resolve(item).then(put, reject);
    }
  });
}

function itemsOf(list: object, { parentType, name }: Field): Iterable<unknown> {
  if (isIterable(list)) return list;
  throw new GraphQLError(`Expected Iterable, but did not find one for field "${parentType.name}.${name}".`);
}

function isIterable(value: object): value is Iterable<unknown> {
  return (
    typeof value === 'object' && typeof (value as Partial<Iterable<unknown>>)[Symbol.iterator] === 'function'
  );
}

/** Compiles the completion of one item of a list, which throws only if items are non-null. */
function compileItem(field: Field, isNonNull: boolean, complete: Complete): Complete {
  return (run, item, info, path) => {
    try {
      const completed = isPromise(item)
        ? item.then((resolved) => complete(run, resolved, info, path))
        : complete(run, item, info, path);
      if (!isPromise(completed)) return completed;
      return completed.then(undefined, (error: unknown) => run.fail(error, field, path, isNonNull));
    } catch (error) {
      return run.fail(error, field, path, isNonNull);
    }
  };
}
