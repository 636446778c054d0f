import type {
  ExecutionResult,
  FragmentDefinitionNode,
  GraphQLError,
  GraphQLField,
  GraphQLObjectType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';
import type { Field } from './field.ts';
import { Gaps } from './gaps.ts';
import { pathToArray, type Path } from './path.ts';
import { locatedAt } from './place.ts';
import { isPromise } from './promise.ts';
import type { Selection } from './selection.ts';

/** The context shared by everything compiled for one operation. */
export interface Plan {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Record<string, FragmentDefinitionNode>;
  /** Returns the number of fields that a field counts as. */
  readonly weightOf: (field: GraphQLField<unknown, unknown>) => number;
  readonly data: DataReads;
  /** Compiles the fields that selection sets select from an object type. */
  readonly select: (type: GraphQLObjectType, sets: readonly SelectionSetNode[]) => Selection;
}

/**
 * How fields that are data are read without their resolvers. A row is what holds the data of a source; all rows of one
 * kind hold the same fields.
 */
export interface DataReads {
  /** Returns the row that holds the data of a source, or undefined if its fields must be resolved. */
  rowOf(source: unknown): object | undefined;
  /** Returns the kind of a row: the same object for all rows of the kind. */
  kindOf(row: object): object;
  /** Returns the reader of a field in rows of a kind, or undefined if the field must be resolved. */
  readerOf(field: FieldDefinition, kind: object): ReadData | undefined;
  /**
   * Returns how to load the row that holds a field which rows of a kind lack, or undefined if the field must be resolved.
   * Asked for nullable fields only.
   */
  loaderOf?(field: FieldDefinition, kind: object): LoadRow | undefined;
}

/** Loads another row of a source. Null, or a promise that fails or yields null, leaves the fields to their resolvers. */
export type LoadRow = (source: unknown, context: unknown) => Promise<object | null> | null;

/**
 * Reads a field of a row as it is in the result. Returns undefined to leave a value to the resolver: it may be missing
 * where it must not be, or malformed.
 */
export type ReadData = (row: object) => unknown;

/** The definition of a field in the schema. */
export type FieldDefinition = GraphQLField<unknown, unknown>;

/**
 * Executes a field of one object: resolves and completes its value. Returns a promise only if something was
 * asynchronous, returns undefined to omit the field, and throws only if the field is non-null.
 */
export type Execute = (run: Run, source: unknown, parentPath: Path | undefined) => unknown;

/** The quantity a limit counts: field errors, or fields of result objects. */
export type LimitKind = 'errors' | 'fields';

/** Limits on the result of one execution. If one is exceeded, the error of `onExceeded` replaces the whole result. */
export interface Limits {
  /** Maximum number of errors in the result. */
  readonly maxErrors?: number | undefined;
  /** Maximum number of fields of all objects of the result together, including null ones. */
  readonly maxFields?: number | undefined;
  /** Returns the number of fields that a field counts as; 1 by default. Called when the field is compiled. */
  readonly weightOf?: ((field: GraphQLField<unknown, unknown>) => number) | undefined;
  /** Creates the error that replaces the result. Called at most once per execution, with the amount found. */
  readonly onExceeded: (kind: LimitKind, found: number) => GraphQLError;
}

/** The values of one execution. */
export interface RunValues {
  readonly rootValue: unknown;
  readonly contextValue: unknown;
  readonly variableValues: Record<string, unknown>;
}

/** The state of one execution: its values, and the errors collected so far. */
export class Run {
  readonly plan: Plan;
  readonly rootValue: unknown;
  readonly contextValue: unknown;
  readonly variableValues: Record<string, unknown>;
  /** Conditional selections with the fields included by the variables of this execution. */
  readonly selected = new Map<Selection, readonly Field[]>();
  readonly gaps = new Gaps(this);
  private readonly limits: Limits | undefined;
  private readonly maxErrors: number;
  private maxFields: number;
  private fieldCount = 0;
  private readonly errors: GraphQLError[] = [];
  private nulledPaths: Set<Path | undefined> | undefined;
  private ending: GraphQLError | undefined;
  private onEnded: (() => void) | undefined;

  constructor(plan: Plan, values: RunValues, limits: Limits | undefined) {
    this.plan = plan;
    this.rootValue = values.rootValue;
    this.contextValue = values.contextValue;
    this.variableValues = values.variableValues;
    this.limits = limits;
    this.maxErrors = limits?.maxErrors ?? Infinity;
    this.maxFields = limits?.maxFields ?? Infinity;
  }

  /** Whether a limit has ended the execution. */
  get isEnded(): boolean {
    return this.ending !== undefined;
  }

  /**
   * Counts the fields of a result object before they are executed.
   *
   * @throws the error that ends the execution.
   */
  countFields(count: number): void {
    this.fieldCount += count;
    if (this.fieldCount > this.maxFields) throw this.end('fields');
  }

  /**
   * Converts an error thrown by a field or list item to the value at its position.
   *
   * @returns null, after adding the error to the result.
   * @throws the located error if the position must not be null.
   */
  fail(error: unknown, { nodes }: Field, path: Path, isNonNull: boolean): null {
    if (this.ending) throw this.ending;
    const located = locatedAt(error, nodes, pathToArray(path));
    if (isNonNull) throw located;
    this.addError(located, path);
    if (this.errors.length > this.maxErrors) throw this.end('errors');
    return null;
  }

  /** Returns the result once the root's fields and all gaps are complete, or as soon as a limit has ended the execution. */
  complete(data: unknown): ExecutionResult | Promise<ExecutionResult> {
    if (!isPromise(data) && this.gaps.areFilled) return this.succeed(data);
    // One promise, resolved without a detour: an error a microtask later is not in the result, as with graphql-js.
    return new Promise((resolve) => {
      // Not assigned at once: V8 puts a function that is created in an assignment to a property among its old objects,
      // where it would keep the whole execution until the next full garbage collection.
      const end = (): void => resolve(this.succeed(null));
      this.onEnded = end;
      const succeed = (object: unknown): void => this.gaps.whenFilled(() => resolve(this.succeed(object)));
      if (isPromise(data)) data.then(succeed, (error: unknown) => resolve(this.abort(error)));
      else succeed(data);
    });
  }

  private succeed(data: unknown): ExecutionResult {
    if (this.ending) return endedBy(this.ending);
    const { errors } = this;
    const object = data as Record<string, unknown>;
    return errors.length === 0 ? { data: object } : { errors, data: object };
  }

  /** Returns the result of an execution whose root has thrown an error. */
  abort(error: unknown): ExecutionResult {
    this.addError(error as GraphQLError, undefined);
    if (this.errors.length > this.maxErrors) this.end('errors');
    return this.ending ? endedBy(this.ending) : { errors: this.errors, data: null };
  }

  /** Adds an error unless it is below a position that has already become null, and so is not in the result. */
  private addError(error: GraphQLError, path: Path | undefined): void {
    const nulled = (this.nulledPaths ??= new Set());
    for (let at = path; at !== undefined; at = at.prev) if (nulled.has(at)) return;
    if (nulled.has(undefined)) return;
    nulled.add(path);
    this.errors.push(error);
  }

  private end(kind: LimitKind): GraphQLError | undefined {
    // From now on every object exceeds the limit, so that pending work ends at once.
    this.maxFields = -1;
    const found = kind === 'fields' ? this.fieldCount : this.errors.length;
    this.ending ??= this.limits?.onExceeded(kind, found);
    this.onEnded?.();
    return this.ending;
  }
}

function endedBy(error: GraphQLError): ExecutionResult {
  return { errors: [error], data: null };
}
