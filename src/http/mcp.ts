import type { IncomingMessage, ServerResponse } from 'node:http';
import { MCP_PATH } from '../config/assistants.ts';
import type { Graph } from '../graph.ts';
import type { Toolbox } from '../mcp/toolbox.ts';
import { answerRequest, type ServedTools } from '../mcp/server.ts';
import type { Services } from '../services.ts';
import { holdsCredential, NOT_IN_ADDRESS, readPost, type Refusal } from './admission.ts';
import { isRefused, type Access } from './access.ts';
import type { ClosingResponse } from './closing-response.ts';
import { grantPreflight, mayOpenSocket, originOfPreflight, tellOrigin } from './cors.ts';
import { noteErrors, spanOfRequest } from './operation-span.ts';
import type { Overload } from './overload.ts';
import type { RefusedOrigins } from './refused-origins.ts';
import { sendJson } from './responses.ts';

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
  readonly response: ClosingResponse;
  readonly requestId: string;
}

/** Answers a request of the Model Context Protocol. */
export type ServeMcp = (exchange: McpExchange) => Promise<void>;

/** Clients time out a call after a minute; this leaves room for the steps before and after. */
const TEXT_WITHIN_MS = 25_000;

/** Serves the tools over the protocol's streamable HTTP, without sessions. */
export function createMcp(parts: McpParts): ServeMcp {
  const { services, graph, toolbox, version, textWithinMs = TEXT_WITHIN_MS } = parts;
  const served = { services, graph, toolbox, version, textWithinMs };
  return async (exchange) => {
    const refusal = await answer(parts, served, exchange);
    if (refusal) refuse(exchange, refusal);
  };
}

async function answer(parts: McpParts, served: ServedTools, exchange: McpExchange): Promise<Refusal | null> {
  const { request, response } = exchange;
  const { config } = parts.services;
  const refusal = refusalOf(parts, exchange);
  if (refusal) return refusal;
  tellOrigin(request, response, config);
  if (originOfPreflight(request) !== null) {
    grantPreflight(response, config, MCP_HEADERS);
    return null;
  }
  if (request.method !== 'POST') return { status: 405, message: 'Use POST.', headers: { allow: 'POST' } };
  if (parts.overload.turnsAway()) return overloaded(parts);
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

async function execute(parts: McpParts, served: ServedTools, exchange: McpExchange): Promise<Refusal | null> {
  const { request, response, requestId } = exchange;
  const span = spanOfRequest(MCP_PATH, request, response);
  const read = await readPost(request, (body) => ({ body }));
  if ('refusal' in read) return read.refusal;
  const credentials = parts.access.grant(request.headers.host, request.headers);
  if (isRefused(credentials)) return { status: 401, ...credentials };
  const leave = parts.overload.enter();
  if (leave === null) return overloaded(parts);
  response.whenClosed(leave);
  await parts.services.doorway.whenClear();
  if (response.destroyed) return null;
  const caller = {
    credentials,
    span,
    requestId: () => requestId,
    onResult: (result) => noteErrors(span, result),
  } satisfies Parameters<typeof answerRequest>[1];
  await send(response, await answerRequest(served, caller, webRequestOf(exchange, read.body)));
  return null;
}

/** The headers that the protocol reads, without credentials. */
const READ = ['content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'last-event-id'];

function webRequestOf({ request, response }: McpExchange, body: Uint8Array<ArrayBuffer>): Request {
  const gone = new AbortController();
  response.whenClosed(() => {
    if (!response.writableFinished) gone.abort();
  });
  const headers = READ.flatMap((name): [string, string][] => {
    const value = request.headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  // The host is fixed, and nothing depends on it.
  return new Request(`http://localhost${MCP_PATH}`, { method: 'POST', headers, body, signal: gone.signal });
}

// A call has one result, which is sent whole even if the protocol calls it a stream.
async function send(response: ServerResponse, answered: Response): Promise<void> {
  const body = Buffer.from(await answered.arrayBuffer());
  if (response.destroyed) return;
  const type = answered.headers.get('content-type');
  response.writeHead(answered.status, {
    ...(type === null ? {} : { 'content-type': type }),
    'content-length': body.length,
  });
  response.end(body);
}

function overloaded({ overload }: McpParts): Refusal {
  const headers = { 'retry-after': String(overload.retryAfterSeconds()) };
  return { status: 503, message: 'The server is overloaded.', headers };
}

/** From the JSON-RPC range for server errors, for requests rejected before they reach the protocol. */
const REFUSED = -32_000;

function refuse(
  { response, requestId }: McpExchange,
  { status, message, code, headers = {} }: Refusal,
): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const data = { ...(code !== undefined && { code }), requestId };
  sendJson(response, status, { jsonrpc: '2.0', error: { code: REFUSED, message, data }, id: null });
}
