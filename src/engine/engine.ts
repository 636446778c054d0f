import {
  createSourceEventStream,
  execute as executeWithGraphqlJs,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
} from 'graphql';
import { mapAsyncIterator } from '@graphql-tools/utils';
import { resultError } from './limits/result.ts';
import {
  Preparation,
  type PreparationOptions,
  type PreparedDocument,
  type PreparedOperation,
} from './prepared.ts';
import type { Config, DocumentLimits } from '../config.ts';
import type { FinishedOperation } from '../observability/metrics.ts';
import { limitError } from './limits/limit-error.ts';

/** One request for an operation. */
export interface ExecutionRequest<Context> {
  readonly operation: PreparedOperation;
  readonly context: Context;
  /** The variables as the caller sent them. */
  readonly variables: Readonly<Record<string, unknown>> | null | undefined;
}

/** What the engine needs from its host. */
export interface EngineOptions<Context>
  extends PreparationOptions, Pick<Config, 'executor' | 'costInExtensions'> {
  /** Calls that the operation has made so far. */
  readonly callsOf: (context: Context) => number;
  /** Called for each operation before its admission is decided. */
  readonly onBegin: (operation: PreparedOperation, context: Context) => void;
  /** Runs an operation within its span, where one is recorded. */
  readonly trace: <T>(context: Context, run: () => T) => T;
  /** Called for each operation that has ended, and for each subscription that has started. */
  readonly onEnd: (ending: FinishedOperation, context: Context | null) => void;
  /** Called when the stream of a subscription has ended, whichever end closed it. */
  readonly onStreamEnd: () => void;
}

/** Executes GraphQL independently of transports: prepares documents and runs their operations within their limits. */
export class Engine<Context> {
  readonly #options: EngineOptions<Context>;
  readonly #preparation: Preparation;

  constructor(options: EngineOptions<Context>) {
    this.#options = options;
    this.#preparation = new Preparation(options);
  }

  /** Parses and validates a document. Throws a GraphQLError if it cannot be parsed. */
  prepare(text: string): PreparedDocument {
    try {
      const prepared = this.#preparation.prepare(text);
      if (prepared.errors.length > 0) this.#refused();
      return prepared;
    } catch (error) {
      this.#refused();
      throw error;
    }
  }

  /** Returns the prepared form of a document that came from `prepare`. */
  preparedOf(document: DocumentNode): PreparedDocument {
    return this.#preparation.of(document);
  }

  /** Returns why an operation may not be executed; null if it may. */
  admit(request: ExecutionRequest<Context>): GraphQLError | null {
    this.#options.onBegin(request.operation, request.context);
    const refusal = variablesError(request.variables, this.#options.limits);
    if (refusal) this.#end(request, 'refused', performance.now());
    return refusal;
  }

  /** Executes a query or mutation. Returns a promise only if part of it was asynchronous. */
  execute(
    request: ExecutionRequest<Context>,
    refusal = this.admit(request),
  ): ExecutionResult | Promise<ExecutionResult> {
    if (refusal) return { errors: [refusal] };
    const startedAt = performance.now();
    const finish = (result: ExecutionResult): ExecutionResult => {
      this.#end(request, outcomeOf(result), startedAt);
      return this.#bounded(this.#withCost(request, result));
    };
    const result = this.#options.trace(request.context, () => this.#run(request));
    return result instanceof Promise ? result.then(finish) : finish(result);
  }

  /** Starts a subscription. Returns a stream of results, or the error result if it could not start. */
  async subscribe(
    request: ExecutionRequest<Context>,
    refusal = this.admit(request),
  ): Promise<ExecutionResult | AsyncIterableIterator<ExecutionResult>> {
    if (refusal) return { errors: [refusal] };
    const startedAt = performance.now();
    const begin = () => createSourceEventStream(this.#argumentsOf(request));
    const begun = await this.#options.trace(request.context, begin);
    const isStream = Symbol.asyncIterator in begun;
    this.#end(request, isStream ? 'ok' : outcomeOf(begun), startedAt);
    return isStream ? this.#streamOf(request, begun) : this.#withCost(request, begun);
  }

  /** Executes the selection of a subscription for each event. */
  #streamOf(
    request: ExecutionRequest<Context>,
    events: AsyncIterable<unknown>,
  ): AsyncIterableIterator<ExecutionResult> {
    const present = (result: ExecutionResult): ExecutionResult =>
      this.#bounded(this.#withCost(request, result));
    const execute = (event: unknown): ExecutionResult | Promise<ExecutionResult> => {
      const result = this.#run(request, event);
      return result instanceof Promise ? result.then(present) : present(result);
    };
    let isOpen = true;
    const end = (): void => {
      if (isOpen) this.#options.onStreamEnd();
      isOpen = false;
    };
    const fail = (error: unknown): never => {
      end();
      throw error;
    };
    return mapAsyncIterator(events, execute, fail, end);
  }

  #run(request: ExecutionRequest<Context>, rootValue?: unknown): ExecutionResult | Promise<ExecutionResult> {
    const { operation, context: contextValue, variables: variableValues } = request;
    const { compiled } = operation;
    if (this.#options.executor === 'graphql-js' || 'errors' in compiled)
      return executeWithGraphqlJs({ ...this.#argumentsOf(request), rootValue });
    return compiled.execute({ rootValue, contextValue, variableValues });
  }

  #argumentsOf({ operation, context, variables }: ExecutionRequest<Context>): ExecutionArgs & {
    readonly hideSuggestions: boolean;
  } {
    const { schema, introspection } = this.#options;
    return {
      schema,
      document: operation.document,
      operationName: operation.name,
      contextValue: context,
      variableValues: variables ?? null,
      hideSuggestions: !introspection,
    };
  }

  #refused(): void {
    this.#options.onEnd({ kind: 'none', outcome: 'refused', durationMs: 0 }, null);
  }

  #end(
    { operation: { kind }, context }: ExecutionRequest<Context>,
    outcome: FinishedOperation['outcome'],
    startedAt: number,
  ): void {
    this.#options.onEnd({ kind, outcome, durationMs: performance.now() - startedAt }, context);
  }

  /** Returns the result, or a limit error in its place. A null without its error would wrongly mean "no data". */
  #bounded(result: ExecutionResult): ExecutionResult {
    const exceeded = 'data' in result ? resultError(result, this.#options.limits) : null;
    return exceeded ? { ...result, errors: [exceeded], data: null } : result;
  }

  #withCost({ context }: ExecutionRequest<Context>, result: ExecutionResult): ExecutionResult {
    const { costInExtensions, callsOf, limits } = this.#options;
    if (!costInExtensions || !('data' in result)) return result;
    const extensions = { cost: { calls: callsOf(context), limit: limits.cost } };
    const { data, errors } = result;
    // Written out because it runs for every request: spreading the result into it takes ten times as long.
    return errors ? { errors, data, extensions } : { data, extensions };
  }
}

/** Returns how an executed operation ended. */
function outcomeOf(result: ExecutionResult): FinishedOperation['outcome'] {
  if (!result.errors?.length) return 'ok';
  return result.data === undefined ? 'refused' : 'error';
}

/** Returns an error if the variables exceed a limit, or null. Takes no more steps than there are allowed values. */
function variablesError(
  variables: unknown,
  { variableDepth, variableValues }: Pick<DocumentLimits, 'variableDepth' | 'variableValues'>,
): GraphQLError | null {
  let level = childrenOf(variables);
  let count = 0;
  for (let depth = 1; level.length > 0; depth += 1) {
    count += level.length;
    if (count > variableValues) return limitError('values in the variables', variableValues, count);
    // The variables object itself is not a level, unlike the fields of an input object.
    if (depth > variableDepth) return limitError('depth of the variables', variableDepth, depth);
    const children: unknown[] = [];
    for (const value of level) for (const child of childrenOf(value)) children.push(child);
    level = children;
  }
  return null;
}

function childrenOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
