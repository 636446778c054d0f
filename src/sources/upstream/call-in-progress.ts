import { isTracing, startCallSpan, type CallSpan } from '../../observability/tracing.ts';
import type { Doorway } from '../../overload.ts';
import { assertSourceError, SourceError, type SourceErrorKind } from '../errors.ts';
import type { HttpAnswer } from '../http-answer.ts';
import { retryAfterOf } from '../retry-after.ts';
import type { Bulkhead, WaitingCall } from './bulkhead.ts';
import { describeCall, type ServerAddress } from './call-description.ts';
import type { CancellationListener } from './cancellation.ts';
import type { Coalescing } from './coalescing.ts';
import { deadlines, type DeadlineQueue, type Deadlines, type Expiring } from './deadlines.ts';
import type { RateLimitGate } from './rate-limit-gate.ts';
import type { RetryPolicy } from './retry.ts';
import type { PassedCall, SurfaceBreaker } from './surface-breaker.ts';
import type { Exchange, ExchangeOwner, Transport, UpstreamCall } from './upstream-call.ts';

/** The policies that a call passes on its way to the surface. */
export interface Policies {
  readonly transport: Transport;
  /** The address that the transport connects to; null if unknown. */
  readonly server: ServerAddress | null;
  /** Whether the trace context is propagated to the service. */
  readonly propagatesTrace: boolean;
  readonly coalescing: Coalescing<InFlight>;
  readonly gate: RateLimitGate;
  readonly breaker: SurfaceBreaker;
  readonly bulkhead: Bulkhead;
  readonly retries: RetryPolicy;
  readonly deadlines: Deadlines;
  readonly doorway: Doorway;
}

/**
 * Represents a call in the maps of the policies until it ends. A growing JavaScript map keeps its previous table, with
 * its contents, until the next full garbage collection: if the calls themselves were stored, their responses and
 * operations would stay in memory that long, and copying them would take a quarter of the CPU time.
 */
export class InFlight implements Expiring, WaitingCall {
  call: CallInProgress | null;

  constructor(call: CallInProgress) {
    this.call = call;
  }

  expire(): void {
    this.call?.expire();
  }

  enter(): void {
    this.call?.enter();
  }

  refuse(error: SourceError): void {
    this.call?.refuse(error);
  }
}

/** A call passing through the policies, and all readers waiting for its response. */
export class CallInProgress implements ExchangeOwner {
  /** The call's representation in the policies. */
  readonly handle = new InFlight(this);
  readonly #policies: Policies;
  readonly #call: UpstreamCall;
  readonly #key: string | null;
  readonly #readers: Reader[] = [];
  #deadline: DeadlineQueue | null = null;
  #endsAt = Number.POSITIVE_INFINITY;
  #attempts = 0;
  #retryTimer: NodeJS.Timeout | undefined;
  /** The attempt in flight, if any. */
  #exchange: Exchange | null = null;
  #startedAt = 0;
  /** The attempt in flight, as registered with the breaker. */
  #passed: PassedCall | null = null;
  #span: CallSpan | null = null;

  /** @param key - the key by which equal reads can join the call; null if they must not */
  constructor(policies: Policies, call: UpstreamCall, key: string | null) {
    this.#policies = policies;
    this.#call = call;
    this.#key = key;
  }

  /** Adds a reader, which may leave before the call ends. When the last reader leaves, the call is aborted. */
  join(call: UpstreamCall): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      this.#readers.push(new Reader(this, call, resolve, reject));
    });
  }

  /** Resolves when a large response may be processed; null if it may be processed immediately. */
  whenClear(): Promise<void> | null {
    return this.#policies.doorway.whenClear();
  }

  leave(reader: Reader): void {
    this.#readers.splice(this.#readers.indexOf(reader), 1);
    if (this.#readers.length === 0) this.#stop('cancelled');
  }

  start(): void {
    if (this.#call.endpoint.repeatable) {
      this.#policies.retries.noteRead();
      this.#startDeadline();
    }
    this.#attempt();
  }

  #startDeadline(): void {
    const ms = deadlines.of(this.#call);
    this.#endsAt = performance.now() + ms;
    this.#deadline = this.#policies.deadlines.start(this.handle, ms);
  }

  #attempt(): void {
    const { bulkhead } = this.#policies;
    const { caller } = this.#call;
    const refusal = this.#refusal();
    if (refusal !== null) this.#settle(refusal);
    else if (bulkhead.tryEnter(caller)) this.#dispatch();
    else bulkhead.wait(caller, this.handle);
  }

  /** Returns why the call must not be made now, or null if it may. */
  #refusal(): SourceError | null {
    const { gate, breaker } = this.#policies;
    try {
      gate.check(this.#call.caller);
      breaker.check(this.#call.caller);
      return null;
    } catch (error) {
      assertSourceError(error);
      return error;
    }
  }

  // The policies are checked again, as they may have changed while the call waited.
  enter(): void {
    const refusal = this.#refusal();
    if (refusal === null) return this.#dispatch();
    this.#policies.bulkhead.leave(this.#call.caller);
    this.#settle(refusal);
  }

  refuse(error: SourceError): void {
    this.#settle(error);
  }

  #dispatch(): void {
    const { transport, breaker } = this.#policies;
    // A write gets its full deadline from when it is sent, however long it waited.
    if (this.#deadline === null) this.#startDeadline();
    this.#attempts += 1;
    this.#passed = breaker.begin(this.#call.caller);
    this.#startedAt = performance.now();
    const exchange = transport.exchange(this.#call, this);
    this.#exchange = exchange;
    const span = isTracing() ? this.#startSpan() : null;
    this.#span = span;
    if (span === null) exchange.send();
    else span.send(() => exchange.send(this.#policies.propagatesTrace ? span.headers() : []));
  }

  #startSpan(): CallSpan | null {
    const { endpoint, span } = this.#call;
    return startCallSpan(span ?? null, describeCall(endpoint, this.#policies.server, this.#attempts));
  }

  ended(outcome: HttpAnswer | SourceError): void {
    const { bulkhead } = this.#policies;
    const failure = outcome instanceof SourceError ? outcome.kind : null;
    const status = outcome instanceof SourceError ? null : outcome.status;
    this.#exchange = null;
    this.#report(status, failure);
    this.#passed?.end(status ?? failure ?? 'unavailable');
    if (status === 429) this.#notePause(outcome as HttpAnswer);
    bulkhead.leave(this.#call.caller);
    if (status !== null && status < 400) this.#settle(outcome);
    else this.#retryOrSettle(outcome);
  }

  #report(status: number | null, failure: SourceErrorKind | null): void {
    const { endpoint, onCall } = this.#call;
    this.#span?.end({ status, failure });
    const durationMs = performance.now() - this.#startedAt;
    onCall?.({ endpoint: endpoint.name, surface: endpoint.surface, status, failure, durationMs });
  }

  #notePause(answer: HttpAnswer): void {
    const pauseMs = retryAfterOf(answer);
    if (pauseMs !== null) this.#policies.gate.note(this.#call.caller, pauseMs);
  }

  #retryOrSettle(outcome: HttpAnswer | SourceError): void {
    const { retries } = this.#policies;
    const pauseMs = this.#call.endpoint.repeatable
      ? retries.pauseAfter(outcome, this.#attempts, this.#endsAt)
      : null;
    if (pauseMs === null) this.#settle(outcome);
    else this.#retryTimer = setTimeout(() => this.#attempt(), pauseMs);
  }

  expire(): void {
    this.#stop('timeout');
  }

  /** Ends the call, whatever it is waiting for. */
  #stop(kind: SourceErrorKind): void {
    // The exchange then calls `ended`.
    if (this.#exchange !== null) return this.#exchange.abort(kind);
    clearTimeout(this.#retryTimer);
    this.#policies.bulkhead.stopWaiting(this.#call.caller, this.handle);
    this.#settle(failureOf(this.#call, kind));
  }

  #settle(outcome: HttpAnswer | SourceError): void {
    const { coalescing } = this.#policies;
    this.#deadline?.delete(this.handle);
    if (this.#key !== null) coalescing.delete(this.#key, this.handle);
    this.handle.call = null;
    if (!this.#call.endpoint.repeatable) coalescing.noteEffect();
    for (const reader of this.#readers) reader.settle(outcome);
  }
}

/** Creates the error of a call that was ended here, not by the surface. */
export function failureOf({ endpoint }: UpstreamCall, kind: SourceErrorKind): SourceError {
  return new SourceError(kind, endpoint.surface, `${endpoint.name}: ${kind}`, { endpoint: endpoint.name });
}

/** A reader waiting for a response, until it arrives or the reader's operation ends. */
class Reader implements CancellationListener {
  readonly #inProgress: CallInProgress;
  readonly #call: UpstreamCall;
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly #reject: (error: SourceError) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    inProgress: CallInProgress,
    call: UpstreamCall,
    resolve: (answer: HttpAnswer) => void,
    reject: (error: SourceError) => void,
  ) {
    this.#inProgress = inProgress;
    this.#call = call;
    this.#resolve = resolve;
    this.#reject = reject;
    // A write is never abandoned, because that would not undo it.
    if (call.endpoint.repeatable) this.#watch();
  }

  #watch(): void {
    const { endpoint, endsAt, cancellation } = this.#call;
    cancellation?.add(this);
    if (endsAt === undefined) return;
    const leftMs = endsAt - performance.now();
    // The call has its own deadline, so only an operation that ends earlier needs a timer.
    if (leftMs < endpoint.deadlineMs) this.#timer = setTimeout(() => this.#leave('timeout'), leftMs);
  }

  cancel(): void {
    this.#leave('cancelled');
  }

  #leave(kind: SourceErrorKind): void {
    this.#unwatch();
    this.#inProgress.leave(this);
    this.#reject(failureOf(this.#call, kind));
  }

  #unwatch(): void {
    this.#call.cancellation?.delete(this);
    if (this.#timer !== undefined) clearTimeout(this.#timer);
  }

  settle(outcome: HttpAnswer | SourceError): void {
    this.#unwatch();
    if (outcome instanceof SourceError) this.#reject(outcome);
    else if (outcome.isLarge) void this.#resolveLater(outcome);
    else this.#resolve(outcome);
  }

  // One reader at a time: the objects built from a large response are often freed before the next reader starts.
  async #resolveLater(outcome: HttpAnswer): Promise<void> {
    await this.#inProgress.whenClear();
    setImmediate(this.#resolve, outcome);
  }
}
