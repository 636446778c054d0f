import { createDoorway } from '../../src/overload.ts';
import { LIST_READ, WRITE, type Endpoint } from '../../src/sources/endpoint.ts';
import { SourceError, type SourceErrorKind } from '../../src/sources/errors.ts';
import type { CallLimits } from '../../src/config.ts';
import { HttpAnswer } from '../../src/sources/http-answer.ts';
import { createUpstream, openUpstream, type Upstream } from '../../src/sources/upstream.ts';
import { cancellationBy, type Cancellation } from '../../src/sources/upstream/cancellation.ts';
import type { Effects } from '../../src/sources/upstream/coalescing.ts';
import { createRateLimitGate } from '../../src/sources/upstream/rate-limit-gate.ts';
import type {
  Exchange,
  ExchangeOwner,
  Transport,
  UpstreamCall,
} from '../../src/sources/upstream/upstream-call.ts';

// A surface without a network: each call that reaches it is in the hands of the test.

/** A call that reached the surface. */
export interface SentCall {
  readonly request: UpstreamCall;
  /** In the milliseconds of `performance.now`. */
  readonly at: number;
  readonly isOver: boolean;
  answer(status?: number, headers?: HttpAnswer['headers'], text?: string): void;
  fail(kind: SourceErrorKind): void;
}

/** A transport that keeps calls until the test answers them. */
export interface FakeSurface extends Transport {
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
    exchange(request, owner) {
      const exchange = new FakeExchange(request, owner, () => (open -= 1));
      return {
        send() {
          open += 1;
          mostOpen = Math.max(mostOpen, open);
          calls.push(exchange);
          respond(exchange, calls.length);
        },
        abort: (kind) => exchange.fail(kind),
      } satisfies Exchange;
    },
    close: async () => {
      isClosed = true;
    },
  };
}

class FakeExchange implements SentCall {
  readonly request: UpstreamCall;
  readonly at = performance.now();
  readonly #owner: ExchangeOwner;
  readonly #onEnd: () => void;
  isOver = false;

  constructor(request: UpstreamCall, owner: ExchangeOwner, onEnd: () => void) {
    this.request = request;
    this.#owner = owner;
    this.#onEnd = onEnd;
  }

  answer(status = 200, headers: HttpAnswer['headers'] = {}, text = '{}'): void {
    this.#end(new HttpAnswer({ status, headers, text }));
  }

  fail(kind: SourceErrorKind): void {
    this.#end(failure(kind));
  }

  #end(outcome: HttpAnswer | SourceError): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#onEnd();
    this.#owner.ended(outcome);
  }
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

/** Puts the policies before a surface: the limits of production, but for a breaker that never opens unless told. */
export function guarded(
  transport: Transport,
  limits: Partial<CallLimits> = {},
  effects: Effects = { count: 0 },
): Upstream {
  return createUpstream('current', transport, optionsOf(limits, effects));
}

/** A surface of the service at an address, with the same policies. */
export function openAt(url: string, limits: Partial<CallLimits> = {}): Upstream {
  return openUpstream('current', new URL(url), optionsOf(limits));
}

function optionsOf(limits: Partial<CallLimits>, effects: Effects = { count: 0 }) {
  return {
    limits: { ...LIMITS, ...limits },
    effects,
    gate: createRateLimitGate('current'),
    doorway: createDoorway(),
  };
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

/** What a test says of a call; the signal cancels it. */
type CallDetails = Partial<UpstreamCall> & { readonly signal?: AbortSignal };

/** A read of the list of accounts; reads of different numbers ask for different pages. */
export function readOf(page = 1, over: CallDetails = {}): UpstreamCall {
  return callOf({ endpoint: READ, path: `/accounts/list?page=${page}`, ...over });
}

/** A call with an effect, by GET. */
export function writeOf(over: CallDetails = {}): UpstreamCall {
  return callOf({ endpoint: SEND, path: SEND.path, ...over });
}

function callOf({ signal, ...call }: CallDetails & Pick<UpstreamCall, 'endpoint' | 'path'>): UpstreamCall {
  return {
    headers: [],
    caller: 'ann',
    ...(signal ? { cancellation: cancellationFor(signal) } : {}),
    ...call,
  };
}

const cancellations = new WeakMap<AbortSignal, Cancellation>();

/** The one cancellation that follows a signal, as an operation has one. */
function cancellationFor(signal: AbortSignal): Cancellation {
  const cancellation = cancellations.get(signal) ?? cancellationBy(signal);
  cancellations.set(signal, cancellation);
  return cancellation;
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
