import type { CallLimits } from '../config.ts';
import type { Doorway } from '../overload.ts';
import type { Surface } from './errors.ts';
import type { HttpAnswer } from './http-answer.ts';
import { CircuitBreaker } from './upstream/breaker.ts';
import { serverOf, type ServerAddress } from './upstream/call-description.ts';
import { Call, failureOf, type UpstreamCall } from './upstream/call.ts';
import type { RateLimitGate } from './upstream/rate-limit-gate.ts';
import { RetryPolicy } from './upstream/retry.ts';
import { Slots } from './upstream/slots.ts';
import { openTransport, type Transport } from './upstream/transport.ts';

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
  return new Upstream(surface, transport, rules, serverOf(url));
}

/** One surface of the service, called within limits that protect the service and share it fairly among callers. */
export class Upstream {
  readonly rules: UpstreamRules;
  readonly transport: Transport;
  /** The address that the transport connects to, for spans; null if unknown. */
  readonly server: ServerAddress | null;
  /** Reads in flight, which equal reads may join. */
  readonly reads = new Map<string, Call>();
  readonly breaker: CircuitBreaker;
  readonly slots: Slots;
  readonly retries: RetryPolicy;
  /** Counts the bytes of responses that are being received, or have not been parsed yet. */
  readonly inMemory = { bytes: 0 };

  constructor(
    surface: Surface,
    transport: Transport,
    rules: UpstreamRules,
    server: ServerAddress | null = null,
  ) {
    this.rules = rules;
    this.transport = transport;
    this.server = server;
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
    if (!call.endpoint.repeatable) return this.#begin(call, null);
    if (call.cancellation?.isCancelled) return Promise.reject(failureOf(call, 'cancelled'));
    if (call.endsAt !== undefined && call.endsAt <= performance.now())
      return Promise.reject(failureOf(call, 'timeout'));
    if (call.isFresh) return this.#begin(call, null);
    const key = keyOf(call);
    const equal = this.reads.get(key);
    return equal?.isCurrent ? equal.join(call) : this.#begin(call, key);
  }

  #begin(call: UpstreamCall, key: string | null): Promise<HttpAnswer> {
    const begun = new Call(this, call, key);
    if (key !== null) this.reads.set(key, begun);
    const answer = begun.join(call);
    begun.start();
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
