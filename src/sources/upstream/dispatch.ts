import { isUtf8 } from 'node:buffer';
import { Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import type * as Undici from 'undici';
import type { buildConnector, Dispatcher, Pool } from 'undici';
import { load } from '../../load.ts';
import { SourceError, type SourceErrorKind } from '../errors.ts';
import { HttpAnswer } from '../http-answer.ts';
import { ResponseBudget, type Reservation } from './response-budget.ts';
import type { Exchange, ExchangeOwner, Transport, UpstreamCall } from './upstream-call.ts';

const CONNECT_TIMEOUT_MS = 3_000;
const FIRST_BYTE_TIMEOUT_MS = 10_000;
const BODY_IDLE_TIMEOUT_MS = 5_000;
/** How long an idle connection is kept for another read. */
const IDLE_READ_MS = 4_000;
/**
 * How long an idle connection is kept for another write. A service that closes a connection within a second of using it
 * is restarting, and then a new one is no safer.
 */
const IDLE_WRITE_MS = 1_000;
const MAX_HEADER_BYTES = 16_384;
/**
 * Maximum bytes of one surface's responses in memory at once. A response takes two to three times its size until it is
 * parsed, and up to three times more then: a 256 MB heap survives 200 lists of 8 MiB at once.
 */
const MAX_BYTES_IN_MEMORY = 32 * 1024 * 1024;
/** Largest body read of a response with an error status, in bytes. */
const MAX_ERROR_BODY_BYTES = 64 * 1024;
const COMMON_HEADERS = ['accept', 'application/json', 'accept-encoding', 'gzip'];

// Loaded lazily so that the server starts listening 50 ms earlier.
const undici = () => load('undici') as typeof Undici;

/**
 * Opens connections to one surface: at most `connections` for reads and as many for writes, without pipelining. If
 * `baseUrl` has a path, it prefixes the path of each call. Redirects are not followed, and nothing is retried or
 * cached: a redirect would send the key to another host, and some of the service's GETs change state.
 *
 * @param proxy - the proxy through which connections are opened, by CONNECT; null for direct connections
 */
export function openTransport(baseUrl: URL, connections: number, proxy: URL | null): Transport {
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  const budget = new ResponseBudget(MAX_BYTES_IN_MEMORY);
  let pools: Pools | null = null;
  // Loaded before the first call, so that loading does not count as response time of the service.
  setImmediate(undici);
  return {
    exchange(call, owner) {
      pools ??= openPools(baseUrl.origin, connections, proxy);
      const pool = call.endpoint.repeatable ? pools.reads : pools.writes;
      return new HttpExchange({ pool, prefix, budget }, call, owner);
    },
    async close() {
      await Promise.all([pools?.reads.destroy(), pools?.writes.destroy(), pools?.tunnels?.destroy()]);
    },
  };
}

interface Pools {
  readonly reads: Pool;
  readonly writes: Pool;
  /** The connections to the proxy that are not tunnels yet; null without a proxy. */
  readonly tunnels: Pool | null;
}

function openPools(origin: string, connections: number, proxy: URL | null): Pools {
  const { Pool: Connections } = undici();
  const tunnels =
    proxy &&
    new Connections(proxy.origin, {
      headersTimeout: FIRST_BYTE_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      connect: { timeout: CONNECT_TIMEOUT_MS },
    });
  const options = {
    connections,
    pipelining: 1,
    headersTimeout: FIRST_BYTE_TIMEOUT_MS,
    bodyTimeout: BODY_IDLE_TIMEOUT_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    connect: proxy && tunnels ? tunnelThrough(tunnels, proxy) : { timeout: CONNECT_TIMEOUT_MS },
  };
  // The longest idle time is given too, because the service's keep-alive hint would otherwise override the limit.
  const poolFor = (idleMs: number): Pool =>
    new Connections(origin, { ...options, keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs });
  return { tunnels, reads: poolFor(IDLE_READ_MS), writes: poolFor(IDLE_WRITE_MS) };
}

/** A failure to open a tunnel. */
class TunnelError extends Error {
  readonly code: string;

  constructor(code: 'ERR_PROXY_UNREACHABLE' | 'ERR_PROXY_REFUSED', message: string, cause?: Error) {
    super(message, { cause });
    this.code = code;
  }
}

/**
 * Connects to the surface through a tunnel of a proxy. undici's own agents for proxies connect again at once, and without
 * end, when a proxy closes its connection.
 */
function tunnelThrough(tunnels: Pool, { username, password }: URL): buildConnector.connector {
  const connectSecurely = undici().buildConnector({ timeout: CONNECT_TIMEOUT_MS });
  const user = [username, password].map(decodeURIComponent).join(':');
  const authorization = `Basic ${Buffer.from(user).toString('base64')}`;
  return (options, callback) => {
    const authority = options.port === '' ? `${options.host}:443` : String(options.host);
    const headers = {
      host: authority,
      ...(username === '' ? {} : { 'proxy-authorization': authorization }),
    };
    tunnels.connect({ path: authority, headers }, (error, data) => {
      if (error) return callback(new TunnelError('ERR_PROXY_UNREACHABLE', 'no proxy', error), null);
      const { socket, statusCode } = data;
      const isOpen = statusCode >= 200 && statusCode < 300 && socket instanceof Socket;
      if (isOpen) return connectSecurely({ ...options, httpSocket: socket }, callback);
      socket.on('error', () => undefined).destroy();
      return callback(new TunnelError('ERR_PROXY_REFUSED', `the proxy returned HTTP ${statusCode}`), null);
    });
  };
}

interface Connections {
  readonly pool: Pool;
  readonly prefix: string;
  readonly budget: ResponseBudget;
}

/** One request, using undici's handler interface: `Pool.request` would create a stream that is never read as one. */
class HttpExchange implements Exchange, Dispatcher.DispatchHandler {
  readonly #connections: Connections;
  readonly #call: UpstreamCall;
  readonly #owner: ExchangeOwner;
  readonly #reservation: Reservation;
  #controller: Dispatcher.DispatchController | null = null;
  #outcome: HttpAnswer | SourceError | null = null;
  #status = 0;
  #headers: HttpAnswer['headers'] = {};
  #size = 0;
  readonly #chunks: Buffer[] = [];

  constructor(connections: Connections, call: UpstreamCall, owner: ExchangeOwner) {
    this.#connections = connections;
    this.#call = call;
    this.#owner = owner;
    this.#reservation = connections.budget.open(call.endpoint.maxBodyBytes);
  }

  send(traceHeaders: readonly string[] = []): void {
    const { pool, prefix } = this.#connections;
    pool.dispatch(dispatchOptions(this.#call, prefix, traceHeaders), this);
  }

  abort(kind: SourceErrorKind): void {
    this.#fail(this.#isSent || this.#call.endpoint.repeatable ? kind : 'unreachable');
  }

  /** False if nothing was sent: undici starts a request when it has a connection, after any TLS handshake. */
  get #isSent(): boolean {
    return this.#controller !== null;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#outcome instanceof SourceError) controller.abort(this.#outcome);
  }

  onResponseStart(_controller: unknown, status: number, headers: HttpAnswer['headers']): void {
    // An informational response; the final one follows.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    this.#makeRoom(Number(headers['content-length']) || 0);
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.#size += chunk.length;
    this.#chunks.push(chunk);
    this.#makeRoom(this.#size);
  }

  onResponseEnd(): void {
    const body = decompressed(this.#chunks, this.#limit);
    this.#makeRoom(body.length);
    const text = decodeUtf8(body);
    if (text === null)
      this.#fail('malformed', new Error('invalid UTF-8, or gzip data that is corrupt or too large'));
    else this.#end(new HttpAnswer({ status: this.#status, headers: this.#headers, text }));
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#fail(this.#isSent ? kindOf(error) : 'unreachable', error);
  }

  get #limit(): number {
    return this.#status < 400 ? this.#call.endpoint.maxBodyBytes : MAX_ERROR_BODY_BYTES;
  }

  #makeRoom(bytes: number): void {
    if (bytes > this.#limit) this.#fail('malformed', new Error('too large'));
    // A write's outcome must be known, so its response may exceed the budget.
    else if (!this.#reservation.reserve(bytes) && this.#call.endpoint.repeatable)
      this.#fail('overloaded', new Error('too many large responses at once'));
  }

  #fail(kind: SourceErrorKind, cause?: Error): void {
    if (this.#outcome !== null) return;
    const { name, surface } = this.#call.endpoint;
    const error = new SourceError(kind, surface, `${name}: ${kind}`, {
      endpoint: name,
      ...(cause ? { cause } : {}),
      ...(kind === 'overloaded' ? { publicMessage: 'Too much data is being read at once.' } : {}),
    });
    this.#end(error);
    this.#controller?.abort(error);
  }

  #end(outcome: HttpAnswer | SourceError): void {
    if (this.#outcome !== null) return;
    this.#outcome = outcome;
    this.#owner.ended(outcome);
    // A small response is parsed before anything else can arrive, a large one in a later turn.
    if (outcome instanceof HttpAnswer && outcome.isLarge) setImmediate(() => this.#reservation.release());
    else this.#reservation.release();
  }
}

function dispatchOptions(
  call: UpstreamCall,
  prefix: string,
  traceHeaders: readonly string[],
): Dispatcher.DispatchOptions {
  const { endpoint, body } = call;
  const options: Dispatcher.DispatchOptions = {
    path: prefix + call.path,
    method: endpoint.method,
    // undici considers every GET idempotent unless told otherwise.
    idempotent: endpoint.repeatable,
    headers: [...call.headers, ...COMMON_HEADERS, ...traceHeaders],
    body: body ?? null,
  };
  // A write gets its full deadline: giving up earlier would only leave its outcome unknown.
  return endpoint.repeatable ? options : { ...options, headersTimeout: 0, bodyTimeout: 0 };
}

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Returns a body of at most `limit` bytes, decompressed if it is gzip; as it is if that fails. A body that begins as gzip
 * does cannot be UTF-8, so its bytes show what it is. `content-encoding` does not: services also send it with a charset,
 * with `none`, or after a proxy has decompressed the body.
 */
function decompressed(chunks: readonly Buffer[], limit: number): Buffer {
  const [first = Buffer.alloc(0)] = chunks;
  const body = chunks.length > 1 ? Buffer.concat(chunks) : first;
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body;
  try {
    // Takes less time than parsing the result.
    return gunzipSync(body, { maxOutputLength: limit });
  } catch {
    return body;
  }
}

/** Decodes a body without its byte order mark. Returns null if it is not UTF-8. */
function decodeUtf8(bytes: Buffer): string | null {
  if (!isUtf8(bytes)) return null;
  const text = bytes.toString();
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

const TIMEOUTS: ReadonlySet<string> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
const BROKEN_RESPONSE = /^(?:HPE_|UND_ERR_(?:RES|HEADERS_OVERFLOW|RESPONSE))/;

function kindOf(error: Error): SourceErrorKind {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (TIMEOUTS.has(code)) return 'timeout';
  if (BROKEN_RESPONSE.test(code) || error instanceof undici().errors.HTTPParserError) return 'malformed';
  return 'unavailable';
}
