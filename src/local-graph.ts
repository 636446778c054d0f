import { randomUUID } from 'node:crypto';
import { mapAsyncIterator } from '@graphql-tools/utils';
import { GraphQLError, type ExecutionResult } from 'graphql';
import type { Graph } from './graph.ts';
import type { OperationSpan } from './observability/tracing.ts';
import type { Credentials } from './operation/credentials.ts';
import { OperationContext } from './operation/operation.ts';
import { presentResult } from './present-result.ts';
import type { Services } from './services.ts';
import { CancellationSource } from './sources/upstream/cancellation.ts';

/** One operation of the graph. */
export interface GraphRequest {
  /** A document with one operation. */
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** How an operation ends early. */
interface GraphRequestOptions {
  /** Cancels its reads, or its stream. A write that was sent is finished nevertheless. */
  readonly signal?: AbortSignal | undefined;
}

/** The graph for one caller in this process: the same limits, results and errors as over HTTP. */
export interface LocalGraph {
  /** Executes a query or a mutation. Rejects with the reason of the signal if that is aborted before the end. */
  execute(request: GraphRequest, options?: GraphRequestOptions): Promise<ExecutionResult>;
  /** Starts a subscription: a stream of results, which ends with the signal, or the result that says why there is none. */
  subscribe(
    request: GraphRequest,
    options?: GraphRequestOptions,
  ): Promise<ExecutionResult | AsyncIterableIterator<ExecutionResult>>;
}

/** Who uses the graph. */
interface LocalCaller {
  readonly credentials: Credentials;
  /** The id of the only operation, which is also logged; without it, each one gets its own. */
  readonly requestId?: string | undefined;
  /** The span of the request, if one is recorded. */
  readonly span?: OperationSpan | null;
  /** Called with the result of an operation before its errors are presented. */
  readonly onResult?: (result: ExecutionResult) => void;
}

/** Opens the graph of this process for one caller. */
export function openLocalGraph(
  { services, graph }: { readonly services: Services; readonly graph: Graph },
  { credentials, requestId: given, span, onResult }: LocalCaller,
): LocalGraph {
  const prepare = ({ query, variables }: GraphRequest, signal: AbortSignal | undefined) => {
    signal?.throwIfAborted();
    const requestId = given ?? randomUUID();
    const cancellation = signal && new CancellationSource(signal);
    const context = new OperationContext(services, { requestId, credentials, span, cancellation });
    const present = <Result extends ExecutionResult>(result: Result): Result =>
      presentResult(result, requestId, services.log);
    try {
      const document = graph.prepare(query);
      if (document.errors.length > 0) return { refusal: present({ errors: document.errors }) };
      return { request: { operation: document.operation(null), context, variables }, present };
    } catch (error) {
      if (error instanceof GraphQLError) return { refusal: present({ errors: [error] }) };
      throw error;
    }
  };
  return {
    async execute(asked, { signal } = {}) {
      const { request, present, refusal } = prepare(asked, signal);
      if (refusal) return refusal;
      const result = await graph.execute(request);
      onResult?.(result);
      // Nobody gets the result, and its cancelled calls are no errors to log.
      signal?.throwIfAborted();
      return present(result);
    },
    async subscribe(asked, { signal } = {}) {
      const { request, present, refusal } = prepare(asked, signal);
      if (refusal) return refusal;
      const begun = await graph.subscribe(request);
      if (!(Symbol.asyncIterator in begun)) return present(begun);
      const stop = (): void => void begun.return?.();
      signal?.addEventListener('abort', stop, { once: true });
      if (signal?.aborted === true) stop();
      return mapAsyncIterator(begun, present, undefined, () => signal?.removeEventListener('abort', stop));
    },
  };
}
