import type * as Undici from 'undici';
import type { Dispatcher, Pool } from 'undici';
import { createAnswerRoom, type AnswerRoom } from './answer-room.ts';
import { deadlines } from './deadline.ts';
import type { Endpoint } from './endpoint.ts';
import type { HttpAnswer } from './http-answer.ts';
import { exchange, NoRoom, UnusableAnswer } from './exchange.ts';
import { traced } from '../tracing.ts';
import { SourceError, type SourceErrorKind, type Surface } from './errors.ts';
import { load } from '../load.ts';

/** One request to a surface; path and query are encoded already. */
export interface HttpRequest {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** A name for the holder of the credential that tells nothing of it. */
  readonly caller: string;
  /** Aborts the call when the operation it belongs to ends. */
  readonly signal?: AbortSignal;
  /** When the operation it belongs to must have ended, in the milliseconds of `performance.now`. */
  readonly endsAt?: number;
  /** Milliseconds until the whole answer must be there, where that is less than the endpoint allows. */
  readonly deadlineMs?: number;
  /** True where a read that began earlier, for somebody else, is not good enough. */
  readonly isFresh?: boolean;
  /** Told of each time that it was sent, once that has ended. */
  readonly onCall?: (call: FinishedCall) => void;
}

/** One call to the service, for logs and metrics; it holds nothing of the caller's or the service's data. */
export interface FinishedCall {
  readonly endpoint: string;
  readonly surface: Surface;
  /** HTTP status, or null where no answer came. */
  readonly status: number | null;
  /** How the call failed, or null where an answer came, whatever its status. */
  readonly failure: SourceErrorKind | null;
  readonly durationMs: number;
}

/** The connections to one surface. */
export interface SurfaceHttp {
  /**
   * Sends once, never again; fails with a SourceError: `unreachable`, `unavailable`, `timeout`, `malformed`, `cancelled`,
   * and a read also with `overloaded`, where too many large answers are in hand.
   */
  send(request: HttpRequest): Promise<HttpAnswer>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 3_000;
const FIRST_BYTE_TIMEOUT_MS = 10_000;
const BODY_IDLE_TIMEOUT_MS = 5_000;
const IDLE_CONNECTION_MS = 4_000;
const MAX_HEADER_BYTES = 16_384;
/**
 * Most bytes of answers of one surface that are in hand at once. An answer costs two to three times its size until it is
 * parsed, and up to three times more then: 200 lists of 8 MiB at once are survived with a heap of 256 MB.
 */
const MAX_BYTES_IN_HAND = 32 * 1024 * 1024;

// The server listens 50 ms earlier without it.
const undici = () => load('undici') as typeof Undici;

/**
 * Opens connections to one surface, at most 64 for reads and as many for writes, without pipelining. `baseUrl` may have a path, under which
 * the surface then lives. No redirect is followed, nothing is repeated, cached or merged: a redirect would carry the
 * key to another host, and some of the service's GETs change state.
 */
export function openSurface(surface: Surface, baseUrl: URL, connections = 64): SurfaceHttp {
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  const room = createAnswerRoom(MAX_BYTES_IN_HAND);
  let pools: Pools | null = null;
  // By the first call it is there: loading it then would count as the service's time.
  setImmediate(undici);
  return {
    send: (request) => {
      pools ??= openPools(baseUrl.origin, connections);
      const pool = request.endpoint.repeatable ? pools.reads : pools.writes;
      return observed(request, () =>
        sendOnce({ pool, surface, room }, { ...request, path: prefix + request.path }),
      );
    },
    close: async () => {
      await Promise.all([pools?.reads.destroy(), pools?.writes.destroy()]);
    },
  };
}

interface Pools {
  readonly reads: Pool;
  readonly writes: Pool;
}

function openPools(origin: string, connections: number): Pools {
  const { Pool: Connections } = undici();
  const options = {
    connections,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    // Or else the service's own word for how long it keeps a connection would count.
    keepAliveMaxTimeout: IDLE_CONNECTION_MS,
    headersTimeout: FIRST_BYTE_TIMEOUT_MS,
    bodyTimeout: BODY_IDLE_TIMEOUT_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  };
  return {
    reads: new Connections(origin, { ...options, pipelining: 1 }),
    // A connection that was used before may be closed from the other side just as a request sets out, and then nobody
    // knows whether it arrived. So a write gets a connection of its own.
    writes: new Connections(origin, { ...options, pipelining: 0 }),
  };
}

async function observed(
  { endpoint, onCall }: HttpRequest,
  send: () => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const startedAt = performance.now();
  let status: number | null = null;
  let failure: SourceErrorKind | null = null;
  try {
    const answer = await traced(spanOf(endpoint), send);
    status = answer.status;
    return answer;
  } catch (error) {
    failure = error instanceof SourceError ? error.kind : 'unavailable';
    throw error;
  } finally {
    const { name, surface } = endpoint;
    onCall?.({ endpoint: name, surface, status, failure, durationMs: performance.now() - startedAt });
  }
}

function conclude({ status }: HttpAnswer) {
  return { hasFailed: status >= 400, attributes: { 'http.response.status_code': status } };
}

function spanOf({ name, method, path, surface }: Endpoint) {
  const attributes = { 'http.request.method': method, 'url.template': path, 'service.surface': surface };
  return { name, isCall: true, attributes, conclude };
}

interface Connections {
  readonly pool: Pool;
  readonly surface: Surface;
  readonly room: AnswerRoom;
}

/** Why a call is given up. */
class GivenUp extends Error {
  readonly kind: SourceErrorKind;

  constructor(kind: SourceErrorKind) {
    super(kind);
    this.kind = kind;
  }
}

async function sendOnce({ pool, surface, room }: Connections, request: HttpRequest): Promise<HttpAnswer> {
  const { endpoint, signal } = request;
  const space = room.open(endpoint.maxBodyBytes);
  const { answer, giveUp } = exchange(pool, { request: dispatchOf(request), endpoint, space });
  const onAbort = (): void => giveUp(new GivenUp('cancelled'));
  const timer = setTimeout(() => giveUp(new GivenUp('timeout')), Math.ceil(deadlines.of(request)));
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await answer;
  } catch (error) {
    throw classify(error, { surface, endpoint });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    // Who receives the answer parses it at once, or in the next turn if it is large.
    setImmediate(() => setImmediate(() => space.leave()));
  }
}

function dispatchOf({ path, headers, body, endpoint }: HttpRequest): Dispatcher.DispatchOptions {
  return {
    path,
    method: endpoint.method,
    // undici takes every GET for repeatable unless told otherwise.
    idempotent: endpoint.repeatable,
    headers: { ...headers, accept: 'application/json', 'accept-encoding': 'identity' },
    body: body ?? null,
    // What has an effect is waited for until its deadline: giving up earlier would only leave its outcome unknown.
    ...(endpoint.repeatable ? {} : { headersTimeout: 0, bodyTimeout: 0 }),
  };
}

const CONNECT_CALLS: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);
const TLS_FAILURE = /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH)/;
const TIMEOUTS: ReadonlySet<string> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
const BROKEN_ANSWER = /^(?:HPE_|UND_ERR_(?:RES|HEADERS_OVERFLOW|RESPONSE))/;

interface FailedCall {
  readonly surface: Surface;
  readonly endpoint: Endpoint;
}

function classify(error: unknown, { surface, endpoint }: FailedCall): SourceError {
  const kind = kindOf(error);
  return new SourceError(kind, surface, `${endpoint.name}: ${kind}`, {
    endpoint: endpoint.name,
    cause: error,
    ...(kind === 'overloaded' ? { publicMessage: 'Too much is being read at once.' } : {}),
  });
}

function kindOf(error: unknown): SourceErrorKind {
  if (error instanceof GivenUp) return error.kind;
  if (error instanceof UnusableAnswer) return 'malformed';
  if (error instanceof NoRoom) return 'overloaded';
  const code = codeOf(error);
  if (isConnectFailure(error) || TLS_FAILURE.test(code)) return 'unreachable';
  if (TIMEOUTS.has(code)) return 'timeout';
  if (BROKEN_ANSWER.test(code) || error instanceof undici().errors.HTTPParserError) return 'malformed';
  return 'unavailable';
}

// Only a failure to connect leaves it certain that no byte of the request left this process; the same codes can come
// from a connection that has carried it.
function isConnectFailure(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isConnectFailure);
  if (codeOf(error) === 'UND_ERR_CONNECT_TIMEOUT') return true;
  return error instanceof Error && 'syscall' in error && CONNECT_CALLS.has(error.syscall);
}

function codeOf(error: unknown): string {
  // A host with several addresses fails with an AggregateError whose own code is that of its parts.
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
