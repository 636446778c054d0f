import type { ServerResponse } from 'node:http';
import type { ExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import type { ErrorCode } from '../schema/errors.ts';
import { EVENTS_TYPE, type Accepted, type ResponseType } from './accept.ts';
import type { Refusal } from './admission.ts';
import { endAfterRequest } from './lingering.ts';

/** Sends JSON. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  type: ResponseType = 'application/json',
): void {
  send(response, status, `${type}; charset=utf-8`, JSON.stringify(body));
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  const closes = !response.shouldKeepAlive || response.getHeader('connection') === 'close';
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
  if (closes) endAfterRequest(response, text);
  else response.end(text);
}

/** Rejects a request, in the form of a GraphQL response. */
export function refuse(response: ServerResponse, requestId: string, refusal: Refusal): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, message, code = codeOf(status), headers = {}, type } = refusal;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const extensions = { code, retryable: status === 503, requestId };
  const result = { errors: [{ message, extensions }] };
  if (type === EVENTS_TYPE) send(response, 200, EVENTS_TYPE, eventOf(JSON.stringify(result)));
  else sendJson(response, status, result, type);
}

/** Returns an event stream of one result, given as JSON. */
export function eventOf(json: string): string {
  return `event: next\ndata: ${json}\n\nevent: complete\ndata:\n\n`;
}

/**
 * Whether a failed request is answered with one event. GraphQL over server-sent events requires this if the GraphQL
 * request itself is invalid: its clients do not read responses with a status other than 200. All other rejections are
 * JSON.
 */
export function isToldAsEvent(status: number, { result }: Accepted): boolean {
  return result === null && (status === 200 || status === 400);
}

/** Returns the text of a result without the HTTP hints of its errors. */
export function textOf(result: ExecutionResult): string {
  return JSON.stringify(result.errors ? { ...result, errors: result.errors.map(withoutHttp) } : result);
}

/** Returns the error as clients get it: HTTP hints are for the transport. */
export function withoutHttp(error: GraphQLError): GraphQLFormattedError {
  const { http: _http, ...extensions } = error.extensions;
  return { ...error.toJSON(), extensions };
}

interface HttpHint {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** True if only the media type of GraphQL responses expresses the error by its status. */
  readonly spec?: boolean;
}

const WITHOUT_ERRORS: Omit<HttpHint, 'spec'> = { status: 200 };

/** Returns the status of a result, and the headers of its errors. */
export function headOf({ errors }: ExecutionResult, type: ResponseType): Omit<HttpHint, 'spec'> {
  if (!errors) return WITHOUT_ERRORS;
  let status = 0;
  let headers: HttpHint['headers'];
  for (const { extensions } of errors) {
    const hint = extensions['http'] as HttpHint | undefined;
    if (!hint || (hint.spec && type === 'application/json')) continue;
    status = Math.max(status, hint.status);
    if (hint.headers) headers = { ...headers, ...hint.headers };
  }
  return { status: status || 200, ...(headers && { headers }) };
}

function codeOf(status: number): ErrorCode {
  if (status === 413 || status === 431) return 'LIMIT_EXCEEDED';
  if (status === 503) return 'OVERLOADED';
  return status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_USER_INPUT';
}
