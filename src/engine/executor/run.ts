import type {
  DocumentNode,
  ExecutionResult,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLError,
  GraphQLField,
  GraphQLFieldResolver,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLTypeResolver,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';
import { pathToArray, type Path } from './path.ts';
import { locatedAt } from './place.ts';

/** What everything compiled for one operation refers to. */
export interface Plan {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Record<string, FragmentDefinitionNode>;
  readonly fieldResolver: GraphQLFieldResolver<unknown, unknown>;
  readonly typeResolver: GraphQLTypeResolver<unknown, unknown>;
  /** How many fields a field counts as. */
  readonly weightOf: (field: GraphQLField<unknown, unknown>) => number;
  /** Compiles what selection sets select from an object type. */
  readonly select: (type: GraphQLObjectType, sets: readonly SelectionSetNode[]) => Selection;
}

/** The definition of a field in the schema. */
export type FieldDefinition = GraphQLField<unknown, unknown>;

/**
 * Executes a field of one object: resolves and completes its value. Returns a promise only if something was asynchronous,
 * undefined to leave the field out, and throws only if the field is non-null.
 */
export type Execute = (run: Run, source: unknown, parentPath: Path | undefined) => unknown;

/** A field as it was selected from an object type, ready to be executed. */
export interface Field {
  /** The name in the response. */
  readonly key: string;
  readonly name: string;
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  readonly parentType: GraphQLObjectType;
  readonly definition: FieldDefinition;
  readonly isNonNull: boolean;
  /** How many fields it counts as. */
  readonly weight: number;
  readonly execute: Execute;
  readonly pathUnder: (prev: Path | undefined) => Path;
}

/** What is selected from an object of one type: the fields to execute, in the order of the response. */
export interface Selection {
  /** Returns the fields that an execution includes. Throws if a directive's argument does not fit. */
  fieldsFor(run: Run): readonly Field[];
  /** Executes fields of this selection in parallel; a promise only if one of them needs it. */
  execute(run: Run, fields: readonly Field[], source: unknown, path: Path | undefined): unknown;
  /** Executes fields of this selection one after the other, as the root fields of a mutation. */
  executeSerially(run: Run, fields: readonly Field[], source: unknown): unknown;
}

/** What a limit counts: errors of fields, or fields of result objects. */
export type LimitKind = 'errors' | 'fields';

/** Bounds on the result of one execution. When one is exceeded, the whole result becomes the error of `onExceeded`. */
export interface Limits {
  /** Errors that the result may contain. */
  readonly maxErrors?: number | undefined;
  /** Fields that all objects of the result may have together, `null` ones included. */
  readonly maxFields?: number | undefined;
  /** How many fields a field counts as; 1 by default. Called when the field is compiled. */
  readonly weightOf?: ((field: GraphQLField<unknown, unknown>) => number) | undefined;
  /** Makes the error that is the whole result; called at most once per execution, with how much was found. */
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
  /** Conditional selections, with the fields that this execution's variables include. */
  readonly selected = new Map<Selection, readonly Field[]>();
  private readonly limits: Limits | undefined;
  private readonly maxErrors: number;
  private maxFields: number;
  private fieldCount = 0;
  private readonly errors: GraphQLError[] = [];
  private nulledPaths: Set<Path | undefined> | undefined;
  private ending: GraphQLError | undefined;

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
   * Turns what a field or list item has thrown into its value.
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

  /** Makes the result of an execution that has completed the root's fields. */
  succeed(data: unknown): ExecutionResult {
    if (this.ending) return endedBy(this.ending);
    const { errors } = this;
    const object = data as Record<string, unknown>;
    return errors.length === 0 ? { data: object } : { errors, data: object };
  }

  /** Makes the result of an execution whose root has thrown an error. */
  abort(error: unknown): ExecutionResult {
    this.addError(error as GraphQLError, undefined);
    if (this.errors.length > this.maxErrors) this.end('errors');
    return this.ending ? endedBy(this.ending) : { errors: this.errors, data: null };
  }

  /** Adds an error, unless it is below a position that has become null: then nothing of it is in the result. */
  private addError(error: GraphQLError, path: Path | undefined): void {
    const nulled = (this.nulledPaths ??= new Set());
    for (let at = path; at !== undefined; at = at.prev) if (nulled.has(at)) return;
    if (nulled.has(undefined)) return;
    nulled.add(path);
    this.errors.push(error);
  }

  private end(kind: LimitKind): GraphQLError | undefined {
    // From now on the count of every object exceeds the limit, so that whatever is still pending ends at once.
    this.maxFields = -1;
    const found = kind === 'fields' ? this.fieldCount : this.errors.length;
    this.ending ??= this.limits?.onExceeded(kind, found);
    return this.ending;
  }
}

function endedBy(error: GraphQLError): ExecutionResult {
  return { errors: [error], data: null };
}
