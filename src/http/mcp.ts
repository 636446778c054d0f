import type { ExecutionResult } from 'graphql';
import { answerRequest, type ServedTools } from '../../packages/mcp/src/server.ts';
import { openLocalGraph } from '../local-graph.ts';
import { acceptedBy, EVENTS_TYPE } from './accept.ts';
import { MCP_PATH, Refusal, type Exchange } from './exchange.ts';
import type { GraphqlParts } from './graphql.ts';
import { noteErrors, spanOfRequest } from './operation-span.ts';
import {
  grantPreflight,
  mayOpenSocket,
  originOfPreflight,
  setCorsHeaders,
  type RefusedOrigins,
} from './origins.ts';
import { NOT_JSON, objectIn, readBody, refusalOfAddress } from './parameters.ts';

/** The tools, and what they are served with. */
export type McpOptions = Pick<ServedTools, 'toolbox' | 'version' | 'textWithinMs'>;

/** The parts used to answer requests of assistants. */
export interface McpParts
  extends McpOptions, Pick<GraphqlParts, 'services' | 'graph' | 'access' | 'overload'> {
  readonly refusedOrigins: RefusedOrigins;
}

/** Answers a request of the Model Context Protocol. */
export type ServeMcp = (exchange: Exchange) => Promise<void>;

/** Serves the tools over the protocol's streamable HTTP, without sessions. */
export function createMcp(parts: McpParts): ServeMcp {
  const { services } = parts;
  const served = {
    ...parts,
    isSandbox: services.config.demoCredentials !== null,
    onError: (err: Error) => services.log.debug({ err }, 'an MCP request failed'),
  };
  return async (exchange) => {
    exchange.bodyOf = rpcError;
    await answer(parts, served, exchange);
  };
}

async function answer(parts: McpParts, served: ServedTools, exchange: Exchange): Promise<void> {
  const { request } = exchange;
  const { overload, services, refusedOrigins } = parts;
  const refusal = refusalOfAddress(request);
  if (refusal) return exchange.refuse(refusal);
  // With DNS rebinding, a foreign page looks like one of ours: see `mayOpenSocket`.
  if (!mayOpenSocket(request, services.config))
    return exchange.refuse(refusedOrigins.refuse(request.headers, 'call tools'));
  setCorsHeaders(exchange, services.config);
  if (originOfPreflight(request) !== null) return grantPreflight(exchange, services.config);
  if (request.method !== 'POST') return exchange.refuse(NOT_POST);
  if (overload.turnsAway()) return exchange.refuse(overload.refusal());
  const span = spanOfRequest(MCP_PATH, exchange);
  if (acceptedBy(request.headers.accept).header === '') return exchange.refuse(NOT_ACCEPTABLE);
  const body = await new Promise<Buffer | Refusal>((resolve) => readBody(request, resolve));
  const message = body instanceof Refusal ? body : objectIn(body);
  if (message instanceof Refusal) return exchange.refuse(message);
  if (message === null) return exchange.refuse(NOT_ONE_MESSAGE);
  const credentials = parts.access.grant(request.headers.host, request.headers);
  if (credentials instanceof Refusal) return exchange.refuse(credentials);
  const { requestId } = exchange;
  const onResult = (result: ExecutionResult): void => noteErrors(span, result);
  const graph = openLocalGraph(parts, { credentials, span, requestId, onResult });
  await exchange.begin(overload, services.doorway, async () => {
    const called = { request: webRequestOf(exchange), message };
    await send(exchange, await answerRequest(served, graph, called));
  });
}

const NOT_POST = new Refusal(405, 'Use POST.', { headers: { allow: 'POST' } });

const NOT_ACCEPTABLE = new Refusal(406, 'Accept application/json or text/event-stream.');
const NOT_ONE_MESSAGE = new Refusal(400, 'Send one JSON-RPC message per request; batches are not supported.');

/** The headers that the protocol reads, without credentials. */
const READ = ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'last-event-id'];

// Older revisions require a client to accept both types by name, although one of them is enough for an answer.
const TYPES = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

function webRequestOf({ request, cancellation }: Exchange): Request {
  const gone = new AbortController();
  cancellation.add({ cancel: () => gone.abort() });
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
// no events. JSON may contain U+2028 and U+2029, which end no line of an event, but one of a regular expression.
async function send(exchange: Exchange, answered: Response): Promise<void> {
  const text = await answered.text();
  if (exchange.response.destroyed) return;
  const type = answered.headers.get('content-type');
  const [, event] =
    type === EVENTS_TYPE && !acceptedBy(exchange.request.headers.accept).events
      ? (/^data: ([^\r\n]*)/m.exec(text) ?? [])
      : [];
  const headers = type !== null && { 'content-type': event === undefined ? type : 'application/json' };
  exchange.send(answered.status, { ...headers }, event ?? text);
}

/** Codes of JSON-RPC for messages that are at fault themselves. */
const RPC_CODES: ReadonlyMap<Refusal, number> = new Map([
  [NOT_JSON, -32_700],
  [NOT_ONE_MESSAGE, -32_600],
]);
/** From the JSON-RPC range for server errors, for requests rejected before they reach the protocol for other reasons. */
const REFUSED = -32_000;

function rpcError(refusal: Refusal, requestId: string): object {
  const { message, code } = refusal;
  const error = { code: RPC_CODES.get(refusal) ?? REFUSED, message, data: { code, requestId } };
  return { jsonrpc: '2.0', error, id: null };
}
