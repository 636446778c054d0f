import type { IncomingMessage } from 'node:http';
import { EXPLORER_PATH } from '../../packages/explorer/src/options.ts';
import type { ServedPage } from './built-page.ts';
import { isConnectPath, type ServeConnect } from './connect/connect.ts';
import { GRAPHQL_PATH, isRead, MCP_PATH, normalisePath, Refusal, type Exchange } from './exchange.ts';
import type { Desk } from './desk.ts';
import { answerGraphql, type GraphqlParts } from './graphql.ts';
import type { ServeMcp } from './mcp.ts';
import { grantPreflight, originOfPreflight, setCorsHeaders, type RefusedOrigins } from './origins.ts';
import { hasPreflightHeader } from './parameters.ts';
import type { Readiness } from './readiness.ts';

/** The parts that the routes use. */
export interface RouteParts extends GraphqlParts {
  readonly desk: Desk | null;
  readonly graphiql: ServedPage | null;
  /** Loaded for the first request of an assistant; null if no tools are served. */
  readonly mcp: (() => Promise<ServeMcp>) | null;
  readonly connect: ServeConnect;
  readonly readiness: Readiness;
  readonly refusedOrigins: RefusedOrigins;
}

/** Answers one request. */
export function answer(parts: RouteParts, exchange: Exchange): void {
  try {
    const { request } = exchange;
    const refusal = refusalOfHeaders(request);
    if (refusal !== null) return exchange.refuse(refusal);
    const path = normalisePath(request);
    if (path === GRAPHQL_PATH) answerEndpoint(parts, exchange);
    else answerOther(parts, path, exchange).catch(exchange.fail);
  } catch (error) {
    exchange.fail(error);
  }
}

/** Maximum number of headers of a request. */
const MAX_HEADERS = 100;

// Node silently takes the first of several equal headers and drops the others; another program may take the last.
function refusalOfHeaders({ headers, rawHeaders }: IncomingMessage): Refusal | null {
  // Names and values alternate.
  if (rawHeaders.length / 2 > MAX_HEADERS) return TOO_MANY_HEADERS;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === HOST.length && name.toLowerCase() === HOST) hosts += 1;
    else if (name?.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION)
      if (rawHeaders[at + 1] !== headers.authorization) return TWO_CREDENTIALS;
  }
  return hosts > 1 ? TWO_HOSTS : null;
}

const HOST = 'host';
const AUTHORIZATION = 'authorization';
const TOO_MANY_HEADERS = new Refusal(431, `The request has too many headers (maximum ${MAX_HEADERS}).`);
const TWO_CREDENTIALS = new Refusal(400, 'Send only one authorization header; two different ones were sent.');
const TWO_HOSTS = new Refusal(400, 'Send exactly one Host header.', { headers: { connection: 'close' } });

function answerEndpoint(parts: RouteParts, exchange: Exchange): void {
  const { services, graphiql, refusedOrigins } = parts;
  const { request } = exchange;
  setCorsHeaders(exchange, services.config);
  const origin = originOfPreflight(request);
  if (origin !== null) {
    if (services.config.allowedOrigins.includes(origin)) grantPreflight(exchange, services.config);
    else exchange.refuse(refusedOrigins.refuse(request.headers, 'send requests'));
  } else if (graphiql && isPageVisit(request)) graphiql.sendPage(exchange).catch(exchange.fail);
  else answerGraphql(parts, exchange);
}

const NOT_FOUND = new Refusal(404, `Not found; the GraphQL endpoint is ${GRAPHQL_PATH}.`);

async function answerOther(parts: RouteParts, path: string, exchange: Exchange): Promise<void> {
  const { services, readiness, graphiql } = parts;
  if (path === MCP_PATH && parts.mcp) {
    const serve = await parts.mcp();
    await serve(exchange);
    exchange.closeAfter(parts.readWithinMs);
  } else if (isConnectPath(path)) await parts.connect(exchange);
  else if (await parts.desk?.answer(path, exchange)) return;
  else if (path.startsWith(EXPLORER_PATH) && (await graphiql?.sendFile(path, exchange))) return;
  else if (path === '/' && graphiql) exchange.send(302, { location: GRAPHQL_PATH });
  else if (path === '/health') exchange.sendJson(200, { status: 'ok' });
  else if (path === '/ready') readiness.send(exchange);
  else if (path === '/metrics' && services.config.metrics)
    exchange.send(200, { 'content-type': services.metrics.contentType }, await services.metrics.text());
  else exchange.refuse(NOT_FOUND);
}

function isPageVisit(request: IncomingMessage): boolean {
  if (!isRead(request) || request.headers.accept?.includes('text/html') !== true) return false;
  return request.url?.includes('?') !== true || !hasPreflightHeader(request);
}
