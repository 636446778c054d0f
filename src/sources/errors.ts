/** The two HTTP surfaces of the service. */
export type Surface = 'current' | 'legacy';

/**
 * Why a call to the service failed; a closed set, so that callers can handle every kind.
 *
 * - `not-configured`: this server was started without the surface.
 * - `credential-missing`: the caller sent no credential for the surface; nothing was sent.
 * - `unauthenticated`: the service rejected the credential.
 * - `rejected`: the service understood the call and rejected it.
 * - `rate-limited`: the service requested a pause.
 * - `unreachable`: no connection (refused, DNS, TLS, connect timeout); nothing was sent.
 * - `unavailable`: the service responded with a server error, or the connection broke.
 * - `timeout`: no complete response within the deadline.
 * - `malformed`: a response that the interface does not document.
 * - `cancelled`: the caller disconnected.
 * - `overloaded`: too many calls are waiting here, or the call waited for longer than it may be sent, and nothing was sent;
 *   or, for a read, too much is being read.
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

/** Details of a failed call besides its kind. */
export interface SourceErrorDetails {
  /** The endpoint as the service's interface spells it, for example `GET /accounts/list`. */
  readonly endpoint?: string | undefined;
  /** HTTP status of the response, if one arrived. */
  readonly status?: number | undefined;
  /** The service's own message, as plain text of at most 300 characters. */
  readonly serviceMessage?: string | undefined;
  /** A sentence for the caller, in place of the default one for the kind. */
  readonly publicMessage?: string | undefined;
  /** Milliseconds to wait before retrying, if the service said so. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * A call to the service that did not return its documented result. The message is for logs; it contains no URL, body or
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

/** Throws the error on unless a call to the service failed: anything else is a mistake of this program. */
export function assertSourceError(error: unknown): asserts error is SourceError {
  if (!(error instanceof SourceError)) throw error;
}

/** Returns the id of a record, which has one unless the response is damaged; `what` names the record in the error. */
export function idOf(id: string | null, surface: Surface, what: string): string {
  if (id === null) throw new SourceError('malformed', surface, `${what} without an id`);
  return id;
}

/** The header for the credential of each surface, as named in messages. */
export const CREDENTIAL_HEADERS: Readonly<Record<Surface, string>> = {
  current: 'the header "x-api-key"',
  legacy: 'the header "authorization: Bearer …"',
};

const OTHER_FORM = 'The "authorization" header was ignored because its value does not begin with "Bearer ".';

/**
 * Returns what to send, for a caller who sent no credential for a surface.
 *
 * @param options.isInOtherForm - True if the `authorization` header was sent without `Bearer`.
 * @param options.demoCredentials - The credentials that the sandbox accepts, if it is in the place of the service.
 */
export function missingCredential(
  surface: Surface,
  {
    isInOtherForm = false,
    demoCredentials = null,
  }: {
    readonly isInOtherForm?: boolean;
    readonly demoCredentials?: { readonly apiKey: string; readonly accessToken: string } | null;
  } = {},
): string {
  const form = surface === 'legacy' ? ', whose value must begin with "Bearer "' : '';
  const needed = `The ${surface} surface requires a credential: send ${CREDENTIAL_HEADERS[surface]}${form}.`;
  const demo = demoCredentials && { current: demoCredentials.apiKey, legacy: demoCredentials.accessToken };
  return [
    needed,
    ...(isInOtherForm ? [OTHER_FORM] : []),
    ...(demo ? [`This server uses the sandbox, which accepts ${demo[surface]}.`] : []),
  ].join(' ');
}
