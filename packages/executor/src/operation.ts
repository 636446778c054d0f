import {
  getVariableValues,
  GraphQLError,
  OperationTypeNode,
  type ExecutionResult,
  type GraphQLObjectType,
  type OperationDefinitionNode,
} from 'graphql';
import { compileVariables } from './coerce.ts';
import { isObjectLike } from './promise.ts';
import { Run, type DataReads, type Limits, type Plan } from './run.ts';
import type { Selection } from './selection.ts';

/** How an operation is compiled. */
export interface CompileOptions {
  /** Which operation of the document to compile; needed only if it has several. */
  readonly operationName?: string | null | undefined;
  /** Omits "Did you mean …?" from errors about variables. */
  readonly hideSuggestions?: boolean | undefined;
  /** Limits on each result. */
  readonly limits?: Limits | undefined;
  /** How fields that are data are read without their resolvers; by default, every field is resolved. */
  readonly data?: DataReads | undefined;
}

/** The values that an operation is executed with. */
export interface ExecuteArgs {
  readonly rootValue?: unknown;
  readonly contextValue?: unknown;
  /** The variables as the caller sent them. */
  readonly variableValues?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The coerced variables of an operation, or errors. */
export type CoercionResult = ReturnType<typeof getVariableValues>;

/** An operation that can be executed repeatedly. */
export class CompiledOperation {
  /** The operation's definition in the document. */
  readonly definition: OperationDefinitionNode;
  private readonly plan: Plan;
  private readonly options: CompileOptions;
  private root: Selection | undefined;
  private coerce: ReturnType<typeof compileVariables> | undefined;

  constructor(plan: Plan, options: CompileOptions) {
    this.definition = plan.operation;
    this.plan = plan;
    this.options = options;
  }

  /**
   * Coerces variables as graphql-js does.
   *
   * @throws if the variables are not an object.
   */
  coerceVariables(variableValues?: ExecuteArgs['variableValues']): CoercionResult {
    const raw = variableValues ?? {};
    if (!isObjectLike(raw)) throw new Error(VARIABLES_ARE_NO_OBJECT);
    const { schema } = this.plan;
    const { variableDefinitions = [] } = this.definition;
    this.coerce ??= compileVariables(schema, variableDefinitions);
    const coerced = this.coerce(raw);
    if (coerced !== null) return { coerced };
    return getVariableValues(schema, variableDefinitions, raw, {
      maxErrors: MAX_COERCION_ERRORS,
      hideSuggestions: this.options.hideSuggestions ?? false,
    });
  }

  /**
   * Executes the operation. For a subscription, executes its selection for one event, which is the root value.
   *
   * @returns the result, or a promise of it if something was asynchronous. The promise never rejects.
   * @throws if the variables are not an object.
   */
  execute(args: ExecuteArgs): ExecutionResult | Promise<ExecutionResult> {
    const { coerced: variableValues, errors } = this.coerceVariables(args.variableValues);
    if (errors) return { errors };
    const { rootValue, contextValue } = args;
    const run = new Run(this.plan, { rootValue, contextValue, variableValues }, this.options.limits);
    try {
      return run.complete(this.executeRoot(run));
    } catch (error) {
      return run.abort(error);
    }
  }

  private executeRoot(run: Run): unknown {
    this.root ??= this.plan.select(this.rootType(), [this.definition.selectionSet]);
    const fields = this.root.fieldsFor(run);
    return this.definition.operation === OperationTypeNode.MUTATION
      ? this.root.executeSerially(run, fields, run.rootValue)
      : this.root.execute(run, fields, run.rootValue, undefined);
  }

  private rootType(): GraphQLObjectType {
    const { operation } = this.definition;
    const type = this.plan.schema.getRootType(operation);
    if (type) return type;
    throw new GraphQLError(`Schema is not configured to execute ${operation} operation.`, {
      nodes: this.definition,
    });
  }
}

/** Errors about variables after which coercion gives up, as in graphql-js. */
const MAX_COERCION_ERRORS = 50;

const VARIABLES_ARE_NO_OBJECT =
  'Variables must be provided as an Object where each property is a variable value. Perhaps look to see if an unparsed JSON string was provided.';
