import { errors, Pool, type Dispatcher } from 'undici';
import type { Endpoint } from './endpoint.ts';
import { SourceError, type SourceErrorKind, type Surface } from './errors.ts';

/** One request to a surface; path and query are encoded already. */
export interface HttpRequest {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Aborts the call when the operation it belongs to ends. */
  readonly signal?: AbortSignal;
}

/** A complete answer, whatever its status. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** The connections to one surface. */
export interface SurfaceHttp {
  /** Sends once, never again; fails with a SourceError: `unreachable`, `unavailable`, `timeout`, `malformed`, `cancelled`. */
  send(request: HttpRequest): Promise<HttpAnswer>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 3_000;
const FIRST_BYTE_TIMEOUT_MS = 10_000;
const BODY_IDLE_TIMEOUT_MS = 5_000;
const IDLE_CONNECTION_MS = 4_000;
const MAX_CONNECTIONS = 64;
const MAX_HEADER_BYTES = 16_384;
/** Largest answer with an error status that is read, in bytes. */
const MAX_ERROR_BODY_BYTES = 64 * 1024;

/**
 * Opens connections to one surface, at most 64 for reads and as many for writes, without pipelining. `baseUrl` may have a path, under which
 * the surface then lives. No redirect is followed, nothing is repeated, cached or merged: a redirect would carry the
 * key to another host, and some of the service's GETs change state.
 */
export function openSurface(surface: Surface, baseUrl: URL): SurfaceHttp {
  const options = {
    connections: MAX_CONNECTIONS,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    headersTimeout: FIRST_BYTE_TIMEOUT_MS,
    bodyTimeout: BODY_IDLE_TIMEOUT_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  };
  const reads = new Pool(baseUrl.origin, { ...options, pipelining: 1 });
  // A connection that was used before may be closed from the other side just as a request sets out, and then nobody knows
  // whether it arrived. So a write gets a connection of its own.
  const writes = new Pool(baseUrl.origin, { ...options, pipelining: 0 });
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  return {
    send: (request) => {
      const pool = request.endpoint.repeatable ? reads : writes;
      return sendOnce(pool, { ...request, path: prefix + request.path }, surface);
    },
    close: async () => {
      await Promise.all([reads.destroy(), writes.destroy()]);
    },
  };
}

async function sendOnce(pool: Pool, request: HttpRequest, surface: Surface): Promise<HttpAnswer> {
  const deadline = AbortSignal.timeout(request.endpoint.deadlineMs);
  const signal = request.signal ? AbortSignal.any([deadline, request.signal]) : deadline;
  try {
    const answer = await pool.request({
      path: request.path,
      method: request.endpoint.method,
      // undici takes every GET for repeatable unless told otherwise.
      idempotent: request.endpoint.repeatable,
      headers: { ...request.headers, accept: 'application/json', 'accept-encoding': 'identity' },
      body: request.body ?? null,
      // What has an effect is waited for until its deadline: giving up earlier would only leave its outcome unknown.
      ...(request.endpoint.repeatable ? {} : { headersTimeout: 0, bodyTimeout: 0 }),
      signal,
    });
    const text = await readText(answer, request.endpoint);
    return { status: answer.statusCode, headers: answer.headers, text };
  } catch (error) {
    throw classify(error, { surface, endpoint: request.endpoint, deadline, caller: request.signal });
  }
}

/** An answer that can't be taken; classified as `malformed`. */
class UnusableAnswer extends Error {}

async function readText(answer: Dispatcher.ResponseData, endpoint: Endpoint): Promise<string> {
  const limit = answer.statusCode < 400 ? endpoint.maxBodyBytes : MAX_ERROR_BODY_BYTES;
  const encoding = answer.headers['content-encoding'];
  try {
    if (encoding !== undefined && encoding !== 'identity')
      throw new UnusableAnswer('an encoding that was not asked for');
    if (Number(answer.headers['content-length'] ?? 0) > limit) throw new UnusableAnswer('too large');
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) throw new UnusableAnswer('too large');
      chunks.push(chunk);
    }
    return decodeUtf8(Buffer.concat(chunks));
  } catch (error) {
    answer.body.on('error', () => undefined).destroy();
    throw error;
  }
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UnusableAnswer('not UTF-8');
  }
}

const CONNECT_CALLS: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);
const TLS_FAILURE = /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH)/;
const TIMEOUTS: ReadonlySet<string> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
const BROKEN_ANSWER = /^(?:HPE_|UND_ERR_(?:RES|HEADERS_OVERFLOW|RESPONSE))/;

interface FailedCall {
  readonly surface: Surface;
  readonly endpoint: Endpoint;
  readonly deadline: AbortSignal;
  readonly caller: AbortSignal | undefined;
}

function classify(error: unknown, call: FailedCall): SourceError {
  const kind = kindOf(error, call);
  return new SourceError(kind, call.surface, `${call.endpoint.name}: ${kind}`, {
    endpoint: call.endpoint.name,
    cause: error,
  });
}

function kindOf(error: unknown, call: FailedCall): SourceErrorKind {
  if (call.caller?.aborted) return 'cancelled';
  if (call.deadline.aborted) return 'timeout';
  if (error instanceof UnusableAnswer) return 'malformed';
  const code = codeOf(error);
  if (isConnectFailure(error) || TLS_FAILURE.test(code)) return 'unreachable';
  if (TIMEOUTS.has(code)) return 'timeout';
  if (BROKEN_ANSWER.test(code) || error instanceof errors.HTTPParserError) return 'malformed';
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
