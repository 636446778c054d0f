import type { IncomingMessage } from 'node:http';
import type { Plugin, YogaServerInstance } from 'graphql-yoga';
import {
  execute,
  NoSchemaIntrospectionCustomRule,
  subscribe,
  type validate,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql';
import type { Config } from '../config.ts';
import { createContext, type Credentials, type OperationContext } from '../context.ts';
import { schema } from '../schema/index.ts';
import type { Services } from '../services.ts';
import { useCostLimit } from './document-limits/cost.ts';
import { createDocumentCache } from './document-limits/document-cache.ts';
import { useResultLimits } from './document-limits/result.ts';
import { useTextLimits } from './document-limits/text.ts';
import { validateWithin } from './document-limits/validation.ts';
import { useEndOfExecution } from './event-streams.ts';
import { useOperationObserver } from './operation-observer.ts';
import { presentResult, useDocumentErrorCodes } from './present-result.ts';
import { createYoga, isAsyncIterable, mapAsyncIterator } from './yoga.ts';

/** Path of the GraphQL endpoint, over HTTP, server-sent events and WebSocket alike. */
export const GRAPHQL_PATH = '/graphql';

/** What the transport tells of an operation. */
export interface TransportContext {
  readonly requestId: string;
  readonly credentials: Credentials;
  /** Parameters of a POST, read and parsed already. */
  readonly parameters?: object;
  readonly req?: IncomingMessage;
  /** Aborted when the caller ends the operation or is gone, where the transport is no HTTP request. */
  readonly signal?: AbortSignal;
  /** Told that the operation has been executed or, as a stream, has begun; false where a stream must not go on. */
  readonly executed?: (isStream: boolean) => boolean;
  /** Ends the caller's connection; for a caller that does not read what it is sent. */
  readonly hangUp?: () => void;
}

/** GraphQL as the transports use it. */
export type GraphqlHandler = YogaServerInstance<TransportContext, OperationContext>;

/** Makes the GraphQL handler; what belongs to HTTP alone (methods, types, sizes) has been settled before it is called. */
export function createGraphqlHandler(services: Services): GraphqlHandler {
  const { config } = services;
  return createYoga<TransportContext, OperationContext>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    context: ({ requestId, credentials, request, signal = request?.signal, hangUp }) =>
      createContext(services, {
        requestId,
        credentials,
        ...(signal ? { signal } : {}),
        ...(hangUp ? { hangUp } : {}),
      }),
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
    parserAndValidationCache: createDocumentCache(),
    plugins: [
      useTextLimits(config.limits),
      useReferenceExecutor(config),
      useParsedParameters(),
      useDocumentErrorCodes(),
      ...(config.introspection ? [] : [useNoIntrospection()]),
      useResultLimits(),
      useOperationObserver(services),
      useCostLimit(config),
      useEndOfExecution(),
      usePresentedResults(services),
    ],
  });
}

// graphql-jit, which takes a third less of the processor's time for a list, was measured and left: it runs what a literal
// says as code, goes on with the mutations after one that failed, and reads variables in its own way.
// The default executor gives fields in the order in which they arrive; answers are to stand in the query's order. And
// where the schema may not be read, a misspelt name is not answered with the right one.
function useReferenceExecutor({ introspection, limits }: Config): Plugin {
  const hideSuggestions = !introspection;
  return {
    onValidate: (hook) => {
      hook.setValidationFn((...[of, document, rules]: Parameters<typeof validate>) =>
        validateWithin(of, document, { limits, rules, hideSuggestions }),
      );
    },
    onExecute: (hook) => hook.setExecuteFn((args: ExecutionArgs) => execute({ ...args, hideSuggestions })),
    onSubscribe: (hook) =>
      hook.setSubscribeFn((args: ExecutionArgs) => subscribe({ ...args, hideSuggestions })),
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
