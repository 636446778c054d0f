import type { FieldNode, GraphQLObjectType, SelectionSetNode } from 'graphql';
import { collectFields, includesWith, isAlwaysIncluded, type FieldNodes } from './collect.ts';
import { compileField, type Field } from './field.ts';
import type { Path } from './path.ts';
import { afterMicrotask, ignoreRejections, isPromise } from './promise.ts';
import type { Plan, Run } from './run.ts';

/** An object of the result. It has no inherited properties, so `__proto__` is an ordinary response name. */
type ResultObject = Record<string, unknown>;

const NOTHING: object = Object.freeze(Object.create(null));

/** Maximum number of compiled node sets per response name, where directives choose between them. */
const MAX_VARIANTS = 16;

/** The fields selected from an object of one type, compiled, in response order. */
export class Selection {
  private readonly plan: Plan;
  private readonly type: GraphQLObjectType;
  private readonly sets: readonly SelectionSetNode[];
  private readonly Result = createResultClass();
  /** The fields, or null if they depend on the variables. */
  private readonly fixed: readonly Field[] | null;
  private readonly fixedWeight: number;
  /** Compiled fields of a conditional selection, by their first node. */
  private readonly variants = new Map<FieldNode, Field[]>();

  constructor(plan: Plan, type: GraphQLObjectType, sets: readonly SelectionSetNode[]) {
    this.plan = plan;
    this.type = type;
    this.sets = sets;
    let isConditional = false;
    const groups = collectFields(plan, type, sets, (node) => {
      const isIncluded = isAlwaysIncluded(node);
      isConditional ||= isIncluded === null;
      return isIncluded !== false;
    });
    this.fixed = isConditional ? null : [...groups].flatMap(([key, nodes]) => this.compile(key, nodes));
    this.fixedWeight = weightOf(this.fixed ?? []);
  }

  /** Returns the fields that an execution includes. Throws if a directive's argument is invalid. */
  fieldsFor(run: Run): readonly Field[] {
    return this.fixed ?? run.selected.get(this) ?? this.choose(run);
  }

  /** Executes fields of this selection in parallel. Returns a promise only if one of them does. */
  execute(run: Run, fields: readonly Field[], source: unknown, path: Path | undefined): unknown {
    run.countFields(fields === this.fixed ? this.fixedWeight : weightOf(fields));
    const result = new this.Result();
    const { data } = this.plan;
    const row = data.rowOf(source);
    const kind = row && data.kindOf(row);
    let pending: Pending | undefined;
    try {
      for (const field of fields) {
        const access = kind && field.accessIn(kind);
        let value = row && access?.read?.(row);
        if (value !== undefined) {
          result[field.key] = value;
          continue;
        }
        const loaded = access?.load?.(source, run.contextValue);
        if (loaded) {
          // Keeps its place among the names of the result.
          result[field.key] = null;
          run.gaps.add(loaded, { field, result, source, path });
          continue;
        }
        value = field.execute(run, source, path);
        if (value === undefined) continue;
        result[field.key] = value;
        if (isPromise(value)) (pending ??= new Pending()).add(field.key, value);
      }
    } catch (error) {
      if (pending) return pending.thenThrow(run, result, error);
      throw error;
    }
    return pending ? pending.resolveInto(result) : result;
  }

  /** Executes fields of this selection one after another, as a mutation requires for its root fields. */
  executeSerially(run: Run, fields: readonly Field[], source: unknown): unknown {
    run.countFields(fields === this.fixed ? this.fixedWeight : weightOf(fields));
    let result: unknown = new this.Result();
    for (const field of fields) {
      const append = (before: unknown): unknown => executeInto(before as ResultObject, field, run, source);
      result = isPromise(result) ? result.then(append) : append(result);
    }
    return result;
  }

  private choose(run: Run): readonly Field[] {
    const groups = collectFields(this.plan, this.type, this.sets, includesWith(run.variableValues));
    const fields = [...groups].flatMap(([key, nodes]) => this.variantOf(key, nodes));
    run.selected.set(this, fields);
    return fields;
  }

  private variantOf(key: string, nodes: FieldNodes): Field[] {
    const known = this.variants.get(nodes[0]) ?? [];
    const found = known.find((field) => hasNodes(field, nodes));
    if (found) return [found];
    const fields = this.compile(key, nodes);
    if (known.length < MAX_VARIANTS) this.variants.set(nodes[0], [...known, ...fields]);
    return fields;
  }

  /** Returns an empty array if the type has no such field, which cannot happen in a valid document. */
  private compile(key: string, nodes: FieldNodes): Field[] {
    const field = compileField(this.plan, this.type, key, nodes);
    return field ? [field] : [];
  }
}

// Each selection has its own class, so that its results share one shape of the right size. Objects created with a null
// prototype would be hash tables, which take twice as long to fill and read.
function createResultClass(): new () => ResultObject {
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- a class for each selection is the point
  function Result(): void {}
  Result.prototype = NOTHING;
  return Result as unknown as new () => ResultObject;
}

function weightOf(fields: readonly Field[]): number {
  return fields.reduce((sum, { weight }) => sum + weight, 0);
}

function hasNodes(field: Field, nodes: FieldNodes): boolean {
  return field.nodes.length === nodes.length && nodes.every((node, index) => field.nodes[index] === node);
}

function executeInto(result: ResultObject, field: Field, run: Run, source: unknown): unknown {
  // Throws if a limit has ended the execution, as it may in a gap of an earlier field.
  run.countFields(0);
  const value = field.execute(run, source, undefined);
  if (value === undefined) return result;
  const put = (completed: unknown): unknown => {
    result[field.key] = completed;
    if (run.gaps.areFilled) return result;
    return new Promise((resolve) => run.gaps.whenFilled(() => resolve(result)));
  };
  return isPromise(value) ? value.then(put) : put(value);
}

/** Fields of one object whose values are promises. */
class Pending {
  private readonly keys: string[] = [];
  private readonly promises: Promise<unknown>[] = [];

  add(key: string, promise: Promise<unknown>): void {
    this.keys.push(key);
    this.promises.push(promise);
  }

  /** Puts the values into the object once all are resolved. */
  resolveInto(result: ResultObject): Promise<ResultObject> {
    const { keys, promises } = this;
    let left = promises.length;
    // Half the promises of `Promise.all(…).then(…)`, settled as late, so that errors keep the order of graphql-js.
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => afterMicrotask(() => reject(error));
      for (let index = 0; index < promises.length; index += 1) {
        const put = (value: unknown): void => {
          const key = keys[index];
          if (key !== undefined) result[key] = value;
          left -= 1;
          if (left === 0) afterMicrotask(() => resolve(result));
        };
        Promise.resolve(promises[index]).then(put, fail);
      }
    });
  }

  /** Throws the error of a later field once these promises have settled, unless the execution has ended. */
  thenThrow(run: Run, result: ResultObject, error: unknown): Promise<ResultObject> {
    if (!run.isEnded) {
      return this.resolveInto(result).finally(() => {
        throw error;
      });
    }
    ignoreRejections(this.promises);
    throw error;
  }
}
