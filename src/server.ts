import { randomUUID } from 'node:crypto';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from './config.ts';
import type { Log } from './log.ts';
import { createConnect, type ServeConnect } from './server/connect.ts';
import { readCredentials } from './server/credentials.ts';
import { createGraphiql, type ExplorerCredentials, type ServeGraphiql } from './server/graphiql.ts';
import { createGraphqlHandler, GRAPHQL_PATH, type GraphqlHandler } from './server/graphql-handler.ts';
import { admit, type Refusal } from './server/request-gate.ts';
import { serveWebSocket } from './server/web-socket.ts';
import { openServices, type Services } from './services.ts';

/** What a server needs beside its configuration. */
export interface ServerOptions {
  readonly log: Log;
  /** Credentials that the explorer fills in; only ever those of the sandbox. */
  readonly explorerCredentials?: ExplorerCredentials;
}

/** A GraphQL server over the service. */
export interface GraphqlServer {
  /** Begins to listen; gives the address of the server, without a trailing slash. */
  listen(): Promise<string>;
  /** Takes no more connections, lets running requests end, and closes everything. */
  close(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CHECK_INTERVAL_MS = 2_000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADERS = 100;

/** Makes a server; nothing is opened to the outside before `listen`. */
export function createServer(config: Config, { log, explorerCredentials }: ServerOptions): GraphqlServer {
  const services = openServices(config, log);
  const yoga = createGraphqlHandler(services);
  const graphiql = config.graphiql ? createGraphiql(explorerCredentials ?? null) : null;
  const connect = createConnect(services.authorization);
  const state: ServerState = {
    services,
    yoga,
    graphiql,
    connect,
    isDraining: false,
    closeIdle: () => undefined,
  };
  const server = createHttpServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    (request, response) => void answer(state, request, response),
  );
  state.closeIdle = () => server.closeIdleConnections();
  // One more than is allowed: Node drops what is beyond its own limit without a word.
  server.maxHeadersCount = MAX_HEADERS + 1;
  const webSocket = serveWebSocket(server, { path: GRAPHQL_PATH, yoga, log });
  return {
    listen: () => listen(server, config),
    close: async () => {
      state.isDraining = true;
      await Promise.all([webSocket.close(), closeHttp(server)]);
      await services.close();
    },
  };
}

interface ServerState {
  readonly services: Services;
  readonly yoga: GraphqlHandler;
  readonly graphiql: ServeGraphiql | null;
  readonly connect: ServeConnect;
  isDraining: boolean;
  closeIdle: () => void;
}

async function answer(state: ServerState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const requestId = randomUUID();
  // Connections that are kept for a next request would hold up the end of a server that takes none.
  response.once('close', () => state.isDraining && setImmediate(() => state.closeIdle()));
  response.setHeader('x-request-id', requestId);
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('cache-control', 'no-store');
  try {
    await route(state, { request, response, requestId });
  } catch (error) {
    // The caller left before all of the request was there: nobody is to blame, and nobody to be told.
    if (request.destroyed && !request.complete) return;
    state.services.log.error({ requestId, err: error }, 'a request could not be answered');
    refuse({ response, requestId }, { status: 500, message: 'Something went wrong on our side.' });
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
}

async function route(state: ServerState, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  if (request.rawHeaders.length / 2 > MAX_HEADERS) {
    refuse(exchange, { status: 431, message: `A request may have ${MAX_HEADERS} headers.` });
    return;
  }
  const path = (request.url ?? '').split('?')[0];
  if (path === GRAPHQL_PATH) await answerGraphql(state, exchange);
  else if (await state.connect(request, response)) return;
  else if (path === '/' && state.graphiql) response.writeHead(302, { location: GRAPHQL_PATH }).end();
  else if (path === '/health') sendJson(response, 200, { status: 'ok' });
  else if (path === '/ready') sendReadiness(state, response);
  else refuse(exchange, { status: 404, message: `There is nothing here; GraphQL lives at ${GRAPHQL_PATH}.` });
}

async function answerGraphql({ services, yoga, graphiql }: ServerState, exchange: Exchange): Promise<void> {
  const { request, response, requestId } = exchange;
  if (graphiql && isPageVisit(request)) {
    await graphiql(request, response);
    return;
  }
  const admission = await admit(request, services.config.getQueries);
  if (admission.kind === 'refused') {
    refuse(exchange, admission.refusal);
    return;
  }
  const credentials = readCredentials(request.headers);
  await yoga(request, response, { requestId, credentials, parameters: admission.parameters });
}

function isPageVisit({ method, headers, url }: IncomingMessage): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  const holdsQuery = url?.includes('?') === true && headers['graphql-require-preflight'] !== undefined;
  return isRead && !holdsQuery && headers.accept?.includes('text/html') === true;
}

function sendReadiness({ services, isDraining }: ServerState, response: ServerResponse): void {
  const surfaces = {
    current: services.http.current ? 'configured' : 'not configured',
    legacy: services.http.legacy ? 'configured' : 'not configured',
  };
  sendJson(response, isDraining ? 503 : 200, { status: isDraining ? 'draining' : 'ready', surfaces });
}

function refuse({ response, requestId }: Pick<Exchange, 'response' | 'requestId'>, refusal: Refusal): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const code =
    refusal.status === 413
      ? 'LIMIT_EXCEEDED'
      : refusal.status >= 500
        ? 'INTERNAL_SERVER_ERROR'
        : 'BAD_USER_INPUT';
  const body = { errors: [{ message: refusal.message, extensions: { code, retryable: false, requestId } }] };
  for (const [name, value] of Object.entries(refusal.headers ?? {})) response.setHeader(name, value);
  sendJson(response, refusal.status, body);
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

function listen(server: Server, { host, port }: Config): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const { address, port: taken, family } = server.address() as AddressInfo;
      resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`);
    });
  });
}

function closeHttp(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
