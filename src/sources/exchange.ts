import { isUtf8 } from 'node:buffer';
import type { Dispatcher, Pool } from 'undici';
import type { AnswerSpace } from './answer-room.ts';
import type { Endpoint } from './endpoint.ts';
import { HttpAnswer } from './http-answer.ts';

/** An answer that can't be taken; classified as `malformed`. */
export class UnusableAnswer extends Error {}

/** An answer that there is no room for; classified as `overloaded`. */
export class NoRoom extends Error {}

/** One request and its answer, under way. */
export interface Exchange {
  /** The complete answer; fails with what went wrong, or with what it was given up for. */
  readonly answer: Promise<HttpAnswer>;
  /** Ends it now; what has not been sent yet will not be. */
  readonly giveUp: (reason: Error) => void;
}

/** What is sent, and how much may come back. */
export interface ExchangeOptions {
  readonly request: Dispatcher.DispatchOptions;
  readonly endpoint: Endpoint;
  /** The room that the answer takes. */
  readonly space: AnswerSpace;
}

/** Largest answer with an error status that is read, in bytes. */
const MAX_ERROR_BODY_BYTES = 64 * 1024;

/**
 * Sends a request and collects its answer, on undici's own handlers: `Pool.request` would make a stream of it,
 * which nobody reads as one.
 */
export function exchange(pool: Pool, { request, endpoint, space }: ExchangeOptions): Exchange {
  let controller: Dispatcher.DispatchController | undefined;
  let failure: Error | undefined;
  let settle: (end: HttpAnswer | Error) => void;
  const answer = new Promise<HttpAnswer>((resolve, reject) => {
    settle = (end) => (end instanceof Error ? reject(end) : resolve(end));
  });
  const giveUp = (reason: Error): void => {
    failure ??= reason;
    settle(failure);
    controller?.abort(failure);
  };
  const collected = collect(endpoint, space);
  const guarded = (step: () => void): void => {
    try {
      step();
    } catch (error) {
      giveUp(error as Error);
    }
  };
  pool.dispatch(request, {
    onRequestStart(started) {
      controller = started;
      if (failure) started.abort(failure);
    },
    onResponseStart: (_controller, status, headers) => guarded(() => collected.begin(status, headers)),
    onResponseData: (_controller, chunk) => guarded(() => collected.add(chunk)),
    onResponseEnd: () => guarded(() => settle(collected.end())),
    onResponseError: (_controller, error) => giveUp(error),
  });
  return { answer, giveUp };
}

/** Collects one answer within its limits; each step throws what makes the answer one that can't be taken. */
function collect(endpoint: Endpoint, space: AnswerSpace) {
  const chunks: Buffer[] = [];
  let status = 0;
  let headers: HttpAnswer['headers'] = {};
  let size = 0;
  const take = (bytes: number): void => {
    const limit = status < 400 ? endpoint.maxBodyBytes : MAX_ERROR_BODY_BYTES;
    if (bytes > limit) throw new UnusableAnswer('too large');
    // What became of a call with an effect must be known, at any price.
    if (!space.reach(bytes) && endpoint.repeatable) throw new NoRoom('too many answers at once');
  };
  return {
    begin(given: number, fields: HttpAnswer['headers']): void {
      // One that only says that the answer is on its way.
      if (given < 200) return;
      status = given;
      headers = fields;
      const encoding = fields['content-encoding'];
      if (encoding !== undefined && encoding !== 'identity')
        throw new UnusableAnswer('an encoding that was not asked for');
      take(Number(fields['content-length']) || 0);
    },
    add(chunk: Buffer): void {
      size += chunk.length;
      take(size);
      chunks.push(chunk);
    },
    end: () => new HttpAnswer({ status, headers, text: decodeUtf8(chunks) }),
  };
}

const BYTE_ORDER_MARK = '\uFEFF';

function decodeUtf8(chunks: readonly Buffer[]): string {
  const [first = Buffer.alloc(0)] = chunks;
  const bytes = chunks.length > 1 ? Buffer.concat(chunks) : first;
  if (!isUtf8(bytes)) throw new UnusableAnswer('not UTF-8');
  const text = bytes.toString();
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}
