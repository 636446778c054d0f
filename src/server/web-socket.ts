import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import { GraphQLError, type ExecutionArgs, type GraphQLFormattedError } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import type { Log } from '../log.ts';
import { readCredentials, type HeaderBag } from './credentials.ts';
import type { GraphqlHandler } from './graphql-handler.ts';
import { createOperationSignals } from './operation-signals.ts';
import { presentResult } from './present-result.ts';

const MAX_MESSAGE_BYTES = 128 * 1024;
const INIT_TIMEOUT_MS = 3_000;
const PING_INTERVAL_MS = 12_000;
/** Close code for a server that goes away and comes back: clients connect again. */
const SERVICE_RESTART = 1012;

type Executors = Pick<ReturnType<GraphqlHandler['getEnveloped']>, 'execute' | 'subscribe'>;

/** Answers GraphQL over WebSocket (the graphql-transport-ws protocol) on one path of an HTTP server. */
export function serveWebSocket(
  server: Server,
  { path, yoga, log }: { readonly path: string; readonly yoga: GraphqlHandler; readonly log: Log },
): { close(): Promise<void> } {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  });
  server.on('upgrade', (request: IncomingMessage, socket, head) => {
    if (request.url?.split('?')[0] !== path) {
      socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) =>
      sockets.emit('connection', webSocket, request),
    );
  });
  const signals = createOperationSignals();
  const requestIds = new WeakMap<object, string>();
  const idOf = (payload: object): string => requestIds.get(payload) ?? randomUUID();
  const relay = useServer<HeaderBag>(
    {
      connectionInitWaitTimeout: INIT_TIMEOUT_MS,
      // The plugins' executors travel with the operation, so that every rule of HTTP holds here too.
      execute: (args) => (args.rootValue as Executors).execute(args),
      subscribe: (args) => (args.rootValue as Executors).subscribe(args),
      onSubscribe: async ({ connectionParams, extra }, id, payload) => {
        const requestId = randomUUID();
        requestIds.set(payload, requestId);
        const inMessage = payload.extensions?.['headers'];
        const credentials = readCredentials(bagOf(inMessage), connectionParams, extra.request.headers);
        // An error that leaves this hook would end the socket; it ends the operation only.
        const signal = signals.begin(extra.socket, id);
        return await prepare(yoga, payload, { requestId, credentials, signal }).catch(asErrors);
      },
      onComplete: ({ extra }, id) => signals.end(extra.socket, id),
      onNext: (_ctx, _id, payload, _args, { data, errors }) => {
        const presented = errors && { errors: formatted(errors, idOf(payload), log) };
        return presented && (data === undefined ? presented : { data, ...presented });
      },
      onError: ({ extra }, id, payload, errors) => {
        signals.end(extra.socket, id);
        return formatted(errors, idOf(payload), log);
      },
    },
    sockets,
    PING_INTERVAL_MS,
  );
  sockets.on('connection', (socket) => {
    signals.watch(socket);
    // The protocol's library writes what goes wrong on a socket to the console; it belongs in the log.
    socket.removeAllListeners('error');
    socket.on('error', (error) => log.info({ err: error }, 'a socket failed'));
  });
  return {
    close: async () => {
      for (const socket of sockets.clients) socket.close(SERVICE_RESTART, 'Service restart');
      await relay.dispose();
    },
  };
}

interface SubscribePayload {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: Record<string, unknown> | null | undefined;
}

async function prepare(
  yoga: GraphqlHandler,
  { query, operationName, variables }: SubscribePayload,
  caller: Parameters<GraphqlHandler['getEnveloped']>[0],
): Promise<ExecutionArgs | readonly GraphQLError[]> {
  const { schema, parse, validate, contextFactory, execute, subscribe } = yoga.getEnveloped(caller);
  const document = parse(query);
  const errors = validate(schema, document) as readonly GraphQLError[];
  if (errors.length > 0) return errors;
  return {
    schema,
    document,
    operationName: operationName ?? null,
    variableValues: variables ?? null,
    contextValue: await contextFactory(),
    rootValue: { execute, subscribe } satisfies Executors,
  };
}

function formatted(
  errors: readonly GraphQLError[],
  requestId: string,
  log: Log,
): readonly GraphQLFormattedError[] {
  return presentResult({ errors }, requestId, log).errors.map((error) => {
    // How HTTP would tell is of no use here.
    const { http: _http, ...extensions } = error.extensions;
    return { ...error.toJSON(), extensions };
  });
}

function asErrors(error: unknown): readonly GraphQLError[] {
  if (error instanceof GraphQLError) return [error];
  return [
    new GraphQLError('unexpected', {
      originalError: error instanceof Error ? error : new Error(String(error)),
    }),
  ];
}

function bagOf(value: unknown): HeaderBag {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
