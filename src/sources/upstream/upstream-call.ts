import type { OperationSpan } from '../../observability/tracing.ts';
import type { Endpoint } from '../endpoint.ts';
import type { SourceError, SourceErrorKind, Surface } from '../errors.ts';
import type { HttpAnswer } from '../http-answer.ts';
import type { Cancellation } from './cancellation.ts';

/** One call to a surface; path, query and header values are encoded already. */
export interface UpstreamCall {
  readonly endpoint: Endpoint;
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body?: string | undefined;
  /** A name for the holder of the credential that reveals nothing about the credential. */
  readonly caller: string;
  /** Cancels a read when the operation it belongs to is cancelled; ignored for a call with an effect. */
  readonly cancellation?: Cancellation | undefined;
  /** When the operation that reads must have ended, in the milliseconds of `performance.now`. */
  readonly endsAt?: number | undefined;
  /** True if a read that began earlier, for somebody else, is not good enough. */
  readonly isFresh?: boolean | undefined;
  /** Told each time the call was sent, once that has ended. */
  readonly onCall?: ((call: FinishedCall) => void) | undefined;
  /** The span of the operation that the call is made for, where one is recorded. */
  readonly span?: OperationSpan | null | undefined;
}

/** One request to the service that has ended, for logs and metrics; it holds no data of the caller or the service. */
export interface FinishedCall {
  readonly endpoint: string;
  readonly surface: Surface;
  /** HTTP status, or null if no response came. */
  readonly status: number | null;
  /** How the call failed, or null if a response came, whatever its status. */
  readonly failure: SourceErrorKind | null;
  readonly durationMs: number;
}

/** Sends requests to one surface: each once, never again. */
export interface Transport {
  /** Prepares an exchange; nothing is sent before `Exchange.send`. */
  exchange(call: UpstreamCall, owner: ExchangeOwner): Exchange;
  close(): Promise<void>;
}

/** One request and its response. */
export interface Exchange {
  /** @param traceHeaders - names and values, in turn, of headers that pass a trace on */
  send(traceHeaders?: readonly string[]): void;
  /** Ends the exchange now with a failure of this kind; what has not been sent yet will not be. */
  abort(kind: SourceErrorKind): void;
}

/** Whoever needs the result of an exchange. */
export interface ExchangeOwner {
  /**
   * Called once, with the complete response, or with a failure of kind `unreachable`, `unavailable`, `timeout`,
   * `malformed` or `cancelled`, or, for a read, `overloaded` if too many large responses are in memory.
   */
  ended(outcome: HttpAnswer | SourceError): void;
}
