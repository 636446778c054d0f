import type { IncomingMessage } from 'node:http';
import type { ExecutionResult } from 'graphql';
import { answerRequest, type GraphFor, type ServedTools } from '../../packages/mcp/src/server.ts';
import type { Toolbox } from '../../packages/mcp/src/tool.ts';
import type { Graph } from '../graph.ts';
import { openLocalGraph } from '../local-graph.ts';
import type { Overload } from '../overload.ts';
import type { Services } from '../services.ts';
import { acceptedBy, EVENTS_TYPE } from './accept.ts';
import { holdsCredential, NOT_IN_ADDRESS, NOT_JSON, objectIn, readPost, MCP_PATH } from './admission.ts';
import { isRefused, type Access } from './access.ts';
import type { HttpResponse } from './connections.ts';
import { noteErrors, spanOfRequest } from './operation-span.ts';
import {
  grantPreflight,
  mayOpenSocket,
  originOfPreflight,
  setCorsHeaders,
  type RefusedOrigins,
} from './origins.ts';
import { sendJson, type Refusal } from './responses.ts';

/** The tools, and how long a call waits for a slow text, in milliseconds. */
export interface McpOptions {
  readonly toolbox: Toolbox;
  readonly version: string;
  readonly textWithinMs?: number;
}

/** The parts used to answer requests of assistants. */
export interface McpParts extends McpOptions {
  readonly services: Services;
  readonly graph: Graph;
  readonly access: Access;
  readonly overload: Overload;
  readonly refusedOrigins: RefusedOrigins;
}

/** One request and its response. */
export interface McpExchange {
  readonly request: IncomingMessage;
  readonly response: HttpResponse;
  readonly requestId: string;
}

/** Answers a request of the Model Context Protocol. */
export type ServeMcp = (exchange: McpExchange) => Promise<void>;

/** Clients time out a call after a minute; this leaves room for the steps before and after. */
const TEXT_WITHIN_MS = 25_000;

/** Serves the tools over the protocol's streamable HTTP, without sessions. */
export function createMcp(parts: McpParts): ServeMcp {
  const { services, toolbox, version, textWithinMs = TEXT_WITHIN_MS } = parts;
  const served = {
    toolbox,
    version,
    isSandbox: services.config.demoCredentials !== null,
    textWithinMs,
    onError: (err: Error) => services.log.debug({ err }, 'an MCP request failed'),
  };
  return async (exchange) => {
    const refusal = await answer(parts, served, exchange);
    if (refusal) refuse(exchange, refusal);
  };
}

/** A refusal with its JSON-RPC error code, if the message itself is at fault. */
interface McpRefusal extends Refusal {
  readonly rpcCode?: number;
}

async function answer(
  parts: McpParts,
  served: ServedTools,
  exchange: McpExchange,
): Promise<McpRefusal | null> {
  const { request, response } = exchange;
  const { config } = parts.services;
  const refusal = refusalOf(parts, exchange);
  if (refusal) return refusal;
  setCorsHeaders(request, response, config);
  if (originOfPreflight(request) !== null) {
    grantPreflight(response, config, MCP_HEADERS);
    return null;
  }
  if (request.method !== 'POST') return { status: 405, message: 'Use POST.', headers: { allow: 'POST' } };
  if (parts.overload.turnsAway()) return parts.overload.refusal();
  return await execute(parts, served, exchange);
}

const MCP_HEADERS = ['accept', 'mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name'];

// With DNS rebinding, a foreign page looks like one of ours: see `mayOpenSocket`.
function refusalOf({ services, refusedOrigins }: McpParts, { request }: McpExchange): Refusal | null {
  if (holdsCredential(request.url ?? '')) return { status: 400, message: NOT_IN_ADDRESS };
  return mayOpenSocket(request, services.config)
    ? null
    : refusedOrigins.refuse(request.headers.origin ?? '', 'call tools');
}

async function execute(
  parts: McpParts,
  served: ServedTools,
  exchange: McpExchange,
): Promise<McpRefusal | null> {
  const { request, response, requestId } = exchange;
  const span = spanOfRequest(MCP_PATH, request, response);
  if (acceptedBy(request.headers.accept).header === '') return NOT_ACCEPTABLE;
  const read = await readPost(request, (body) => ({ message: objectIn(body) }));
  if ('status' in read) return read;
  const { message } = read;
  if (message === null) return NOT_ONE_MESSAGE;
  if (message === 'not JSON') return UNREADABLE;
  const credentials = parts.access.grant(request.headers.host, request.headers);
  if (isRefused(credentials)) return { status: 401, ...credentials };
  const leave = parts.overload.enter();
  if (leave === null) return parts.overload.refusal();
  response.once('close', leave);
  await parts.services.doorway.whenClear();
  if (response.destroyed) {
    leave();
    return null;
  }
  const { log } = parts.services;
  const graphFor: GraphFor = (tool) => {
    log.debug({ requestId, transport: 'mcp', tool }, 'an assistant called a tool');
    const onResult = (result: ExecutionResult): void => noteErrors(span, result);
    return openLocalGraph(parts, { credentials, span, requestId: () => requestId, onResult });
  };
  await send(exchange, await answerRequest(served, graphFor, { request: webRequestOf(exchange), message }));
  return null;
}

const NOT_ACCEPTABLE = { status: 406, message: 'Accept application/json or text/event-stream.' };

/** Codes of JSON-RPC. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

const UNREADABLE = { status: 400, message: NOT_JSON, rpcCode: PARSE_ERROR };
const NOT_ONE_MESSAGE = {
  status: 400,
  message: 'Send one JSON-RPC message per request; batches are not supported.',
  rpcCode: INVALID_REQUEST,
};

/** The headers that the protocol reads, without credentials. */
const READ = ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'last-event-id'];

// Older revisions require a client to accept both types by name, although one of them is enough for an answer.
const TYPES = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

function webRequestOf({ request, response }: McpExchange): Request {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const headers = READ.flatMap((name): [string, string][] => {
    const value = request.headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  // The host is fixed, and nothing depends on it.
  return new Request(`http://localhost${MCP_PATH}`, {
    method: 'POST',
    headers: { ...TYPES, ...Object.fromEntries(headers) },
    signal: gone.signal,
  });
}

// A call has one result, which is sent whole even if the protocol calls it a stream, and as JSON to a client that takes
// no events.
async function send({ request, response }: McpExchange, answered: Response): Promise<void> {
  const text = await answered.text();
  if (response.destroyed) return;
  const type = answered.headers.get('content-type');
  const [, event] =
    type === EVENTS_TYPE && !acceptedBy(request.headers.accept).events
      ? (/^data: (.*)$/m.exec(text) ?? [])
      : [];
  const body = Buffer.from(event ?? text);
  response.writeHead(answered.status, {
    ...(type !== null && { 'content-type': event === undefined ? type : 'application/json' }),
    'content-length': body.length,
  });
  response.end(body);
}

/** From the JSON-RPC range for server errors, for requests rejected before they reach the protocol for other reasons. */
const REFUSED = -32_000;

function refuse(
  { response, requestId }: McpExchange,
  { status, message, code, rpcCode = REFUSED, headers = {} }: McpRefusal,
): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const data = { ...(code !== undefined && { code }), requestId };
  sendJson(response, status, { jsonrpc: '2.0', error: { code: rpcCode, message, data }, id: null });
}
