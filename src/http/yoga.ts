import type { DocumentNode, ExecutionArgs, ExecutionResult, GraphQLSchema } from 'graphql';
import { GraphQLError } from 'graphql';
import {
  createYoga,
  isAsyncIterable,
  mapAsyncIterator,
  type Plugin,
  type YogaServerInstance,
} from 'graphql-yoga';
import type { ExecutionRequest } from '../engine/engine.ts';
import type { Graph } from '../graph.ts';
import type { Log } from '../observability/log.ts';
import type { OperationContext } from '../operation/operation.ts';
import { presentResult } from '../present-result.ts';
import { schema } from '../schema/index.ts';
import { EVENTS_TYPE, type Accepted } from './accept.ts';
import { eventOf, GRAPHQL_PATH, respondsAsEvent } from './exchange.ts';
import { noteErrors } from './operation-span.ts';
import { headOf, textOf } from './responses.ts';

/** What is known of a request before Yoga answers it. */
export interface YogaRequest {
  readonly operation: OperationContext;
  /** The GraphQL parameters, already read and parsed. */
  readonly parameters: object;
  /** The kinds of response that the caller accepts. */
  readonly accepted: Accepted;
  /** Called when the operation was executed or its stream has started; says why a stream must not continue. */
  readonly executed: (isStream: boolean) => EndOfStream | null;
}

/** Why a stream that has started must not continue. */
export type EndOfStream = 'caller left' | 'no room';

/** Yoga's handler of GraphQL over HTTP. */
export type YogaHandler = YogaServerInstance<YogaRequest, object>;

/**
 * Creates the handler of all GraphQL over HTTP that is not a plain POST: GET queries, server-sent events, unusual media
 * types, malformed parameters. It executes with the same engine; what concerns only HTTP (methods, types, sizes) has
 * been checked before it is called.
 */
export function createYogaHandler(graph: Graph, log: Log): YogaHandler {
  return createYoga<YogaRequest>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
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
    plugins: [useEngine(graph), usePresentation(log)],
  });
}

/** Lets the engine prepare documents and execute operations. */
function useEngine(graph: Graph): Plugin<YogaRequest, YogaRequest> {
  const requestOf = (args: ExecutionArgs): ExecutionRequest<OperationContext> => ({
    operation: graph.preparedOf(args.document).operation(args.operationName),
    context: (args.contextValue as YogaRequest).operation,
    variables: args.variableValues,
  });
  const subscribe = (args: ExecutionArgs) =>
    (args.contextValue as YogaRequest).accepted.events
      ? graph.subscribe(requestOf(args))
      : { errors: [NOT_ONE_RESPONSE] };
  return {
    onRequestParse: ({ serverContext, setRequestParser }) => setRequestParser(() => serverContext.parameters),
    onParse: (hook) => hook.setParseFn((text: string) => graph.prepare(text).document),
    onValidate: (hook) =>
      hook.setValidationFn(
        (_schema: GraphQLSchema, document: DocumentNode) => graph.preparedOf(document).errors,
      ),
    onExecute: (hook) => hook.setExecuteFn((args: ExecutionArgs) => graph.execute(requestOf(args))),
    onSubscribe: (hook) => hook.setSubscribeFn(subscribe),
  };
}

const NOT_ONE_RESPONSE = new GraphQLError(
  'Subscriptions require text/event-stream or a WebSocket (graphql-transport-ws); JSON and multipart/mixed are not supported.',
  { extensions: { code: 'BAD_USER_INPUT', http: { status: 406 } } },
);

const TOO_MANY_STREAMS = new GraphQLError(
  'Too many event streams with this credential or from this address are open.',
  { extensions: { code: 'LIMIT_EXCEEDED', http: { status: 503, headers: { 'retry-after': '5' } } } },
);

/** Reports the end of execution, gives errors their public form, and sends failed requests in the usual form. */
function usePresentation(log: Log): Plugin<object, YogaRequest> {
  return {
    onResultProcess(hook) {
      const { operation, accepted, executed } = hook.serverContext;
      const present = (one: ExecutionResult): ExecutionResult => {
        noteErrors(operation.span, one);
        return presentResult(one, operation.requestId, log);
      };
      let { result } = hook;
      const end = executed(isAsyncIterable(result));
      if (isAsyncIterable(result)) {
        if (end === null) return hook.setResult(mapAsyncIterator(result, present));
        void result[Symbol.asyncIterator]().return?.();
        // Nobody gets the result of a caller who has left, and it is no failure.
        result = end === 'no room' ? { errors: [TOO_MANY_STREAMS] } : {};
      }
      // Batching is off.
      if (Array.isArray(result)) return;
      const presented = present(result);
      hook.setResult(presented);
      const { status, headers } = headOf(presented, 'application/json');
      if (accepted.result !== null || status === 200) return;
      const isEvent = respondsAsEvent(status, accepted);
      const type = isEvent ? EVENTS_TYPE : 'application/json; charset=utf-8';
      const init = { status: isEvent ? 200 : status, headers: { ...headers, 'content-type': type } };
      const text = isEvent ? eventOf(textOf(presented)) : textOf(presented);
      hook.setResultProcessor((_result, { Response }) => new Response(text, init), type);
    },
    onResponse({ response: { headers } }) {
      // As for every other response: it is only for its caller.
      if (headers.get('content-type') === EVENTS_TYPE) headers.set('cache-control', 'no-store');
    },
  };
}
