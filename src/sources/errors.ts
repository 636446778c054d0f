/** The two HTTP surfaces of the service. */
export type Surface = 'current' | 'legacy';

/**
 * Why a call to the service failed; a closed set, so that every caller can decide exhaustively.
 *
 * - `not-configured`: this server was started without the surface.
 * - `credential-missing`: the caller sent no credential for the surface; nothing was sent.
 * - `unauthenticated`: the service refused the credential.
 * - `rejected`: the service understood the call and refused it.
 * - `rate-limited`: the service asks for a pause.
 * - `unreachable`: no connection (refused, DNS, TLS, connect timeout); nothing was sent.
 * - `unavailable`: the service answered that it is broken, or the connection broke.
 * - `timeout`: no complete answer within the deadline.
 * - `malformed`: an answer that the interface does not document.
 * - `cancelled`: the caller went away.
 * - `overloaded`: too many calls wait for their turn here, and nothing was sent; or, of a read, too much is read at once.
 */
export type SourceErrorKind =
  | 'not-configured'
  | 'credential-missing'
  | 'unauthenticated'
  | 'rejected'
  | 'rate-limited'
  | 'unreachable'
  | 'unavailable'
  | 'timeout'
  | 'malformed'
  | 'cancelled'
  | 'overloaded';

/** What is known of a failed call beside its kind. */
export interface SourceErrorDetails {
  /** The endpoint as the service's interface spells it, for example `GET /accounts/list`. */
  readonly endpoint?: string;
  /** HTTP status of the answer, where one arrived. */
  readonly status?: number;
  /** The service's own words, as plain text, at most 300 characters. */
  readonly serviceMessage?: string;
  /** A sentence for the caller, in place of the one that every error of the kind has. */
  readonly publicMessage?: string;
  /** Milliseconds to wait before another try, where the service said so. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/**
 * A call to the service that did not give its documented result. The message is for logs; it holds no URL, body or
 * credential.
 */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly kind: SourceErrorKind;
  readonly surface: Surface;
  readonly details: SourceErrorDetails;

  constructor(kind: SourceErrorKind, surface: Surface, message: string, details: SourceErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.surface = surface;
    this.details = details;
  }
}
