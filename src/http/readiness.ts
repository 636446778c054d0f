import type { Overload } from '../overload.ts';
import type { Services } from '../services.ts';
import type { Exchange } from './exchange.ts';

/** Reports to load balancers whether to send requests to this server. */
export interface Readiness {
  send(exchange: Exchange): void;
  /** Reports not ready from now on. */
  stop(): void;
  readonly isStopped: boolean;
  /** Whether a load balancer has asked recently, and so will notice the next response. */
  isWatched(): boolean;
}

const REDIS_STATES: ReadonlyMap<boolean | null, string> = new Map([
  [null, 'not configured'],
  [true, 'connected'],
  [false, 'degraded'],
]);

/** Load balancers ask every few seconds. */
const WATCHED_MS = 30_000;

/**
 * Creates the readiness of one server. It also reports a surface that is out of order, or an unreachable Redis; neither
 * makes the server not ready.
 */
export function createReadiness(
  { config, http, isAgreed, disagreement }: Services,
  overload: Overload,
): Readiness {
  let isStopped = false;
  let askedAt = Number.NEGATIVE_INFINITY;
  const stateOf = (surface: 'current' | 'legacy'): string => {
    if (http[surface] === null) return 'not configured';
    if (http[surface].isOutOfOrder) return 'out of order';
    return config.demoCredentials === null ? 'configured' : 'sandbox';
  };
  return {
    send(exchange) {
      askedAt = performance.now();
      const status = isStopped ? 'draining' : overload.isPersistent ? 'overloaded' : 'ready';
      const surfaces = { current: stateOf('current'), legacy: stateOf('legacy') };
      const redis = REDIS_STATES.get(isAgreed());
      const redisProblem = disagreement() ?? undefined;
      exchange.sendJson(status === 'ready' ? 200 : 503, { status, surfaces, redis, redisProblem });
    },
    stop() {
      isStopped = true;
    },
    get isStopped() {
      return isStopped;
    },
    isWatched: () => performance.now() - askedAt < WATCHED_MS,
  };
}
