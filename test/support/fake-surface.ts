import { LIST_READ, WRITE, type Endpoint } from '../../src/sources/endpoint.ts';
import { SourceError, type SourceErrorKind } from '../../src/sources/errors.ts';
import type { CallLimits } from '../../src/config/service-calls.ts';
import { createPauses } from '../../src/sources/guard/pauses.ts';
import { guard, type GuardedSurface } from '../../src/sources/guard/guard.ts';
import type { Effects } from '../../src/sources/guard/sharing.ts';
import type { HttpRequest, SurfaceHttp } from '../../src/sources/http.ts';
import { HttpAnswer } from '../../src/sources/http-answer.ts';

// A surface without a network: each call that reaches it is in the hands of the test.

/** A call that reached the surface. */
export interface SentCall {
  readonly request: HttpRequest;
  /** In the milliseconds of `performance.now`. */
  readonly at: number;
  readonly isOver: boolean;
  answer(status?: number, headers?: HttpAnswer['headers'], text?: string): void;
  fail(kind: SourceErrorKind): void;
}

/** A surface that keeps to the deadline and the signal of a call, and otherwise does as it is told. */
export interface FakeSurface extends SurfaceHttp {
  readonly calls: readonly SentCall[];
  readonly open: number;
  readonly mostOpen: number;
  readonly isClosed: boolean;
}

/** Makes a surface; `respond` is told of each call, with its number from 1, and may leave the answer to the test. */
export function fakeSurface(respond: (call: SentCall, count: number) => void = () => undefined): FakeSurface {
  const calls: SentCall[] = [];
  let open = 0;
  let mostOpen = 0;
  let isClosed = false;
  return {
    calls,
    get open() {
      return open;
    },
    get mostOpen() {
      return mostOpen;
    },
    get isClosed() {
      return isClosed;
    },
    async send(request) {
      if (request.signal?.aborted) throw failure('cancelled');
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      try {
        return await new Promise<HttpAnswer>((resolve, reject) => {
          const call = control(request, resolve, reject);
          calls.push(call);
          respond(call, calls.length);
        });
      } finally {
        open -= 1;
      }
    },
    close: async () => {
      isClosed = true;
    },
  };
}

function control(
  request: HttpRequest,
  resolve: (answer: HttpAnswer) => void,
  reject: (error: SourceError) => void,
): SentCall {
  const deadlineMs = request.deadlineMs ?? request.endpoint.deadlineMs;
  const timer = setTimeout(() => end(() => reject(failure('timeout'))), deadlineMs);
  const onAbort = (): void => end(() => reject(failure('cancelled')));
  request.signal?.addEventListener('abort', onAbort, { once: true });
  let isOver = false;
  const end = (settle: () => void): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', onAbort);
    settle();
  };
  return {
    request,
    at: performance.now(),
    get isOver() {
      return isOver;
    },
    answer: (status = 200, headers = {}, text = '{}') =>
      end(() => resolve(new HttpAnswer({ status, headers, text }))),
    fail: (kind) => end(() => reject(failure(kind))),
  };
}

function failure(kind: SourceErrorKind): SourceError {
  return new SourceError(kind, 'current', `planted: ${kind}`);
}

/** Answers every call at once with a status. */
export const always =
  (status: number, headers: HttpAnswer['headers'] = {}) =>
  (call: SentCall): void =>
    call.answer(status, headers);

const LIMITS: CallLimits = {
  calls: 64,
  callsPerCaller: 16,
  attempts: 3,
  minCalls: 1_000_000,
  pauseMs: 5_000,
};

/** Puts the guard before a surface: the limits of production, but for a breaker that never opens unless told. */
export function guarded(
  http: SurfaceHttp,
  limits: Partial<CallLimits> = {},
  effects: Effects = { count: 0 },
): GuardedSurface {
  return guard('current', http, {
    limits: { ...LIMITS, ...limits },
    effects,
    pauses: createPauses('current'),
  });
}

const READ: Endpoint = {
  name: 'GET /accounts/list',
  surface: 'current',
  method: 'GET',
  path: '/accounts/list',
  ...LIST_READ,
};
const SEND: Endpoint = {
  ...READ,
  name: 'GET /payment/billing/portalcreate',
  path: '/payment/billing/portalcreate',
  ...WRITE,
};

/** A read of the list of accounts; reads of different numbers ask for different pages. */
export function readOf(page = 1, over: Partial<HttpRequest> = {}): HttpRequest {
  return { endpoint: READ, path: `/accounts/list?page=${page}`, headers: {}, caller: 'ann', ...over };
}

/** A call with an effect, by GET. */
export function writeOf(over: Partial<HttpRequest> = {}): HttpRequest {
  return { endpoint: SEND, path: SEND.path, headers: {}, caller: 'ann', ...over };
}

/** What came of a call: its status, or the kind of its failure. */
export async function outcomeOf(call: Promise<HttpAnswer>): Promise<number | SourceErrorKind> {
  try {
    return (await call).status;
  } catch (error) {
    if (error instanceof SourceError) return error.kind;
    throw error;
  }
}

/** So many calls at once, and what came of each. */
export async function outcomesOf(
  count: number,
  call: (index: number) => Promise<HttpAnswer>,
): Promise<(number | SourceErrorKind)[]> {
  return await Promise.all(Array.from({ length: count }, async (_, index) => await outcomeOf(call(index))));
}
