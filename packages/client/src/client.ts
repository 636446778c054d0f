import { ConnectionError, GraphError, type ErrorOfGraph } from './errors.ts';
import { headersOf, type HeaderOptions } from './headers.ts';
import type { TypedDocument } from './typed-document.ts';

/** Longer than the server works on one write. */
const TIMEOUT_MS = 40_000;

/** How a client reaches the graph. */
export interface ClientOptions extends HeaderOptions {
  /** Address of the graph, such as `https://example.com/graphql`. In a page it may be relative. */
  readonly url: string;
  /** How long one request may take, 40,000 ms by default. */
  readonly timeoutMs?: number | undefined;
  /** Sends the requests; the platform's `fetch` by default. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** The class of WebSockets for `follow`. Node 20 has none: pass `WebSocket` of the package `ws`. */
  readonly webSocketImpl?: unknown;
}

/** How one request is sent. */
export interface RequestOptions {
  /** Cancels the request, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/** A client of the graph. It keeps no connection open by itself. */
export interface Client {
  /** The options that it was created with, with an absolute `url`. */
  readonly options: ClientOptions;
  /**
   * Sends a query or a mutation, once, and returns its data. It never repeats anything by itself.
   *
   * @throws {GraphError} if the response has errors; its `data` has the fields that were answered nevertheless.
   * @throws {ConnectionError} if there is no response of the graph.
   */
  readonly request: Request;
}

/** Variables may be left out if a document requires none. Compilers report errors against the last form. */
interface Request {
  <Result>(
    document: TypedDocument<Result, Record<string, never>>,
    variables?: undefined,
    options?: RequestOptions,
  ): Promise<Result>;
  <Result, Variables>(
    document: TypedDocument<Result, Variables>,
    variables: NoInfer<Variables>,
    options?: RequestOptions,
  ): Promise<Result>;
}

/** Creates a client. Nothing is sent yet. */
export function createClient(given: ClientOptions): Client {
  const page = (globalThis as { readonly location?: { readonly href: string } }).location?.href;
  const options = { ...given, url: new URL(given.url, page).href };
  return {
    options,
    request: async <Result>(document: unknown, variables?: unknown, { signal }: RequestOptions = {}) => {
      const body = JSON.stringify({ query: String(document), variables });
      return dataOf(await exchange(options, body, signal)) as Result;
    },
  };
}

async function exchange(
  options: ClientOptions,
  body: string,
  signal: AbortSignal | undefined,
): Promise<ReceivedResponse> {
  const { url, timeoutMs = TIMEOUT_MS } = options;
  const headers = {
    ...(await headersOf(options)),
    accept: 'application/graphql-response+json, application/json',
    'content-type': 'application/json',
  };
  const deadline = AbortSignal.timeout(timeoutMs);
  const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
  try {
    const send = options.fetch ?? globalThis.fetch;
    // A redirect would carry the API key to another address.
    const response = await send(url, { method: 'POST', headers, body, redirect: 'error', signal: either });
    const retryAfter = response.headers.get('retry-after');
    return { status: response.status, retryAfter, body: await response.text() };
  } catch (cause) {
    signal?.throwIfAborted();
    const message = deadline.aborted
      ? `There was no response within ${timeoutMs} ms.`
      : 'The request failed before its response was complete.';
    throw new ConnectionError(message, { retryable: true, cause });
  }
}

/** A response whose body was read to its end. */
interface ReceivedResponse {
  readonly status: number;
  /** The header `retry-after`. */
  readonly retryAfter: string | null;
  readonly body: string;
}

/**
 * The data of a GraphQL response.
 *
 * @throws {GraphError} if it has errors.
 * @throws {ConnectionError} if it is not a GraphQL response.
 */
function dataOf({ status, retryAfter, body }: ReceivedResponse): unknown {
  const { data, errors } = parse(body);
  const retryAfterMs = retryAfter === null ? null : millisecondsOf(retryAfter);
  if (Array.isArray(errors) && errors.length > 0)
    throw new GraphError(errors as ErrorOfGraph[], { data, status, retryAfterMs });
  if (typeof data === 'object' && data !== null) return data;
  const retryable = status >= 500 || status === 429 || status === 408;
  const message = `The response with status ${status} is not a GraphQL response.`;
  throw new ConnectionError(message, { retryable, status, retryAfterMs });
}

function parse(body: string): { readonly data?: unknown; readonly errors?: unknown } {
  try {
    return (JSON.parse(body) ?? {}) as object;
  } catch {
    return {};
  }
}

/** The header is a number of seconds or a date. */
function millisecondsOf(retryAfter: string): number | null {
  // `Date.parse` would read 1.5 as a day in 2001.
  const ms = /^[\d.]+$/.test(retryAfter)
    ? Math.ceil(Number(retryAfter) * 1_000)
    : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
