import type { IncomingMessage } from 'node:http';
import {
  GraphQLError,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import {
  createYoga,
  isAsyncIterable,
  mapAsyncIterator,
  type Plugin,
  type YogaServerInstance,
} from 'graphql-yoga';
import { createContext, type OperationContext } from '../operation/operation.ts';
import type { Credentials } from '../operation/credentials.ts';
import type { ExecutionRequest } from '../engine/engine.ts';
import type { Graph } from '../graph.ts';
import type { OperationSpan } from '../observability/tracing.ts';
import { schema } from '../schema/index.ts';
import type { Services } from '../services.ts';
import { cancellationBy } from '../sources/upstream/cancellation.ts';
import { EVENTS_TYPE, type Accepted } from './accept.ts';
import { GRAPHQL_PATH } from './admission.ts';
import { noteErrors } from './operation-span.ts';
import { presentResult } from '../present-result.ts';
import { eventOf, headOf, isToldAsEvent, textOf } from './responses.ts';

/** The transport's information about an operation. */
export interface TransportContext {
  readonly requestId: string;
  readonly credentials: Credentials;
  /** Parameters of a POST, already read and parsed. */
  readonly parameters?: object;
  readonly req?: IncomingMessage;
  /** Aborted when the caller ends the operation or disconnects, if the transport is not an HTTP request. */
  readonly signal?: AbortSignal;
  /** Called when the operation was executed or its stream has started; returns false if a stream must not continue. */
  readonly executed?: (isStream: boolean) => boolean;
  /** The kinds of response that the caller accepts. */
  readonly accepted: Accepted;
  /** Closes the connection of a caller that does not read. */
  readonly hangUp?: () => void;
  /** The span of the request, if one is recorded. */
  readonly span?: OperationSpan | null;
}

/** Yoga's handler of GraphQL over HTTP. */
export type YogaHandler = YogaServerInstance<TransportContext, YogaContext>;

interface YogaContext {
  readonly operation: OperationContext;
}

/**
 * Creates the handler of all GraphQL over HTTP that is not a plain POST: GET queries, server-sent events, unusual media
 * types, malformed parameters. It executes with the same engine; what concerns only HTTP (methods, types, sizes) has
 * been checked before it is called.
 */
export function createYogaHandler(services: Services, graph: Graph): YogaHandler {
  return createYoga<TransportContext, YogaContext>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    context: ({ requestId, credentials, request, signal = request?.signal, hangUp, span }) => ({
      operation: createContext(services, {
        requestId,
        credentials,
        ...(signal ? { cancellation: cancellationBy(signal) } : {}),
        ...(hangUp ? { hangUp } : {}),
        span,
      }),
    }),
    // Errors are reduced to their public form when they are sent; see presentResult.
    maskedErrors: false,
    // The default counts every body through a stream, which costs twice as much as the whole request.
    maxRequestBodySize: false,
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    batching: false,
    logging: false,
    parserAndValidationCache: false,
    plugins: [
      useParsedParameters(),
      useEngine(graph),
      useEndOfExecution(),
      usePresentedResults(services),
      useRefusals(),
    ],
  });
}

/** Lets the engine prepare documents and execute operations. */
function useEngine(graph: Graph): Plugin<YogaContext> {
  const requestOf = (args: ExecutionArgs): ExecutionRequest<OperationContext> => ({
    operation: graph.preparedOf(args.document).operation(args.operationName),
    context: (args.contextValue as YogaContext).operation,
    variables: args.variableValues,
  });
  const subscribe = (args: ExecutionArgs) =>
    (args.contextValue as TransportContext).accepted.events
      ? graph.subscribe(requestOf(args))
      : { errors: [NOT_ONE_ANSWER] };
  return {
    onParse: (hook) => hook.setParseFn((text: string) => graph.prepare(text).document),
    onValidate: (hook) =>
      hook.setValidationFn(
        (_schema: GraphQLSchema, document: DocumentNode) => graph.preparedOf(document).errors,
      ),
    onExecute: (hook) =>
      hook.setExecuteFn(async (args: ExecutionArgs) => graph.bounded(await graph.execute(requestOf(args)))),
    onSubscribe: (hook) => hook.setSubscribeFn(subscribe),
  };
}

function useParsedParameters(): Plugin<object, TransportContext> {
  return {
    onRequestParse: ({ serverContext: { parameters }, setRequestParser }) => {
      if (parameters) setRequestParser(() => parameters);
    },
  };
}

function usePresentedResults({ log }: Services): Plugin<object, TransportContext> {
  return {
    onResultProcess: (hook) => {
      const { result, serverContext } = hook;
      const present = (one: ExecutionResult) => {
        noteErrors(serverContext.span, one);
        return presentResult(one, serverContext.requestId, log);
      };
      if (isAsyncIterable(result)) hook.setResult(mapAsyncIterator(result, present));
      else if (!Array.isArray(result)) hook.setResult(present(result));
    },
  };
}

const NOT_ONE_ANSWER = new GraphQLError(
  'Subscriptions require text/event-stream or a WebSocket (graphql-transport-ws); JSON and multipart/mixed are not supported.',
  { extensions: { code: 'BAD_USER_INPUT', http: { status: 406 } } },
);

const TOO_MANY_STREAMS = new GraphQLError(
  'Too many event streams with this credential or from this address are open.',
  {
    extensions: { code: 'LIMIT_EXCEEDED', http: { status: 503, headers: { 'retry-after': '5' } } },
  },
);

/** Notifies the transport once an operation has been executed, and ends a stream that it rejects. */
function useEndOfExecution(): Plugin<object, TransportContext> {
  return {
    onResultProcess(hook) {
      const { result, serverContext } = hook;
      const isStream = typeof result === 'object' && result !== null && Symbol.asyncIterator in result;
      if (serverContext.executed?.(isStream) !== false) return;
      if (isStream) void result[Symbol.asyncIterator]().return?.();
      hook.setResult({ errors: [TOO_MANY_STREAMS] });
    },
    onResponse({ response: { headers } }) {
      // As for every other response: it is only for its caller.
      if (headers.get('content-type') === EVENTS_TYPE) headers.set('cache-control', 'no-store');
    },
  };
}

/** Sends the error of a failed request in the usual form if the caller only accepts events. */
function useRefusals(): Plugin<object, TransportContext> {
  return {
    onResultProcess(hook) {
      const { result, serverContext } = hook;
      const { accepted } = serverContext;
      if (accepted.result !== null || isAsyncIterable(result) || Array.isArray(result)) return;
      const { status, headers } = headOf(result, 'application/json');
      if (status === 200) return;
      const isEvent = isToldAsEvent(status, accepted);
      const type = isEvent ? EVENTS_TYPE : 'application/json; charset=utf-8';
      const init = { status: isEvent ? 200 : status, headers: { ...headers, 'content-type': type } };
      const text = isEvent ? eventOf(textOf(result)) : textOf(result);
      hook.setResultProcessor((_result, { Response }) => new Response(text, init), type);
    },
  };
}
