import { setMaxListeners } from 'node:events';
import { SourceError, type SourceErrorKind } from '../errors.ts';
import type { HttpRequest } from '../http.ts';
import type { HttpAnswer } from '../http-answer.ts';

/** Lets equal reads of one caller that are in flight at the same time be one. */
export interface Sharing {
  /**
   * Gives the answer of the read in flight, or starts one, with a signal that is aborted when all who wait for it have
   * left. Fails with `cancelled` or `timeout` for who leaves, or has left before.
   */
  read(request: HttpRequest, start: (request: HttpRequest) => Promise<HttpAnswer>): Promise<HttpAnswer>;
}

/** Counts the calls with an effect: a read that began before one of them is not joined after it. */
export interface Effects {
  count: number;
}

interface SharedRead {
  readonly answer: Promise<HttpAnswer>;
  readonly leaving: AbortController;
  /** How many effects there had been when it began. */
  readonly effects: number;
  readers: number;
}

/** Makes the sharing of one surface; the effects are those of both surfaces, which show the same accounts. */
export function createSharing(effects: Effects): Sharing {
  const inFlight = new Map<string, SharedRead>();
  const begin = (name: string, start: (signal: AbortSignal) => Promise<HttpAnswer>): SharedRead => {
    const leaving = new AbortController();
    const answer = start(leaving.signal);
    const shared: SharedRead = { answer, leaving, effects: effects.count, readers: 0 };
    inFlight.set(name, shared);
    const end = (): void => {
      if (inFlight.get(name) === shared) inFlight.delete(name);
    };
    answer.then(end, end);
    return shared;
  };
  return {
    async read(request, start) {
      if (request.signal?.aborted) throw failure('cancelled', request);
      if (timeLeft(request) <= 0) throw failure('timeout', request);
      const name = nameOf(request);
      const known = inFlight.get(name);
      const isJoinable =
        known !== undefined && known.effects === effects.count && !known.leaving.signal.aborted;
      const shared = isJoinable ? known : begin(name, (signal) => start({ ...request, signal }));
      shared.readers += 1;
      return await take(shared, request);
    },
  };
}

function take(shared: SharedRead, request: HttpRequest): Promise<HttpAnswer> {
  const { signal, endpoint } = request;
  return new Promise((resolve, reject) => {
    const leave = (kind: 'cancelled' | 'timeout'): void => {
      stop();
      shared.readers -= 1;
      if (shared.readers === 0) shared.leaving.abort();
      reject(failure(kind, request));
    };
    const onAbort = (): void => leave('cancelled');
    const leftMs = timeLeft(request);
    // Only an operation that is near its end needs a timer: the read has a deadline of its own.
    const timer = leftMs < endpoint.deadlineMs ? setTimeout(() => leave('timeout'), leftMs) : undefined;
    const stop = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    if (signal) {
      // An operation with more than ten reads in flight is no leak, whatever Node thinks of its signal.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', onAbort, { once: true });
    }
    shared.answer.then(resolve, reject).finally(stop);
  });
}

function timeLeft({ endsAt = Number.POSITIVE_INFINITY }: HttpRequest): number {
  return endsAt - performance.now();
}

function failure(kind: SourceErrorKind, { endpoint }: HttpRequest): SourceError {
  return new SourceError(kind, endpoint.surface, `${endpoint.name}: ${kind}`, { endpoint: endpoint.name });
}

// Length-prefixed, so that no two reads have the same name. The headers follow from caller and endpoint.
function nameOf({ caller, endpoint, path, body = '' }: HttpRequest): string {
  return [caller, endpoint.name, path, body].map((part) => `${part.length}:${part}`).join('');
}
