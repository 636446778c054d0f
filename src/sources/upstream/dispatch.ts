import { isUtf8 } from 'node:buffer';
import type * as Undici from 'undici';
import type { Dispatcher, Pool } from 'undici';
import { load } from '../../load.ts';
import type { Endpoint } from '../endpoint.ts';
import { SourceError, type SourceErrorKind } from '../errors.ts';
import { HttpAnswer } from '../http-answer.ts';
import { ResponseBudget, type Reservation } from './response-budget.ts';
import type { Exchange, ExchangeOwner, Transport, UpstreamCall } from './upstream-call.ts';

const CONNECT_TIMEOUT_MS = 3_000;
const FIRST_BYTE_TIMEOUT_MS = 10_000;
const BODY_IDLE_TIMEOUT_MS = 5_000;
const IDLE_CONNECTION_MS = 4_000;
const MAX_HEADER_BYTES = 16_384;
/**
 * The service may close an idle connection just as a write sets out, and then nobody knows whether it arrived. So a write
 * uses a connection again only if the service has announced that it keeps connections for seconds longer than this. A
 * restart of the service can still strike, in a window as long as the one in which it strikes a new connection: from the
 * time a FIN would need to get here until the request is there. Whatever happens, a write is never sent again.
 */
const IDLE_WRITE_CONNECTION_MS = 1_000;
/** undici allows for two seconds less than the service announces. */
const MIN_ANNOUNCED_SECONDS = 3;
/**
 * Most bytes of one surface's responses that are in memory at once. A response costs two to three times its size until
 * it is parsed, and up to three times more then: 200 lists of 8 MiB at once are survived with a heap of 256 MB.
 */
const MAX_BYTES_IN_MEMORY = 32 * 1024 * 1024;
/** Largest response with an error status that is read, in bytes. */
const MAX_ERROR_BODY_BYTES = 64 * 1024;
const COMMON_HEADERS = ['accept', 'application/json', 'accept-encoding', 'identity'];

// Loaded late: the server listens 50 ms earlier.
const undici = () => load('undici') as typeof Undici;

/**
 * Opens connections to one surface, without pipelining: at most `connections` for reads and as many for writes.
 * `baseUrl` may have a path, under which the surface then lives. No redirect is followed, and nothing is repeated or
 * cached: a redirect would carry the key to another host, and some of the service's GETs change state.
 */
export function openTransport(baseUrl: URL, connections: number): Transport {
  return new HttpTransport(baseUrl, connections);
}

class HttpTransport implements Transport {
  readonly prefix: string;
  readonly budget = new ResponseBudget(MAX_BYTES_IN_MEMORY);
  readonly #origin: string;
  readonly #connections: number;
  #pools: Pools | null = null;
  /** False once a response has not announced that its connection stays open, until another does. */
  #keepsConnections = true;

  constructor({ origin, pathname }: URL, connections: number) {
    this.#origin = origin;
    this.prefix = pathname.replace(/\/+$/, '');
    this.#connections = connections;
    // Loaded before the first call, which would otherwise count it as the service's time.
    setImmediate(undici);
  }

  exchange(call: UpstreamCall, owner: ExchangeOwner): Exchange {
    return new HttpExchange(this, call, owner);
  }

  poolFor({ repeatable }: Endpoint): Pool {
    const pools = (this.#pools ??= openPools(this.#origin, this.#connections));
    if (repeatable) return pools.reads;
    return this.#keepsConnections ? pools.keptWrites : pools.singleWrites;
  }

  noteHeaders(pool: Pool, headers: HttpAnswer['headers']): void {
    // These requests ask for the connection to be closed.
    if (pool === this.#pools?.singleWrites) return;
    this.#keepsConnections = announcedSeconds(headers['keep-alive']) >= MIN_ANNOUNCED_SECONDS;
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#pools ?? {}).map(async (pool: Pool) => await pool.destroy()));
  }
}

function announcedSeconds(header: string | string[] | undefined): number {
  return typeof header === 'string' ? Number(/timeout=(\d{1,9})/.exec(header)?.[1] ?? 0) : 0;
}

interface Pools {
  readonly reads: Pool;
  /** A connection for each write. */
  readonly singleWrites: Pool;
  /** Connections of which each carries a write only shortly after the response to the one before. */
  readonly keptWrites: Pool;
}

function openPools(origin: string, connections: number): Pools {
  const { Pool: Connections } = undici();
  const open = (pipelining: number, idleMs: number, unannouncedIdleMs = idleMs): Pool =>
    new Connections(origin, {
      connections,
      pipelining,
      keepAliveTimeout: unannouncedIdleMs,
      // Otherwise the service's own word on how long it keeps a connection would count.
      keepAliveMaxTimeout: idleMs,
      headersTimeout: FIRST_BYTE_TIMEOUT_MS,
      bodyTimeout: BODY_IDLE_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      connect: { timeout: CONNECT_TIMEOUT_MS },
    });
  return {
    reads: open(1, IDLE_CONNECTION_MS),
    singleWrites: open(0, IDLE_CONNECTION_MS),
    keptWrites: open(1, IDLE_WRITE_CONNECTION_MS, 1),
  };
}

/** One request on undici's own handler interface: `Pool.request` would make a stream that nobody reads as one. */
class HttpExchange implements Exchange, Dispatcher.DispatchHandler {
  readonly #transport: HttpTransport;
  readonly #pool: Pool;
  readonly #call: UpstreamCall;
  readonly #owner: ExchangeOwner;
  readonly #reservation: Reservation;
  #controller: Dispatcher.DispatchController | null = null;
  #outcome: HttpAnswer | SourceError | null = null;
  #status = 0;
  #headers: HttpAnswer['headers'] = {};
  #size = 0;
  readonly #chunks: Buffer[] = [];

  constructor(transport: HttpTransport, call: UpstreamCall, owner: ExchangeOwner) {
    this.#transport = transport;
    this.#pool = transport.poolFor(call.endpoint);
    this.#call = call;
    this.#owner = owner;
    this.#reservation = transport.budget.open(call.endpoint.maxBodyBytes);
  }

  send(): void {
    this.#pool.dispatch(dispatchOptions(this.#call, this.#transport.prefix), this);
  }

  abort(kind: SourceErrorKind): void {
    this.#fail(kind);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#outcome instanceof SourceError) controller.abort(this.#outcome);
  }

  onResponseStart(_controller: unknown, status: number, headers: HttpAnswer['headers']): void {
    // An informational response: the real one follows.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    this.#transport.noteHeaders(this.#pool, headers);
    const encoding = headers['content-encoding'];
    if (encoding === undefined || encoding === 'identity')
      this.#makeRoom(Number(headers['content-length']) || 0);
    else this.#fail('malformed', new Error('an encoding that was not asked for'));
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.#size += chunk.length;
    this.#chunks.push(chunk);
    this.#makeRoom(this.#size);
  }

  onResponseEnd(): void {
    const text = decodeUtf8(this.#chunks);
    if (text === null) this.#fail('malformed', new Error('not UTF-8'));
    else this.#end(new HttpAnswer({ status: this.#status, headers: this.#headers, text }));
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#fail(kindOf(error), error);
  }

  #makeRoom(bytes: number): void {
    const { maxBodyBytes, repeatable } = this.#call.endpoint;
    const limit = this.#status < 400 ? maxBodyBytes : MAX_ERROR_BODY_BYTES;
    if (bytes > limit) this.#fail('malformed', new Error('too large'));
    // The outcome of a call with an effect must be known, at any price.
    else if (!this.#reservation.reserve(bytes) && repeatable)
      this.#fail('overloaded', new Error('too many large responses at once'));
  }

  #fail(kind: SourceErrorKind, cause?: Error): void {
    if (this.#outcome !== null) return;
    const { name, surface } = this.#call.endpoint;
    const error = new SourceError(kind, surface, `${name}: ${kind}`, {
      endpoint: name,
      ...(cause ? { cause } : {}),
      ...(kind === 'overloaded' ? { publicMessage: 'Too much is being read at once.' } : {}),
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

function dispatchOptions(call: UpstreamCall, prefix: string): Dispatcher.DispatchOptions {
  const { endpoint, body } = call;
  const options: Dispatcher.DispatchOptions = {
    path: prefix + call.path,
    method: endpoint.method,
    // undici considers every GET repeatable unless told otherwise.
    idempotent: endpoint.repeatable,
    headers: [...call.headers, ...COMMON_HEADERS],
    body: body ?? null,
  };
  // A call with an effect is given its whole deadline: giving up earlier would only leave its outcome unknown.
  return endpoint.repeatable ? options : { ...options, headersTimeout: 0, bodyTimeout: 0 };
}

const BYTE_ORDER_MARK = '\uFEFF';

/** The text of a body without its byte order mark; null if it is not UTF-8. */
function decodeUtf8(chunks: readonly Buffer[]): string | null {
  const [first = Buffer.alloc(0)] = chunks;
  const bytes = chunks.length > 1 ? Buffer.concat(chunks) : first;
  if (!isUtf8(bytes)) return null;
  const text = bytes.toString();
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

const CONNECT_CALLS: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);
const TLS_FAILURE = /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH)/;
const TIMEOUTS: ReadonlySet<string> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
const BROKEN_RESPONSE = /^(?:HPE_|UND_ERR_(?:RES|HEADERS_OVERFLOW|RESPONSE))/;

function kindOf(error: Error): SourceErrorKind {
  const code = codeOf(error);
  if (isConnectFailure(error) || TLS_FAILURE.test(code)) return 'unreachable';
  if (TIMEOUTS.has(code)) return 'timeout';
  if (BROKEN_RESPONSE.test(code) || error instanceof undici().errors.HTTPParserError) return 'malformed';
  return 'unavailable';
}

// Only a failure to connect proves that no byte of the request left this process; the same codes can come from a
// connection that has carried it.
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
