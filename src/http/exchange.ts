import { randomUUID } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Log } from '../observability/log.ts';
import type { Doorway, Overload } from '../../packages/overload/src/overload.ts';
import type { ErrorCode } from '../schema/errors.ts';
import { CancellationSource } from '../sources/upstream/cancellation.ts';
import { acceptedBy, EVENTS_TYPE, type Accepted, type ResponseType } from './accept.ts';

/** Path of the GraphQL endpoint, over HTTP, server-sent events and WebSocket alike. */
export const GRAPHQL_PATH = '/graphql';
/** Where tools for assistants are served. */
export const MCP_PATH = '/mcp';

/** Returns the path of a request, after removing one trailing slash from its URL. */
export function normalisePath(request: IncomingMessage): string {
  const { url = '' } = request;
  const queryAt = url.indexOf('?');
  const path = queryAt === -1 ? url : url.slice(0, queryAt);
  if (path.length < 3 || !path.endsWith('/')) return path;
  const normalised = path.slice(0, -1);
  request.url = normalised + url.slice(path.length);
  return normalised;
}

/** Whether a request asks for nothing but a response. */
export function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Why a request is rejected before GraphQL executes anything. */
export class Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A code of the closed list. */
  readonly code: ErrorCode;

  constructor(
    status: number,
    message: string,
    { headers = {}, code = codeOf(status) }: Partial<Pick<Refusal, 'headers' | 'code'>> = {},
  ) {
    this.status = status;
    this.message = message;
    this.headers = headers;
    this.code = code;
  }
}

function codeOf(status: number): ErrorCode {
  if (status === 413 || status === 431) return 'LIMIT_EXCEEDED';
  if (status === 503) return 'OVERLOADED';
  return status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_USER_INPUT';
}

/** One HTTP request and its response. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId = randomUUID();
  /** Cancelled when the caller disconnects before it has the whole response. */
  readonly cancellation = new CancellationSource();
  /** The headers of the response by lower-case names; setting each of them in the response costs more. */
  readonly headers: OutgoingHttpHeaders;
  /** Ends the operation of the request, if it has begun; called again when the response is closed. */
  leave: (() => void) | null = null;
  /** Returns the body of a rejection. */
  bodyOf: (refusal: Refusal, requestId: string) => object = graphqlErrors;
  readonly #log: Log;

  constructor(request: IncomingMessage, response: ServerResponse, log: Log) {
    this.request = request;
    this.response = response;
    this.#log = log;
    this.headers = {
      'x-request-id': this.requestId,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    };
  }

  /** Sends the response. */
  send(status: number, headers: OutgoingHttpHeaders, body?: string | Uint8Array): void {
    const all = Object.assign(this.headers, headers);
    if (body === undefined) return void this.response.writeHead(status, all).end();
    const bytes = (all['content-length'] = Buffer.byteLength(body));
    // ASCII has the same bytes in both encodings, and Node writes Latin-1 without converting each character.
    this.response.writeHead(status, all).end(body, bytes === body.length ? 'latin1' : 'utf8');
  }

  /** Sends JSON. */
  sendJson(status: number, body: object, type: ResponseType = 'application/json'): void {
    this.send(status, { 'content-type': `${type}; charset=utf-8` }, JSON.stringify(body));
  }

  /**
   * Rejects the request, in the form of a GraphQL response. With an error status, clients recognise a GraphQL error only
   * by GraphQL's own media type; with status 200, by either.
   */
  refuse(refusal: Refusal): void {
    if (this.response.headersSent) return void this.response.destroy();
    const { status, headers } = refusal;
    const type = status === 200 ? null : acceptedBy(this.request.headers.accept).result;
    Object.assign(this.headers, headers);
    this.sendJson(status, this.bodyOf(refusal, this.requestId), type ?? 'application/json');
  }

  /** Rejects the GraphQL parameters of the request, as one event if the caller accepts nothing else. */
  refuseParameters(refusal: Refusal, accepted: Accepted): void {
    if (!respondsAsEvent(refusal.status, accepted)) return this.refuse(refusal);
    const body = JSON.stringify(this.bodyOf(refusal, this.requestId));
    this.send(200, { 'content-type': EVENTS_TYPE }, eventOf(body));
  }

  /** Reports an unexpected error. */
  readonly fail = (err: unknown): void => {
    this.#log.error({ requestId: this.requestId, err }, 'failed to respond to a request');
    this.refuse(new Refusal(500, 'Internal server error.'));
  };

  /**
   * Begins the work for the request, once no connections are waiting to be accepted; rejects the request if too much is
   * in progress. It counts only from here: while a caller is still sending or already reading, the server does no work.
   */
  begin(overload: Overload, doorway: Doorway, work: () => void | Promise<void>): void | Promise<void> {
    // A caller that has disconnected would not be noticed again, and its stream would never be closed.
    if (this.response.destroyed) return undefined;
    const leave = overload.enter();
    if (leave === null) return this.refuse(overload.refusal());
    this.leave = leave;
    const clear = doorway.whenClear();
    return clear === null ? work() : clear.then(() => (this.response.destroyed ? undefined : work()));
  }

  /**
   * Closes the connection of a caller that has not read its response after a while: Node waits indefinitely for one that
   * reads nothing, or a byte occasionally. Most responses are handed to the system at once and need no timer.
   */
  closeAfter(ms: number): void {
    const { response } = this;
    if (response.writableEnded && response.writableLength === 0) return;
    const timer = setTimeout(() => response.destroy(), ms).unref();
    response.once('close', () => clearTimeout(timer));
  }

  /** Called when the response is closed, because it has been sent or the caller has disconnected. */
  closed(): void {
    this.leave?.();
    if (!this.response.writableFinished) this.cancellation.cancel();
  }
}

function graphqlErrors({ status, message, code }: Refusal, requestId: string): object {
  return { errors: [{ message, extensions: { code, retryable: status === 503, requestId } }] };
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
