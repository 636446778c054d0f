import type { Dispatcher } from 'undici';
import { createDoorway } from '../../packages/overload/src/overload.ts';
import { LIST_READ, WRITE, type Endpoint } from '../../src/sources/endpoint.ts';
import { SourceError, type SourceErrorKind } from '../../src/sources/errors.ts';
import type { CallLimits } from '../../src/config.ts';
import type { HttpAnswer } from '../../src/sources/http-answer.ts';
import {
  openUpstream,
  Upstream,
  type UpstreamCall,
  type UpstreamRules,
} from '../../src/sources/upstream/call.ts';
import { CancellationSource, type Cancellation } from '../../src/sources/upstream/cancellation.ts';
import { createRateLimitGate } from '../../src/sources/upstream/rate-limit-gate.ts';
import type { Transport } from '../../src/sources/upstream/transport.ts';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { listen } from './attack-page.ts';

// A surface without a network: each call that reaches it is in the hands of the test.

/**
 * Makes a transport that keeps calls until the test answers them; `respond` is told of each call, with its number from 1,
 * and may leave the answer to the test.
 */
export function fakeSurface(respond: (call: SentCall, count: number) => void = () => undefined) {
  const calls: SentCall[] = [];
  let open = 0;
  let mostOpen = 0;
  const transport: Transport = {
    send(request: UpstreamCall, handler) {
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      const call = new SentCall(request, handler, () => (open -= 1));
      calls.push(call);
      respond(call, calls.length);
      if (!call.isLate) call.start();
    },
    close: async () => undefined,
  };
  return {
    ...transport,
    calls: calls as readonly SentCall[],
    /** Keeps none of the calls that have come so far. */
    forget() {
      calls.length = 0;
    },
    get open() {
      return open;
    },
    get mostOpen() {
      return mostOpen;
    },
  };
}

/** A failure in the words of undici. */
const FAILURES = {
  unreachable: 'ECONNREFUSED',
  unavailable: 'ECONNRESET',
  timeout: 'UND_ERR_HEADERS_TIMEOUT',
  malformed: 'HPE_INVALID_CONSTANT',
} as const;

export type Failure = keyof typeof FAILURES;

export class SentCall implements Dispatcher.DispatchController {
  readonly request: UpstreamCall;
  /** In the milliseconds of `performance.now`. */
  readonly at = performance.now();
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #onEnd: () => void;
  #isStarted = false;
  isOver = false;
  isLate = false;
  aborted = false;
  paused = false;
  reason: Error | null = null;

  constructor(request: UpstreamCall, handler: Dispatcher.DispatchHandler, onEnd: () => void) {
    this.request = request;
    this.#handler = handler;
    this.#onEnd = onEnd;
  }

  /** There is a connection, unless the call has failed for want of one. */
  start(): void {
    if (this.#isStarted || this.isOver) return;
    this.#isStarted = true;
    this.#handler.onRequestStart?.(this, undefined);
  }

  /** Keeps the call without a connection until it is answered. */
  connectLater(): void {
    this.isLate = true;
  }

  answer(status = 200, headers: HttpAnswer['headers'] = {}, text = '{}'): void {
    this.start();
    if (this.isOver) return;
    this.#end();
    this.#handler.onResponseStart?.(this, status, headers);
    this.#handler.onResponseData?.(this, Buffer.from(text));
    this.#handler.onResponseEnd?.(this, {});
  }

  fail(how: Failure): void {
    if (how !== 'unreachable') this.start();
    this.abort(Object.assign(new Error(`planted: ${how}`), { code: FAILURES[how] }));
  }

  abort(reason: Error): void {
    if (this.isOver) return;
    this.#end();
    this.#handler.onResponseError?.(this, reason);
  }

  pause(): void {}

  resume(): void {}

  #end(): void {
    this.isOver = true;
    this.#onEnd();
  }
}

/** Answers every call at once with a status. */
export const always =
  (status: number, headers: HttpAnswer['headers'] = {}) =>
  (call: SentCall): void =>
    call.answer(status, headers);

const LIMITS: CallLimits = { calls: 64, callsPerCaller: 16, attempts: 3, minCalls: 1e6, pauseMs: 5_000 };

/** Puts the policies before a surface: the limits of production, but for a breaker that never opens unless told. */
export function guarded(
  transport: Transport,
  limits: Partial<CallLimits> = {},
  effects: UpstreamRules['effects'] = { count: 0 },
): Upstream {
  return new Upstream('current', transport, optionsOf(limits, effects));
}

/** A surface of the service at an address, with the same policies. */
export function openAt(url: string, limits: Partial<CallLimits> = {}): Upstream {
  return openUpstream('current', new URL(url), optionsOf(limits));
}

function optionsOf(limits: Partial<CallLimits>, effects: UpstreamRules['effects'] = { count: 0 }) {
  const all = { ...LIMITS, ...limits };
  return { limits: all, effects, gate: createRateLimitGate('current'), doorway: createDoorway() };
}

const LIST = '/accounts/list';
const PORTAL = '/payment/billing/portalcreate';
const READ: Endpoint = { name: `GET ${LIST}`, surface: 'current', method: 'GET', path: LIST, ...LIST_READ };
const SEND: Endpoint = { ...READ, name: `GET ${PORTAL}`, path: PORTAL, ...WRITE };

/** What a test says of a call; the signal cancels it. */
type CallDetails = Partial<UpstreamCall> & { readonly signal?: AbortSignal };

/** A read of the list of accounts; reads of different numbers ask for different pages. */
export function readOf(page = 1, over: CallDetails = {}): UpstreamCall {
  return callOf({ endpoint: READ, path: `${LIST}?page=${page}`, ...over });
}

/** A call with an effect, by GET. */
export function writeOf(over: CallDetails = {}): UpstreamCall {
  return callOf({ endpoint: SEND, path: SEND.path, ...over });
}

function callOf({ signal, ...call }: CallDetails & Pick<UpstreamCall, 'endpoint' | 'path'>): UpstreamCall {
  const cancelled = signal ? { cancellation: cancellationFor(signal) } : {};
  return { headers: [], caller: 'ann', ...cancelled, ...call };
}

const cancellations = new WeakMap<AbortSignal, Cancellation>();

/** The one cancellation that follows a signal, as an operation has one. */
function cancellationFor(signal: AbortSignal): Cancellation {
  const cancellation = cancellations.get(signal) ?? new CancellationSource(signal);
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
export async function outcomesOf(count: number, call: (index: number) => Promise<HttpAnswer>) {
  return await Promise.all(Array.from({ length: count }, async (_, index) => await outcomeOf(call(index))));
}

/** A request as it arrived on a connection. */
interface ScriptedRequest {
  readonly method: string;
  readonly path: string;
  /** Its number among all requests, from 1. */
  readonly count: number;
  /** Its number on its connection, from 1. */
  readonly onConnection: number;
  readonly socket: Socket;
}

/** A TCP server that answers byte by byte what a test says. */
export type ScriptedService = Awaited<ReturnType<typeof startScripted>>;

/** Starts a server on a free port, or on the one given; it ends with the test. */
export async function startScripted(respond: (request: ScriptedRequest) => void, port = 0) {
  const requests: ScriptedRequest[] = [];
  const ofConnections = new Map<Socket, number>();
  const server = createServer(({ method = '', url: path = '', socket }) => {
    const onConnection = (ofConnections.get(socket) ?? 0) + 1;
    ofConnections.set(socket, onConnection);
    const request = { method, path, onConnection, socket, count: requests.length + 1 };
    requests.push(request);
    respond(request);
  });
  server.on('connection', (socket) => {
    ofConnections.set(socket, 0);
    socket.on('error', () => undefined).on('close', () => ofConnections.delete(socket));
  });
  const url = await listen(server, port);
  return {
    url,
    port: Number(new URL(url).port),
    requests: requests as readonly ScriptedRequest[],
    get openConnections() {
      return ofConnections.size;
    },
  };
}

/** An answer as it goes over the wire; the connection stays open. */
export function wireAnswer(body: string, status = '200 OK'): string {
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
