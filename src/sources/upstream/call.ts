import type { Dispatcher } from 'undici';
import type { CallLimits } from '../../config.ts';
import type { Doorway } from '../../../packages/overload/src/overload.ts';
import { isTracing, startCallSpan, type CallSpan, type OperationSpan } from '../../observability/tracing.ts';
import { assertSourceError, SourceError } from '../errors.ts';
import type { SourceErrorKind, Surface } from '../errors.ts';
import { HttpAnswer, retryAfterOf } from '../http-answer.ts';
import { CircuitBreaker } from './breaker.ts';
import type { RateLimitGate } from './rate-limit-gate.ts';
import { Reader, type OperationRequest } from './reader.ts';
import { RetryPolicy } from './retry.ts';
import { Slots, type WaitingCall } from './slots.ts';
import {
  bodyOf,
  failureOf,
  kindOf,
  MAX_ERROR_BODY_BYTES,
  openTransport,
  TOO_LARGE,
  type Request,
  type Transport,
} from './transport.ts';

/** One call to a surface. */
export interface UpstreamCall extends OperationRequest {
  /** A name for the holder of the credential that reveals nothing about the credential. */
  readonly caller: string;
  /** True if the call must not join an earlier read. */
  readonly isFresh?: boolean | undefined;
  /** Called after each attempt that was sent has ended. */
  readonly onCall?: ((call: FinishedCall) => void) | undefined;
  /** The span of the operation that makes the call, if one is recorded. */
  readonly span?: OperationSpan | null | undefined;
}

/** A finished request to the service, for logs and metrics. It contains no data of the caller or the service. */
export interface FinishedCall {
  readonly endpoint: string;
  readonly surface: Surface;
  /** HTTP status, or null if no response arrived. */
  readonly status: number | null;
  /** How the call failed, or null if a response arrived, whatever its status. */
  readonly failure: SourceErrorKind | null;
  readonly durationMs: number;
}

/** The rules by which a surface is called. */
export interface UpstreamRules {
  readonly limits: CallLimits;
  readonly gate: RateLimitGate;
  /** Counts finished writes on both surfaces together, because both show the same accounts. */
  readonly effects: { count: number };
  /** Delays large responses until others have arrived. */
  readonly doorway: Doorway;
  /** Whether `traceparent` and `tracestate` are sent to the service; false by default. */
  readonly propagatesTrace?: boolean;
  /** The proxy through which the surface is called; null by default. */
  readonly proxy?: URL | null;
}

/** Opens a surface of the service at a URL. */
export function openUpstream(surface: Surface, url: URL, rules: UpstreamRules): Upstream {
  const transport = openTransport(url, rules.limits.calls, rules.proxy ?? null);
  return new Upstream(surface, transport, rules, addressOf(url));
}

/** The address of a server, as attributes of spans. */
type Address = Readonly<Record<string, string | number>>;

function addressOf({ hostname, port, protocol }: URL): Address {
  const standard = protocol === 'https:' ? 443 : 80;
  return {
    'server.address': hostname.replace(/^\[|\]$/g, ''),
    'server.port': port === '' ? standard : Number(port),
  };
}

/** One surface of the service, called within limits that protect the service and share it fairly among callers. */
export class Upstream {
  readonly rules: UpstreamRules;
  readonly transport: Transport;
  /** The address that the transport connects to, as attributes of spans. */
  readonly address: Address;
  /** Reads in flight, which equal reads may join. */
  readonly reads = new Map<string, Call>();
  readonly breaker: CircuitBreaker;
  readonly slots: Slots;
  readonly retries: RetryPolicy;
  /** Counts the bytes of responses that are being received, and of large ones that arrived in this turn. */
  readonly inMemory = { bytes: 0 };

  constructor(surface: Surface, transport: Transport, rules: UpstreamRules, address: Address = {}) {
    this.rules = rules;
    this.transport = transport;
    this.address = address;
    this.breaker = new CircuitBreaker(surface, rules.limits);
    this.slots = new Slots(surface, rules.limits);
    this.retries = new RetryPolicy(rules.limits);
  }

  /**
   * Sends a call. Equal reads of one caller that are in flight at the same time share one request, and reads that
   * failed temporarily are retried; a write is sent at most once.
   *
   * @throws SourceError of kind `unreachable`, `unavailable`, `timeout`, `malformed`, `rate-limited`, `overloaded` or
   * `cancelled`
   */
  send(call: UpstreamCall): Promise<HttpAnswer> {
    const now = performance.now();
    if (!call.endpoint.repeatable) return this.#begin(call, null, now);
    if (call.cancellation?.isCancelled) return Promise.reject(failureOf(call, 'cancelled'));
    if (call.endsAt !== undefined && call.endsAt <= now) return Promise.reject(failureOf(call, 'timeout'));
    if (call.isFresh) return this.#begin(call, null, now);
    const key = keyOf(call);
    const equal = this.reads.get(key);
    return equal?.isCurrent ? equal.join(call, now) : this.#begin(call, key, now);
  }

  #begin(call: UpstreamCall, key: string | null, now: number): Promise<HttpAnswer> {
    const begun = new Call(this, call, key);
    if (key !== null) this.reads.set(key, begun);
    const answer = begun.join(call, now);
    begun.start(now);
    return answer;
  }

  /** True while no calls are made because too many have failed. */
  get isOutOfOrder(): boolean {
    return this.breaker.isOpen;
  }

  close(): Promise<void> {
    return this.transport.close();
  }
}

/** Returns a key shared only by equal reads of one caller; the lengths delimit its parts. Reads have no body. */
function keyOf({ caller, endpoint: { name }, path }: UpstreamCall): string {
  return `${caller.length}:${caller}${name.length}:${name}${path}`;
}

/** Returns how long a call may take, in milliseconds; an object so that tests can change it. */
export const deadlines = {
  of: ({ endpoint }: Pick<Request, 'endpoint'>): number => endpoint.deadlineMs,
};

/**
 * Maximum bytes of one surface's responses in memory at once: a hundred lists of 8 MiB would fill a heap of 256 MB. A
 * response takes two to three times its size until it is parsed, and up to three times more then.
 */
const MAX_BYTES_IN_MEMORY = 32 * 1024 * 1024;
const NO_HEADERS: HttpAnswer['headers'] = {};

/**
 * One call of the service, with all its attempts and all readers of its response. `join` shares it. An attempt begins
 * unless its caller must pause or the breaker is open (`#isAllowed`), and once it has a slot (`enter`); undici reports its
 * progress (`on…`), and a read may be retried (`#retryOrEnd`).
 *
 * It refers to nothing once it has ended, because maps of the policies may keep it longer: a growing JavaScript map keeps
 * its previous table, with its contents, until the next full garbage collection.
 */
class Call implements WaitingCall, Dispatcher.DispatchHandler {
  readonly #upstream: Upstream;
  readonly #key: string | null;
  readonly #effects: number;
  /** Null once the call has ended. */
  #request: UpstreamCall | null;
  #readers: Reader[] = [];
  #endsAt = Number.POSITIVE_INFINITY;
  #deadline: NodeJS.Timeout | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #attempts = 0;

  // The attempt in flight, if any.
  #isInFlight = false;
  #startedAt = 0;
  #breakerEra = 0;
  #span: CallSpan | null = null;
  /** Whether undici has no connection for the request yet: it cannot be taken back, and keeps its slot until undici drops it. */
  #isQueued = false;
  /** Whose slot the attempt has, if any. */
  #slotOf: string | null = null;
  /** Null until undici has a connection, after any TLS handshake: nothing has been sent. */
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #headers = NO_HEADERS;
  #chunks: Buffer[] = [];
  #received = 0;
  /** Bytes of the response that count as in memory: those announced, or received. */
  #held = 0;

  /** @param key - the key by which equal reads can join the call; null if they must not */
  constructor(upstream: Upstream, request: UpstreamCall, key: string | null) {
    this.#upstream = upstream;
    this.#request = request;
    this.#key = key;
    this.#effects = upstream.rules.effects.count;
  }

  /** Whether no write has ended since the call began, so that its response shows the effects of all. */
  get isCurrent(): boolean {
    return this.#effects === this.#upstream.rules.effects.count;
  }

  /** Adds a reader, which may leave before the call ends. When the last one leaves, the call is aborted. */
  join(request: UpstreamCall, now: number): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const reader = new Reader(this, request, resolve, reject);
      this.#readers.push(reader);
      reader.watch(now);
    });
  }

  leave(reader: Reader): void {
    this.#readers.splice(this.#readers.indexOf(reader), 1);
    if (this.#readers.length === 0) this.#stop('cancelled');
  }

  start(now: number): void {
    if (this.#request === null) return;
    if (this.#request.endpoint.repeatable) {
      this.#upstream.retries.noteRead();
      this.#startDeadline(this.#request, now);
    }
    this.#attempt(this.#request, now);
  }

  #startDeadline(request: UpstreamCall, now: number): void {
    const ms = deadlines.of(request);
    this.#endsAt = now + ms;
    this.#deadline = setTimeout(() => this.#stop('timeout'), ms);
  }

  /** Sends the call once it has a slot. */
  #attempt(request: UpstreamCall, now: number): void {
    const { slots } = this.#upstream;
    if (!this.#isAllowed(request, now)) return;
    if (slots.tryEnter(request.caller)) this.#send(request, now);
    else slots.wait(request.caller, this);
  }

  /** Ends the call if there is no time left, its caller must pause, or the surface is failing. */
  #isAllowed(request: UpstreamCall, now: number): boolean {
    try {
      if (this.#endsAt <= now) throw failureOf(request, 'timeout');
      this.#upstream.rules.gate.check(request.caller);
      this.#upstream.breaker.check();
      return true;
    } catch (error) {
      assertSourceError(error);
      this.#end(error);
      return false;
    }
  }

  /** Continues with a slot. What was allowed before the call waited may not be allowed any more. */
  enter(): void {
    const request = this.#request;
    if (request === null) return;
    const now = performance.now();
    if (this.#isAllowed(request, now)) this.#send(request, now);
    else this.#upstream.slots.leave(request.caller);
  }

  refuse(error: SourceError): void {
    this.#end(error);
  }

  #send(request: UpstreamCall, now: number): void {
    const { breaker, transport, rules } = this.#upstream;
    // A write gets its full deadline from when it is sent, however long it waited.
    if (this.#deadline === undefined) this.#startDeadline(request, now);
    this.#attempts += 1;
    this.#isInFlight = this.#isQueued = true;
    this.#slotOf = request.caller;
    this.#breakerEra = breaker.begin();
    this.#startedAt = now;
    const span = isTracing() ? this.#startSpan(request) : null;
    this.#span = span;
    if (span === null) transport.send(request, this);
    else span.send(() => transport.send(request, this, rules.propagatesTrace ? span.headers() : []));
  }

  // The attributes follow the semantic conventions for HTTP clients. `url.full` is omitted because the URL of a call
  // contains ids, and may contain the access token.
  #startSpan({ endpoint: { name, method, path, surface }, span = null }: UpstreamCall): CallSpan | null {
    return startCallSpan(span, name, {
      'http.request.method': method,
      'url.template': path,
      ...this.#upstream.address,
      ...(this.#attempts > 1 && { 'http.request.resend_count': this.#attempts - 1 }),
      'social_publishing.surface': surface,
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#isQueued = false;
    if (this.#request !== null) this.#endIfForbidden(this.#request);
    if (this.#isInFlight) this.#controller = controller;
    else {
      this.#leaveSlot();
      controller.abort(new Error('the call ended before it was sent'));
    }
  }

  /** Ends the attempt if the call must not be sent any more: it may have waited for its slot and its connection. */
  #endIfForbidden(request: UpstreamCall): void {
    try {
      this.#upstream.rules.gate.check(request.caller);
      if (request.mayBeSent?.() === false) throw failureOf(request, 'overloaded');
    } catch (error) {
      assertSourceError(error);
      this.#ended(error);
    }
  }

  onResponseStart(_controller: unknown, status: number, headers: HttpAnswer['headers']): void {
    // An informational response; the final one follows.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    this.#hold(Number(headers['content-length']) || 0);
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.#received += chunk.length;
    this.#chunks.push(chunk);
    this.#hold(this.#received);
  }

  /** Counts the bytes of the response, and fails the call if they are too many. */
  #hold(bytes: number): void {
    if (bytes > this.#maxBytes) return this.#failAsTooLarge();
    if (bytes <= this.#held) return;
    const { inMemory } = this.#upstream;
    inMemory.bytes += bytes - this.#held;
    this.#held = bytes;
    // The outcome of a write must be known, so its response is read nevertheless.
    if (inMemory.bytes > MAX_BYTES_IN_MEMORY && this.#request?.endpoint.repeatable)
      this.#fail('overloaded', new Error('too many large responses at once'));
  }

  get #maxBytes(): number {
    return this.#status < 400 ? (this.#request?.endpoint.maxBodyBytes ?? 0) : MAX_ERROR_BODY_BYTES;
  }

  onResponseEnd(): void {
    const body = bodyOf(this.#chunks, this.#maxBytes);
    if (body === TOO_LARGE) return this.#failAsTooLarge();
    if (body === null)
      return this.#fail('malformed', new Error('invalid UTF-8, or gzip data that is corrupt'));
    // Longer than what was received if that was compressed.
    this.#hold(body.length);
    this.#ended(new HttpAnswer({ status: this.#status, headers: this.#headers, body }));
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#isQueued = false;
    this.#fail(this.#controller === null ? 'unreachable' : kindOf(error), error);
    this.#leaveSlot();
  }

  #leaveSlot(): void {
    const caller = this.#slotOf;
    if (caller === null || this.#isQueued) return;
    this.#slotOf = null;
    this.#upstream.slots.leave(caller);
  }

  #failAsTooLarge(): void {
    const kib = this.#maxBytes / 1_024;
    const limit = kib < 1_024 ? `${kib} KiB` : `${kib / 1_024} MiB`;
    const surface = this.#request?.endpoint.surface ?? '';
    this.#fail('malformed', new Error('too large'), `The ${surface} surface returned more than ${limit}.`);
  }

  /** Ends the attempt in flight without a response. */
  #fail(kind: SourceErrorKind, cause?: Error, publicMessage?: string): void {
    if (this.#request === null) return;
    const controller = this.#controller;
    const failure = failureOf(this.#request, kind, { cause, publicMessage });
    this.#ended(failure);
    controller?.abort(failure);
  }

  /** Tells the policies how the attempt in flight has ended. */
  #ended(outcome: HttpAnswer | SourceError): void {
    const request = this.#request;
    if (request === null || !this.#isInFlight) return;
    const { breaker, rules } = this.#upstream;
    const { caller, endpoint } = request;
    const failure = outcome instanceof SourceError ? outcome.kind : null;
    const status = outcome instanceof SourceError ? null : outcome.status;
    const durationMs = performance.now() - this.#startedAt;
    // A pause is asked for in the headers, so it counts even if the body does not arrive.
    const pauseMs = this.#status === 429 ? retryAfterOf({ headers: this.#headers }) : null;
    this.#span?.end({ status, failure });
    this.#forgetAttempt(outcome);
    request.onCall?.({ endpoint: endpoint.name, surface: endpoint.surface, status, failure, durationMs });
    breaker.end(caller, this.#breakerEra, status ?? failure ?? 'unavailable');
    if (pauseMs !== null) rules.gate.note(caller, pauseMs);
    this.#leaveSlot();
    this.#retryOrEnd(request, outcome);
  }

  #forgetAttempt(outcome: HttpAnswer | SourceError): void {
    const { inMemory } = this.#upstream;
    const held = this.#held;
    // Few bytes of small responses wait to be parsed; large ones wait until this turn has received what it can.
    if (outcome instanceof HttpAnswer && outcome.isLarge) setImmediate(() => (inMemory.bytes -= held));
    else inMemory.bytes -= held;
    this.#isInFlight = false;
    this.#span = null;
    this.#controller = null;
    this.#status = 0;
    this.#headers = NO_HEADERS;
    this.#chunks = [];
    this.#received = 0;
    this.#held = 0;
  }

  #retryOrEnd(request: UpstreamCall, outcome: HttpAnswer | SourceError): void {
    const isFinal = !request.endpoint.repeatable || (outcome instanceof HttpAnswer && outcome.status < 400);
    const pauseMs = isFinal ? null : this.#upstream.retries.pauseAfter(outcome, this.#attempts, this.#endsAt);
    if (pauseMs === null) this.#end(outcome);
    else this.#retryTimer = setTimeout(() => this.#attempt(request, performance.now()), pauseMs);
  }

  /** Ends the call, whatever it is waiting for. */
  #stop(kind: SourceErrorKind): void {
    const request = this.#request;
    if (request === null) return;
    const wasSent = this.#controller !== null || request.endpoint.repeatable;
    if (this.#isInFlight) return this.#fail(wasSent ? kind : 'unreachable');
    clearTimeout(this.#retryTimer);
    this.#upstream.slots.stopWaiting(request.caller, this);
    this.#end(failureOf(request, kind));
  }

  /** Ends the call, and gives its readers the outcome. */
  #end(outcome: HttpAnswer | SourceError): void {
    const { reads, rules } = this.#upstream;
    clearTimeout(this.#deadline);
    if (this.#key !== null && reads.get(this.#key) === this) reads.delete(this.#key);
    if (this.#request?.endpoint.repeatable === false) rules.effects.count += 1;
    const readers = this.#readers;
    this.#readers = [];
    this.#request = null;
    this.#deadline = undefined;
    this.#retryTimer = undefined;
    for (const reader of readers) reader.settle(outcome, rules.doorway);
  }
}
