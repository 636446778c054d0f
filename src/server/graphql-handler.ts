import type { IncomingMessage } from 'node:http';
import {
  createYoga,
  isAsyncIterable,
  mapAsyncIterator,
  type Plugin,
  type YogaServerInstance,
} from 'graphql-yoga';
import { execute, NoSchemaIntrospectionCustomRule, subscribe, type ExecutionResult } from 'graphql';
import { createContext, type Credentials, type OperationContext } from '../context.ts';
import { schema } from '../schema/index.ts';
import type { Services } from '../services.ts';
import { presentResult, useDocumentErrorCodes } from './present-result.ts';

/** Path of the GraphQL endpoint, over HTTP, server-sent events and WebSocket alike. */
export const GRAPHQL_PATH = '/graphql';

/** What the transport tells of an operation. */
export interface TransportContext {
  readonly requestId: string;
  readonly credentials: Credentials;
  /** Parameters of a POST, read and parsed already. */
  readonly parameters?: object;
  readonly req?: IncomingMessage;
}

/** GraphQL as the transports use it. */
export type GraphqlHandler = YogaServerInstance<TransportContext, OperationContext>;

/** Makes the GraphQL handler; what belongs to HTTP alone (methods, types, sizes) has been settled before it is called. */
export function createGraphqlHandler(services: Services): GraphqlHandler {
  const { config } = services;
  return createYoga<TransportContext, OperationContext>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    context: ({ requestId, credentials, request }) =>
      createContext(services, { requestId, credentials, ...(request ? { signal: request.signal } : {}) }),
    // Errors are reduced to their public form on the way out; see presentResult.
    maskedErrors: false,
    // The default pipes every body through a stream to count it, at twice the price of the whole request.
    maxRequestBodySize: false,
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    batching: false,
    logging: false,
    plugins: [
      useReferenceExecutor(),
      useParsedParameters(),
      useDocumentErrorCodes(),
      ...(config.introspection ? [] : [useNoIntrospection()]),
      usePresentedResults(services),
    ],
  });
}

// The default executor gives fields in the order in which they arrive; answers are to stand in the query's order.
function useReferenceExecutor(): Plugin {
  return {
    onExecute: (hook) => hook.setExecuteFn(execute),
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

function useNoIntrospection(): Plugin {
  return {
    onValidate: ({ addValidationRule }) => {
      addValidationRule(NoSchemaIntrospectionCustomRule);
    },
  };
}

function usePresentedResults({ log }: Services): Plugin<object, TransportContext> {
  return {
    onResultProcess: (hook) => {
      const { result, serverContext } = hook;
      const present = (one: ExecutionResult) => presentResult(one, serverContext.requestId, log);
      if (isAsyncIterable(result)) hook.setResult(mapAsyncIterator(result, present));
      else if (!Array.isArray(result)) hook.setResult(present(result));
    },
  };
}
