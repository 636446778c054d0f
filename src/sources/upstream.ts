import type { CallLimits } from '../config.ts';
import type { Doorway } from '../overload.ts';
import type { Surface } from './errors.ts';
import type { HttpAnswer } from './http-answer.ts';
import { Bulkhead } from './upstream/bulkhead.ts';
import { serverOf, type ServerAddress } from './upstream/call-description.ts';
import { CallInProgress, failureOf, type InFlight, type Policies } from './upstream/call-in-progress.ts';
import { Coalescing, coalescingKey, type Effects } from './upstream/coalescing.ts';
import { Deadlines } from './upstream/deadlines.ts';
import { openTransport } from './upstream/dispatch.ts';
import type { RateLimitGate } from './upstream/rate-limit-gate.ts';
import { RetryPolicy } from './upstream/retry.ts';
import { SurfaceBreaker } from './upstream/surface-breaker.ts';
import type { Transport, UpstreamCall } from './upstream/upstream-call.ts';

/** One surface of the service, called within limits that protect the service and share it fairly among callers. */
export interface Upstream {
  /**
   * Sends a call. Equal reads of one caller that are in flight at the same time share one request, and reads that
   * failed temporarily are retried; a write is sent at most once.
   *
   * @throws SourceError of kind `unreachable`, `unavailable`, `timeout`, `malformed`, `rate-limited`, `overloaded` or
   * `cancelled`
   */
  send(call: UpstreamCall): Promise<HttpAnswer>;
  close(): Promise<void>;
  /** True while no calls are made because too many have failed. */
  readonly isOutOfOrder: boolean;
}

/** The rules by which a surface is called. */
export interface UpstreamOptions {
  readonly limits: CallLimits;
  readonly effects: Effects;
  readonly gate: RateLimitGate;
  /** Delays large responses until others have arrived. */
  readonly doorway: Doorway;
  /** Whether `traceparent` and `tracestate` are sent to the service; false by default. */
  readonly propagatesTrace?: boolean;
  /** The proxy through which the surface is called; null by default. */
  readonly proxy?: URL | null;
  /** The address of the surface; not needed if a URL is given. */
  readonly server?: ServerAddress;
}

/** Opens a surface of the service at a URL. */
export function openUpstream(surface: Surface, url: URL, options: UpstreamOptions): Upstream {
  const transport = openTransport(url, options.limits.calls, options.proxy ?? null);
  return createUpstream(surface, transport, { server: serverOf(url), ...options });
}

/** Puts the policies in front of a transport. */
export function createUpstream(
  surface: Surface,
  transport: Transport,
  { limits, effects, gate, doorway, propagatesTrace = false, server }: UpstreamOptions,
): Upstream {
  const coalescing = new Coalescing<InFlight>(effects);
  const breaker = new SurfaceBreaker(surface, limits);
  const policies: Policies = {
    transport,
    server: server ?? null,
    propagatesTrace,
    coalescing,
    gate,
    doorway,
    breaker,
    bulkhead: new Bulkhead(surface, limits),
    retries: new RetryPolicy(limits),
    deadlines: new Deadlines(),
  };
  const begin = (call: UpstreamCall, key: string | null): Promise<HttpAnswer> => {
    const begun = new CallInProgress(policies, call, key);
    if (key !== null) coalescing.add(key, begun.handle);
    const answer = begun.join(call);
    begun.start();
    return answer;
  };
  const read = (call: UpstreamCall): Promise<HttpAnswer> => {
    const { cancellation, endsAt, isFresh } = call;
    if (cancellation?.isCancelled) return Promise.reject(failureOf(call, 'cancelled'));
    if (endsAt !== undefined && endsAt <= performance.now())
      return Promise.reject(failureOf(call, 'timeout'));
    if (isFresh) return begin(call, null);
    const key = coalescingKey(call);
    return coalescing.find(key)?.call?.join(call) ?? begin(call, key);
  };
  return {
    send: (call) => (call.endpoint.repeatable ? read(call) : begin(call, null)),
    close: () => transport.close(),
    get isOutOfOrder() {
      return breaker.isOpen;
    },
  };
}
