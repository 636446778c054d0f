import type { ServerResponse } from 'node:http';
import { GraphQLError, type ExecutionResult, type GraphQLFormattedError } from 'graphql';
import type { ErrorCode } from '../schema/errors.ts';
import { EVENTS_TYPE, type Accepted, type ResponseType } from './accept.ts';

/** Why a request is rejected before GraphQL executes anything. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** A code of the closed list, if the status is not specific enough. */
  readonly code?: ErrorCode;
  readonly headers?: Readonly<Record<string, string>>;
  /** True if the response is one server-sent event; it then has status 200. */
  readonly asEvent?: boolean;
}

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
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) }).end(text);
}

/**
 * Rejects a request, in the form of a GraphQL response.
 *
 * @param resultType - The media type that the caller accepts for results. With an error status, clients recognise a
 *   GraphQL error only by GraphQL's own media type; with status 200, by either.
 */
export function refuse(
  response: ServerResponse,
  requestId: string,
  refusal: Refusal,
  resultType: ResponseType | null,
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, message, code = codeOf(status), headers = {}, asEvent } = refusal;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const result = { errors: [{ message, extensions: { code, retryable: status === 503, requestId } }] };
  if (asEvent) send(response, 200, EVENTS_TYPE, eventOf(JSON.stringify(result)));
  else sendJson(response, status, result, status === 200 || !resultType ? 'application/json' : resultType);
}

function codeOf(status: number): ErrorCode {
  if (status === 413 || status === 431) return 'LIMIT_EXCEEDED';
  if (status === 503) return 'OVERLOADED';
  return status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_USER_INPUT';
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
export function respondsAsEvent(status: number, { result }: Accepted): boolean {
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

/** Returns an error that was thrown as a GraphQL error; anything but a GraphQL error is unexpected. */
export function asGraphQLError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  const originalError = error instanceof Error ? error : new Error(String(error));
  return new GraphQLError('unexpected', { originalError });
}

/**
 * Closes the connection of a caller that has not read its response after a while: Node waits indefinitely for one that
 * reads nothing, or a byte occasionally. Most responses are handed to the system at once and need no timer.
 */
export function closeAfter(response: ServerResponse, ms: number): void {
  queueMicrotask(() => {
    if (response.writableEnded && response.writableLength === 0) return;
    const timer = setTimeout(() => response.destroy(), ms).unref();
    response.once('close', () => clearTimeout(timer));
  });
}
