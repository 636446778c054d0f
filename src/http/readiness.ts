import type { ServerResponse } from 'node:http';
import type { Services } from '../services.ts';
import { sendJson } from './responses.ts';
import type { Overload } from './overload.ts';

/** Tells whoever distributes requests whether to send some here. */
export interface Readiness {
  send(response: ServerResponse): void;
  /** From now on, none is to be sent. */
  stop(): void;
  readonly isStopped: boolean;
  /** True where somebody has asked lately, and will notice the next answer. */
  isWatched(): boolean;
}

const REDIS_STATES: ReadonlyMap<boolean | null, string> = new Map([
  [null, 'not configured'],
  [true, 'connected'],
  [false, 'degraded'],
]);

/** Who asks, asks every few seconds. */
const WATCHED_MS = 30_000;

/**
 * Makes the readiness of one server. A surface that is out of order is told, and so is a Redis that is away; neither is
 * a reason to go elsewhere.
 */
export function createReadiness({ http, isAgreed }: Services, overload: Overload): Readiness {
  let isStopped = false;
  let askedAt = Number.NEGATIVE_INFINITY;
  const stateOf = (surface: 'current' | 'legacy'): string => {
    if (http[surface] === null) return 'not configured';
    return http[surface].isOutOfOrder ? 'out of order' : 'configured';
  };
  return {
    send(response) {
      askedAt = performance.now();
      const status = isStopped ? 'draining' : overload.isPersistent ? 'overloaded' : 'ready';
      const surfaces = { current: stateOf('current'), legacy: stateOf('legacy') };
      const redis = REDIS_STATES.get(isAgreed());
      sendJson(response, status === 'ready' ? 200 : 503, { status, surfaces, redis });
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
