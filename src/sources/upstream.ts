import type { CallLimits } from '../config.ts';
import type { Surface } from './errors.ts';
import type { HttpAnswer } from './http-answer.ts';
import { CircuitBreaker } from './upstream/breaker.ts';
import { serverOf } from './upstream/call-description.ts';
import { Call, failureOf, type Policies, type UpstreamCall } from './upstream/call.ts';
import { RetryPolicy } from './upstream/retry.ts';
import { Slots } from './upstream/slots.ts';
import { openTransport, type Transport } from './upstream/transport.ts';

/** The rules by which a surface is called. */
export interface UpstreamOptions extends Pick<Policies, 'effects' | 'gate' | 'doorway'> {
  readonly limits: CallLimits;
  /** Whether `traceparent` and `tracestate` are sent to the service; false by default. */
  readonly propagatesTrace?: boolean;
  /** The proxy through which the surface is called; null by default. */
  readonly proxy?: URL | null;
}

/** Opens a surface of the service at a URL. */
export function openUpstream(surface: Surface, url: URL, options: UpstreamOptions): Upstream {
  const transport = openTransport(url, options.limits.calls, options.proxy ?? null);
  return new Upstream(surface, transport, options, serverOf(url));
}

/** One surface of the service, called within limits that protect the service and share it fairly among callers. */
export class Upstream {
  readonly #policies: Policies;

  /** @param server - the address that the transport connects to, if known */
  constructor(
    surface: Surface,
    transport: Transport,
    { limits, effects, gate, doorway, propagatesTrace = false }: UpstreamOptions,
    server: Policies['server'] = null,
  ) {
    this.#policies = {
      effects,
      gate,
      doorway,
      propagatesTrace,
      server,
      transport,
      inMemory: { bytes: 0 },
      reads: new Map(),
      breaker: new CircuitBreaker(surface, limits),
      slots: new Slots(surface, limits),
      retries: new RetryPolicy(limits),
    };
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
    const equal = this.#policies.reads.get(key);
    return equal?.isCurrent ? equal.join(call) : this.#begin(call, key);
  }

  #begin(call: UpstreamCall, key: string | null): Promise<HttpAnswer> {
    const begun = new Call(this.#policies, call, key);
    if (key !== null) this.#policies.reads.set(key, begun);
    const answer = begun.join(call);
    begun.start();
    return answer;
  }

  /** True while no calls are made because too many have failed. */
  get isOutOfOrder(): boolean {
    return this.#policies.breaker.isOpen;
  }

  close(): Promise<void> {
    return this.#policies.transport.close();
  }
}

/** Returns a key shared only by equal reads of one caller; the lengths delimit its parts. Reads have no body. */
function keyOf({ caller, endpoint: { name }, path }: UpstreamCall): string {
  return `${caller.length}:${caller}${name.length}:${name}${path}`;
}
