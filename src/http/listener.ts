import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { acceptedBy } from './accept.ts';
import { GRAPHQL_PATH, hasPreflightHeader, MCP_PATH, normalisePath } from './admission.ts';
import type { HttpResponse } from './connections.ts';
import type { ServeConnect } from './connect/connect.ts';
import { EXPLORER_PATH } from '../../packages/explorer/src/options.ts';
import type { Graphiql } from './explorer/page.ts';
import { answerGraphql, type Exchange, type GraphqlParts } from './graphql.ts';
import type { ServeMcp } from './mcp.ts';
import { grantPreflight, originOfPreflight, setCorsHeaders, type RefusedOrigins } from './origins.ts';
import { sendEndpointPage, sendNotFoundPage } from './page.ts';
import type { Readiness } from './readiness.ts';
import { closeAfter, refuse, sendJson, type Refusal } from './responses.ts';

/** The parts that the routes use. */
export interface RouteParts extends GraphqlParts {
  readonly graphiql: Graphiql | null;
  /** Loaded for the first request of an assistant; null if no tools are served. */
  readonly mcp: (() => Promise<ServeMcp>) | null;
  readonly connect: ServeConnect;
  readonly readiness: Readiness;
  readonly refusedOrigins: RefusedOrigins;
}

/** Maximum number of headers of a request. */
const MAX_HEADERS = 100;

/** Answers one request. */
export async function answer(
  parts: RouteParts,
  request: IncomingMessage,
  response: HttpResponse,
): Promise<void> {
  const requestId = randomUUID();
  const { defaults } = response;
  defaults['x-request-id'] = requestId;
  defaults['x-content-type-options'] = 'nosniff';
  defaults['cache-control'] = 'no-store';
  const { result: resultType } = acceptedBy(request.headers.accept);
  try {
    const refusal = await answerRoute(parts, { request, response, requestId });
    if (refusal === NOT_FOUND && isPageVisit(request))
      await sendNotFoundPage(response, parts.graphiql !== null);
    else if (refusal) refuse(response, requestId, refusal, resultType);
  } catch (error) {
    // The caller disconnected before sending the whole request, so there is nothing to log or send.
    if (request.destroyed && !request.complete) return;
    parts.services.log.error({ requestId, err: error }, 'failed to respond to a request');
    refuse(response, requestId, { status: 500, message: 'Internal server error.' }, resultType);
  }
}

type Answered = Refusal | null | Promise<Refusal | null>;

function answerRoute(parts: RouteParts, exchange: Exchange): Answered {
  const { request } = exchange;
  if (request.rawHeaders.length / 2 > MAX_HEADERS)
    return { status: 431, message: `The request has too many headers (maximum ${MAX_HEADERS}).` };
  if (hostsOf(request) > 1)
    return { status: 400, message: 'Send exactly one Host header.', headers: { connection: 'close' } };
  const path = normalisePath(request);
  return path === GRAPHQL_PATH ? answerEndpoint(parts, exchange) : answerOther(parts, path, exchange);
}

// Names and values alternate.
function hostsOf({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((text, at) => at % 2 === 0 && text.length === 4 && /^host$/i.test(text)).length;
}

function answerEndpoint(parts: RouteParts, exchange: Exchange): Answered {
  const { services, graphiql, refusedOrigins } = parts;
  const { request, response } = exchange;
  setCorsHeaders(request, response, services.config);
  const origin = originOfPreflight(request);
  if (origin !== null) {
    if (!services.config.allowedOrigins.includes(origin))
      return refusedOrigins.refuse(origin, 'send requests');
    grantPreflight(response, services.config);
    return null;
  }
  if (!isPageVisit(request)) return answerGraphql(parts, exchange);
  return (graphiql ? graphiql.sendPage(request, response) : sendEndpointPage(response)).then(() => null);
}

const NOT_FOUND: Refusal = {
  status: 404,
  message: `Not found; the GraphQL endpoint is ${GRAPHQL_PATH}.`,
};

async function answerOther(parts: RouteParts, path: string, exchange: Exchange): Promise<Refusal | null> {
  const { request, response } = exchange;
  const { services, readiness, graphiql } = parts;
  if (path === MCP_PATH && parts.mcp) {
    const serve = await parts.mcp();
    await serve(exchange);
    closeAfter(response, parts.readWithinMs);
  } else if (await parts.connect(request, response)) return null;
  else if (path.startsWith(EXPLORER_PATH)) {
    if (!isRead(request))
      return { status: 405, message: 'Use GET or HEAD.', headers: { allow: 'GET, HEAD' } };
    return (await graphiql?.sendFile(path, request, response)) === true ? null : NOT_FOUND;
  } else if (path === '/' && graphiql) response.writeHead(302, { location: GRAPHQL_PATH }).end();
  else if (path === '/health') sendJson(response, 200, { status: 'ok' });
  else if (path === '/ready') readiness.send(response);
  else if (path === '/metrics' && services.config.metrics) {
    const text = await services.metrics.text();
    response.writeHead(200, { 'content-type': services.metrics.contentType }).end(text);
  } else return NOT_FOUND;
  return null;
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

function isPageVisit(request: IncomingMessage): boolean {
  const { headers, url } = request;
  const holdsQuery = url?.includes('?') === true && hasPreflightHeader(request);
  return isRead(request) && !holdsQuery && headers.accept?.includes('text/html') === true;
}
