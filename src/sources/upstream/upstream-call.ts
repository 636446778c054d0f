import type { OperationSpan } from '../../observability/tracing.ts';
import type { Endpoint } from '../endpoint.ts';
import type { SourceError, SourceErrorKind, Surface } from '../errors.ts';
import type { HttpAnswer } from '../http-answer.ts';
import type { Cancellation } from './cancellation.ts';

/** One call to a surface. Path, query and header values are already encoded. */
export interface UpstreamCall {
  readonly endpoint: Endpoint;
  readonly path: string;
  /** Alternating names and values. */
  readonly headers: readonly string[];
  readonly body?: string | undefined;
  /** A name for the holder of the credential that reveals nothing about the credential. */
  readonly caller: string;
  /** Cancels a read when its operation is cancelled; ignored for a write. */
  readonly cancellation?: Cancellation | undefined;
  /** When the operation of the read must have ended, as a `performance.now` time. */
  readonly endsAt?: number | undefined;
  /** True if the call must not join an earlier read. */
  readonly isFresh?: boolean | undefined;
  /** Called after each attempt that was sent has ended. */
  readonly onCall?: ((call: FinishedCall) => void) | undefined;
  /** The span of the operation that makes the call, if one is recorded. */
  readonly span?: OperationSpan | null | undefined;
}

/** A finished request to the service, for logs and metrics. It contains no data of the caller or the service. */
export interface FinishedCall {
  readonly endpoint: string;
  readonly surface: Surface;
  /** HTTP status, or null if no response arrived. */
  readonly status: number | null;
  /** How the call failed, or null if a response arrived, whatever its status. */
  readonly failure: SourceErrorKind | null;
  readonly durationMs: number;
}

/** Sends requests to one surface, each exactly once. */
export interface Transport {
  /** Prepares an exchange; nothing is sent before `Exchange.send`. */
  exchange(call: UpstreamCall, owner: ExchangeOwner): Exchange;
  close(): Promise<void>;
}

/** One request and its response. */
export interface Exchange {
  /** @param traceHeaders - alternating names and values of headers that propagate a trace */
  send(traceHeaders?: readonly string[]): void;
  /** Ends the exchange immediately with a failure of this kind. Anything not yet sent is not sent. */
  abort(kind: SourceErrorKind): void;
}

/** The recipient of an exchange's result. */
export interface ExchangeOwner {
  /**
   * Called once, with the complete response, or with a failure of kind `unreachable`, `unavailable`, `timeout`,
   * `malformed` or `cancelled`, or, for a read, `overloaded` if too many large responses are in memory.
   */
  ended(outcome: HttpAnswer | SourceError): void;
}
