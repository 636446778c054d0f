import type { Overload } from '../../packages/overload/src/overload.ts';
import type { Services } from '../services.ts';
import type { Exchange } from './exchange.ts';

/** Load balancers ask every few seconds. */
const WATCHED_MS = 30_000;

/** Reports to load balancers whether to send requests to this server. */
export class Readiness {
  /** True once the server is shutting down. */
  isStopped = false;
  readonly #services: Services;
  readonly #overload: Overload;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(services: Services, overload: Overload) {
    this.#services = services;
    this.#overload = overload;
  }

  /** Whether a load balancer has asked recently, and so will notice the next response. */
  get isWatched(): boolean {
    return performance.now() - this.#askedAt < WATCHED_MS;
  }

  /** Also reports a surface that is out of order, or an unreachable Redis; neither makes the server not ready. */
  send(exchange: Exchange): void {
    this.#askedAt = performance.now();
    const status = this.isStopped ? 'draining' : this.#overload.isPersistent ? 'overloaded' : 'ready';
    const { isAgreed, disagreement } = this.#services;
    const redis = { true: 'connected', false: 'degraded', null: 'not configured' }[`${isAgreed()}`];
    const surfaces = { current: this.#stateOf('current'), legacy: this.#stateOf('legacy') };
    const redisProblem = disagreement() ?? undefined;
    exchange.sendJson(status === 'ready' ? 200 : 503, { status, surfaces, redis, redisProblem });
  }

  #stateOf(surface: 'current' | 'legacy'): string {
    const { http, config } = this.#services;
    if (http[surface] === null) return 'not configured';
    if (http[surface].isOutOfOrder) return 'out of order';
    return config.demoCredentials === null ? 'configured' : 'sandbox';
  }
}
