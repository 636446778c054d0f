import type { CallLimits } from '../../config/service-calls.ts';
import type { Surface } from '../errors.ts';
import type { HttpRequest, SurfaceHttp } from '../http.ts';
import type { HttpAnswer } from '../http-answer.ts';
import { retryAfterOf } from '../retry-after.ts';
import { createBreaker } from './breaker.ts';
import { createLanes } from './lanes.ts';
import type { Pauses } from './pauses.ts';
import { createRetries } from './retry.ts';
import { createSharing, type Effects } from './sharing.ts';

/** A surface that is called with care for it, and for all who call it. */
export interface GuardedSurface extends SurfaceHttp {
  /** True while it is not called because it failed too often. */
  readonly isOutOfOrder: boolean;
}

/** What the rules go by. */
export interface CallRules {
  readonly limits: CallLimits;
  readonly effects: Effects;
  readonly pauses: Pauses;
}

/**
 * Puts the rules of calling before a surface: equal reads of a caller are one, reads that failed for the moment are
 * repeated, pauses are kept, a surface out of order is left alone, and so many calls are in flight at most. A call with
 * an effect passes once or not at all.
 */
export function guard(
  surface: Surface,
  http: SurfaceHttp,
  { limits, effects, pauses }: CallRules,
): GuardedSurface {
  const breaker = createBreaker(surface, limits);
  const lanes = createLanes(surface, limits);
  const retries = createRetries(limits);
  const sharing = createSharing(effects);

  const check = ({ caller }: HttpRequest): void => {
    pauses.check(caller);
    breaker.check();
  };
  const sendOnce = async (request: HttpRequest, endsAt?: number): Promise<HttpAnswer> => {
    check(request);
    return await lanes.run(request, async () => {
      // What was true when it began to wait need not be true when its turn has come.
      check(request);
      const time = endsAt === undefined ? {} : { deadlineMs: Math.max(1, endsAt - performance.now()) };
      const answer = await breaker.run(() => http.send({ ...request, ...time }));
      const askedMs = answer.status === 429 ? retryAfterOf(answer) : null;
      if (askedMs !== null) pauses.note(request.caller, askedMs);
      return answer;
    });
  };
  const read = async (request: HttpRequest): Promise<HttpAnswer> => {
    const endsAt = performance.now() + request.endpoint.deadlineMs;
    return await retries.run(() => sendOnce(request, endsAt), endsAt, request.signal);
  };
  const write = async (request: HttpRequest): Promise<HttpAnswer> => {
    try {
      return await sendOnce(request);
    } finally {
      effects.count += 1;
    }
  };
  return {
    send(request) {
      if (!request.endpoint.repeatable) return write(request);
      return request.isFresh ? read(request) : sharing.read(request, read);
    },
    close: () => http.close(),
    get isOutOfOrder() {
      return breaker.isOpen;
    },
  };
}
