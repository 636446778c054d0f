import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Services } from '../services.ts';
import { CancellationSource } from '../sources/upstream/cancellation.ts';
import { acceptedBy, EVENTS_TYPE } from './accept.ts';
import { isRefused, type Access } from './access.ts';
import type { ClosingResponse } from './closing-response.ts';
import { isToldAsEvent, refuse, sendJson } from './responses.ts';
import type { ServeConnect } from './connect/connect.ts';
import type { EventStreams } from './event-streams.ts';
import { EXPLORER_PATH } from './explorer/options.ts';
import type { ServeMcp } from './mcp.ts';
import type { Graphiql } from './explorer/page.ts';
import type { Graph } from '../graph.ts';
import type { OperationSpan } from '../observability/tracing.ts';
import { createContext } from '../operation/operation.ts';
import type { Credentials } from '../operation/credentials.ts';
import type { YogaHandler } from './yoga.ts';
import { sendNothingHere, sendProgramsOnly } from './pages-for-people.ts';
import { answerPost, plainPost, type PlainPost } from './post.ts';
import { grantPreflight, originOfPreflight, tellOrigin } from './cors.ts';
import { spanOfRequest } from './operation-span.ts';
import type { Overload } from './overload.ts';
import type { ResolveDocument } from './persisted-documents.ts';
import type { Readiness } from './readiness.ts';
import type { RefusedOrigins } from './refused-origins.ts';
import { admit, GRAPHQL_PATH, needsLeave, normalisePath, type Refusal } from './admission.ts';

/** The parts that the routes use. */
export interface RouteParts {
  readonly services: Services;
  readonly graph: Graph;
  /** Loaded for the first request that is not a plain POST. */
  readonly yoga: () => Promise<YogaHandler>;
  readonly access: Access;
  readonly documents: ResolveDocument;
  readonly graphiql: Graphiql | null;
  /** Loaded for the first request of an assistant; null if no tools are served. */
  readonly mcp: (() => Promise<ServeMcp>) | null;
  readonly connect: ServeConnect;
  readonly readiness: Readiness;
  readonly refusedOrigins: RefusedOrigins;
  readonly overload: Overload;
  readonly streams: EventStreams;
  /** How long a caller may take to read its response, in milliseconds. */
  readonly readWithinMs: number;
  /** Whether plain POSTs are answered without Yoga. */
  readonly shortPath: boolean;
}

/** Maximum number of headers of a request. */
export const MAX_HEADERS = 100;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ClosingResponse;
  readonly requestId: string;
}

/** Answers one request. */
export async function answer(
  parts: RouteParts,
  request: IncomingMessage,
  response: ClosingResponse,
): Promise<void> {
  const requestId = randomUUID();
  const { standing } = response;
  standing['x-request-id'] = requestId;
  standing['x-content-type-options'] = 'nosniff';
  standing['cache-control'] = 'no-store';
  try {
    const refusal = await answerRoute(parts, { request, response, requestId });
    if (refusal === NOTHING_HERE && isPageVisit(request))
      await sendNothingHere(response, parts.graphiql !== null);
    else if (refusal) refuse(response, requestId, { ...typeFor(request, refusal), ...refusal });
  } catch (error) {
    // The caller disconnected before sending the whole request, so there is nothing to log or send.
    if (request.destroyed && !request.complete) return;
    parts.services.log.error({ requestId, err: error }, 'failed to respond to a request');
    const refusal = { status: 500, message: 'Internal server error.' };
    refuse(response, requestId, { ...typeFor(request, refusal), ...refusal });
  }
}

// With an error status, clients recognise a GraphQL error only by GraphQL's own media type; with status 200, by either.
function typeFor({ headers }: IncomingMessage, { status }: Refusal): Pick<Refusal, 'type'> {
  const { result } = acceptedBy(headers.accept);
  return status === 200 || result === null ? {} : { type: result };
}

type Answered = Refusal | null | Promise<Refusal | null>;

function answerRoute(parts: RouteParts, exchange: Exchange): Answered {
  const { request } = exchange;
  if (request.rawHeaders.length / 2 > MAX_HEADERS)
    return { status: 431, message: `The request has too many headers (maximum ${MAX_HEADERS}).` };
  if (hostsOf(request) > 1)
    return { status: 400, message: 'Send exactly one Host header.', headers: { connection: 'close' } };
  const path = normalisePath(request);
  return path === GRAPHQL_PATH ? answerGraphql(parts, exchange) : answerOther(parts, path, exchange);
}

async function answerOther(parts: RouteParts, path: string, exchange: Exchange): Promise<Refusal | null> {
  const { request, response } = exchange;
  const { services, readiness, connect } = parts;
  if (path === '/mcp' && parts.mcp) return await answerAssistant(parts, parts.mcp, exchange);
  if (await connect(request, response)) return null;
  if (path.startsWith(EXPLORER_PATH)) return await answerFile(parts, path, exchange);
  if (path === '/' && parts.graphiql) response.writeHead(302, { location: GRAPHQL_PATH }).end();
  else if (path === '/health') sendJson(response, 200, { status: 'ok' });
  else if (path === '/ready') readiness.send(response);
  else if (path === '/metrics' && services.config.metrics) await sendMetrics(services, response);
  else return NOTHING_HERE;
  return null;
}

// Names and values alternate.
function hostsOf({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((text, at) => at % 2 === 0 && text.length === 4 && /^host$/i.test(text)).length;
}

const NOTHING_HERE: Refusal = {
  status: 404,
  message: `Not found; the GraphQL endpoint is ${GRAPHQL_PATH}.`,
};

async function answerAssistant(
  { readWithinMs }: RouteParts,
  serve: () => Promise<ServeMcp>,
  exchange: Exchange,
): Promise<null> {
  const serveMcp = await serve();
  await serveMcp(exchange);
  endAfter(exchange.response, readWithinMs);
  return null;
}

async function answerFile(
  { graphiql }: RouteParts,
  path: string,
  { request, response }: Exchange,
): Promise<Refusal | null> {
  if (!isRead(request)) return { status: 405, message: 'Use GET or HEAD.', headers: { allow: 'GET, HEAD' } };
  return (await graphiql?.sendFile(path, request, response)) === true ? null : NOTHING_HERE;
}

function answerGraphql(parts: RouteParts, exchange: Exchange): Answered {
  const { services } = parts;
  const { request, response } = exchange;
  tellOrigin(request, response, services.config);
  const origin = originOfPreflight(request);
  if (origin !== null) return answerPreflight(parts, response, origin);
  if (isPageVisit(request)) return answerVisit(parts, exchange);
  return parts.overload.turnsAway() ? tooMuch(parts.overload) : execute(parts, exchange);
}

async function answerVisit({ graphiql }: RouteParts, { request, response }: Exchange): Promise<null> {
  await (graphiql ? graphiql.sendPage(request, response) : sendProgramsOnly(response));
  return null;
}

function answerPreflight(
  { services: { config }, refusedOrigins }: RouteParts,
  response: ServerResponse,
  origin: string,
): Refusal | null {
  if (!config.allowedOrigins.includes(origin)) return refusedOrigins.refuse(origin, 'send requests');
  grantPreflight(response, config);
  return null;
}

async function execute(
  parts: RouteParts,
  { request, response, requestId }: Exchange,
): Promise<Refusal | null> {
  const span = spanOfRequest(GRAPHQL_PATH, request, response);
  const admission = await admit(request, parts.services.config.getQueries);
  if (admission.kind === 'refused') return admission.refusal;
  const credentials = parts.access.grant(request.headers.host, request.headers);
  if (isRefused(credentials)) return { status: 401, ...credentials };
  const parameters = parts.documents(admission.parameters);
  const { accepted } = admission;
  if ('message' in parameters)
    return isToldAsEvent(parameters.status, accepted) ? { ...parameters, type: EVENTS_TYPE } : parameters;
  // Counted only from here: while a caller is still sending or already reading, the server does no work for it.
  const leave = parts.overload.enter();
  if (leave === null) return tooMuch(parts.overload);
  response.whenClosed(leave);
  const clear = parts.services.doorway.whenClear();
  if (clear !== null) await clear;
  // A caller that has disconnected would not be noticed again, and its stream would never be closed.
  if (response.destroyed) return null;
  const executed = (isStream: boolean): boolean => {
    leave();
    if (isStream) {
      const hasSeat = parts.streams.enter(response, request.socket.remoteAddress ?? '', credentials);
      // The stream may last for days, so the span only covers its start.
      if (hasSeat) span?.end(200);
      return hasSeat;
    }
    endAfter(response, parts.readWithinMs);
    return true;
  };
  const hangUp = (): void => void response.destroy();
  const isShort = parts.shortPath && request.method === 'POST';
  const post = isShort ? plainPost(parameters, accepted.result) : null;
  if (
    post &&
    answerPlain(parts, { request, response, requestId }, { post, credentials, hangUp, executed, span })
  )
    return null;
  request.headers.accept = accepted.header;
  const caller = { requestId, credentials, executed, hangUp, span, accepted };
  const yoga = await parts.yoga();
  await yoga(request, response, { ...caller, parameters });
  return null;
}

interface PlainRequest {
  readonly post: PlainPost;
  readonly credentials: Credentials;
  readonly hangUp: () => void;
  readonly executed: (isStream: boolean) => boolean;
  readonly span: OperationSpan | null;
}

function answerPlain(
  { services, graph }: RouteParts,
  { response, requestId }: Exchange,
  plain: PlainRequest,
) {
  const { post, credentials, hangUp, executed, span } = plain;
  return answerPost(response, post, {
    graph,
    log: services.log,
    requestId,
    span,
    executed: () => void executed(false),
    context: () => {
      const cancellation = new CancellationSource();
      response.whenClosed(() => {
        if (!response.writableFinished) cancellation.cancel();
      });
      return createContext(services, { requestId, credentials, cancellation, hangUp, span });
    },
  });
}

// Node waits indefinitely for a caller that reads nothing, or a byte occasionally. Most responses are handed to the
// system at once and need no timer.
function endAfter(response: ClosingResponse, ms: number): void {
  queueMicrotask(() => {
    if (!response.writableEnded || response.writableLength > 0) endLate(response, ms);
  });
}

function endLate(response: ClosingResponse, ms: number): void {
  const timer = setTimeout(() => response.destroy(), ms).unref();
  response.whenClosed(() => clearTimeout(timer));
}

function tooMuch(overload: Overload): Refusal {
  const headers = { 'retry-after': String(overload.retryAfterSeconds()) };
  return { status: 503, message: 'The server is overloaded.', headers };
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

function isPageVisit(request: IncomingMessage): boolean {
  const { headers, url } = request;
  const holdsQuery = url?.includes('?') === true && needsLeave(request);
  return isRead(request) && !holdsQuery && headers.accept?.includes('text/html') === true;
}

async function sendMetrics({ metrics }: Services, response: ServerResponse): Promise<void> {
  const text = await metrics.text();
  response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
}
