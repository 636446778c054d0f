import { isUtf8 } from 'node:buffer';
import { Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { buildConnector, errors, Pool, type Dispatcher } from 'undici';
import type { Endpoint } from '../endpoint.ts';
import { SourceError, type SourceErrorDetails, type SourceErrorKind } from '../errors.ts';

/** A request to a surface. Path, query and header values are already encoded. */
export interface Request {
  readonly endpoint: Endpoint;
  readonly path: string;
  /** Alternating names and values. */
  readonly headers: readonly string[];
  readonly body?: string | undefined;
  /** Whether the call may still be sent once it can be; if not, it ends as `overloaded`. */
  readonly mayBeSent?: (() => boolean) | undefined;
}

/** Sends requests to one surface, each exactly once. */
export interface Transport {
  /** @param traceHeaders - alternating names and values of headers that propagate a trace */
  send(request: Request, handler: Dispatcher.DispatchHandler, traceHeaders?: readonly string[]): void;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 3_000;
/** How long a response may be silent, before its first byte and after. Two different times would take two timers. */
const SILENCE_TIMEOUT_MS = 10_000;
/** How long an idle connection is kept for another read. */
const IDLE_READ_MS = 4_000;
/**
 * How long an idle connection is kept for another write. A service that closes a connection within a second of using it
 * is restarting, and then a new one is no safer.
 */
const IDLE_WRITE_MS = 1_000;
const MAX_HEADER_BYTES = 16_384;
/** Largest body read of a response with an error status, in bytes. */
export const MAX_ERROR_BODY_BYTES = 64 * 1024;
const COMMON_HEADERS = ['accept', 'application/json', 'accept-encoding', 'gzip'];

/**
 * Opens connections to one surface: at most `connections` for reads and as many for writes, without pipelining. If
 * `baseUrl` has a path, it prefixes the path of each call. Redirects are not followed, and nothing is retried or
 * cached: a redirect would send the key to another host, and some of the service's GETs change state.
 *
 * @param proxy - the proxy through which connections are opened, by CONNECT; null for direct connections
 */
export function openTransport(baseUrl: URL, connections: number, proxy: URL | null): Transport {
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  const common = { headersTimeout: SILENCE_TIMEOUT_MS, maxHeaderSize: MAX_HEADER_BYTES };
  const direct = { timeout: CONNECT_TIMEOUT_MS };
  // The connections to the proxy that are not tunnels yet.
  const tunnels = proxy && new Pool(proxy.origin, { ...common, connect: direct });
  const poolFor = (idleMs: number): Pool =>
    new Pool(baseUrl.origin, {
      ...common,
      connections,
      pipelining: 1,
      bodyTimeout: SILENCE_TIMEOUT_MS,
      // The longest idle time is given too, because the service's keep-alive hint would otherwise override the limit.
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      connect: proxy && tunnels ? tunnelThrough(tunnels, proxy) : direct,
    });
  const reads = poolFor(IDLE_READ_MS);
  const writes = poolFor(IDLE_WRITE_MS);
  return {
    send(request, handler, traceHeaders = []) {
      const pool = request.endpoint.repeatable ? reads : writes;
      pool.dispatch(dispatchOptions(request, prefix, traceHeaders), handler);
    },
    async close() {
      await Promise.all([reads.destroy(), writes.destroy(), tunnels?.destroy()]);
    },
  };
}

/**
 * Connects to the surface through a tunnel of a proxy. undici's own agents for proxies connect again at once, and without
 * end, when a proxy closes its connection.
 */
function tunnelThrough(tunnels: Pool, { username, password }: URL): buildConnector.connector {
  const connectSecurely = buildConnector({ timeout: CONNECT_TIMEOUT_MS });
  const user = [username, password].map(decodeURIComponent).join(':');
  const authorization = `Basic ${Buffer.from(user).toString('base64')}`;
  return (options, callback) => {
    const authority = options.port === '' ? `${options.host}:443` : String(options.host);
    const headers = {
      host: authority,
      ...(username === '' ? {} : { 'proxy-authorization': authorization }),
    };
    tunnels.connect({ path: authority, headers }, (error, data) => {
      if (error) return callback(new Error(`the proxy is unreachable: ${error.message}`), null);
      const { socket, statusCode } = data;
      const isOpen = statusCode >= 200 && statusCode < 300 && socket instanceof Socket;
      if (isOpen) return connectSecurely({ ...options, httpSocket: socket }, callback);
      socket.on('error', () => undefined).destroy();
      return callback(new Error(`the proxy returned HTTP ${statusCode}`), null);
    });
  };
}

function dispatchOptions(
  { endpoint, path, headers, body }: Request,
  prefix: string,
  traceHeaders: readonly string[],
): Dispatcher.DispatchOptions {
  const { method, repeatable } = endpoint;
  const options: Dispatcher.DispatchOptions = {
    path: prefix + path,
    method,
    // undici considers every GET idempotent unless told otherwise.
    idempotent: repeatable,
    headers: [...headers, ...COMMON_HEADERS, ...traceHeaders],
    body: body ?? null,
  };
  // A write gets its full deadline: giving up earlier would only leave its outcome unknown.
  return repeatable ? options : { headersTimeout: 0, bodyTimeout: 0, ...options };
}

/** Stands for a body that is too large. */
export const TOO_LARGE = Symbol('too large');

/**
 * Returns a body of at most `limit` bytes, decompressed and without its byte order mark; null if it is not UTF-8. A body
 * that begins as gzip does cannot be UTF-8, so its bytes show what it is. `content-encoding` does not: services also send
 * it with a charset, with `none`, or after a proxy has decompressed the body.
 */
export function bodyOf(chunks: readonly Buffer[], limit: number): Buffer | null | typeof TOO_LARGE {
  const [first = Buffer.alloc(0)] = chunks;
  const received = chunks.length > 1 ? Buffer.concat(chunks) : first;
  const isGzip = received[0] === 0x1f && received[1] === 0x8b;
  const body = isGzip ? decompressed(received, limit) : received;
  if (body === TOO_LARGE) return TOO_LARGE;
  if (body === null || !isUtf8(body)) return null;
  const hasMark = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
  return hasMark ? body.subarray(3) : body;
}

function decompressed(bytes: Buffer, limit: number): Buffer | null | typeof TOO_LARGE {
  try {
    // Takes less time than parsing the result.
    return gunzipSync(bytes, { maxOutputLength: limit });
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    return isTooLarge ? TOO_LARGE : null;
  }
}

const TIMEOUTS: ReadonlySet<string> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
const BROKEN_RESPONSE = /^(?:HPE_|UND_ERR_(?:RES|HEADERS_OVERFLOW|RESPONSE))/;

/** Returns how a request failed that was sent, by undici's error. */
export function kindOf(error: Error): SourceErrorKind {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (TIMEOUTS.has(code)) return 'timeout';
  if (BROKEN_RESPONSE.test(code) || error instanceof errors.HTTPParserError) return 'malformed';
  return 'unavailable';
}

/** Creates the error of a call without a response. */
export function failureOf(
  { endpoint: { name, surface } }: Request,
  kind: SourceErrorKind,
  { cause, publicMessage }: Pick<SourceErrorDetails, 'cause' | 'publicMessage'> = {},
): SourceError {
  return new SourceError(kind, surface, `${name}: ${kind}`, {
    endpoint: name,
    cause,
    publicMessage: kind === 'overloaded' ? 'Too much data is being read at once.' : publicMessage,
  });
}
