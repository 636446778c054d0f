import type { SourceError, Surface } from '../sources/errors.ts';

/** What became of a write. */
export type WriteOutcome = 'COMPLETED' | 'PARTIAL' | 'REJECTED' | 'UNKNOWN';

/** Why a write did not complete; a closed list. */
export const USER_ERROR_CODES = [
  'INVALID_INPUT',
  'UNKNOWN_ACCOUNT',
  'ACCOUNT_NOT_LINKED',
  'ACCOUNT_UNAVAILABLE',
  'LIMIT_REACHED',
  'CONFLICT',
  'UPSTREAM_REJECTED',
  'OUTCOME_UNKNOWN',
  'RATE_LIMITED',
  'SURFACE_UNAVAILABLE',
  'SURFACE_NOT_CONFIGURED',
  'CREDENTIAL_MISSING',
  'CREDENTIAL_REJECTED',
  'IDEMPOTENCY_KEY_REUSED',
  'IDEMPOTENCY_IN_PROGRESS',
  'IDEMPOTENCY_UNAVAILABLE',
] as const;
export type UserErrorCode = (typeof USER_ERROR_CODES)[number];

/** One problem of a write, for the caller to act on. */
export interface UserError {
  readonly code: UserErrorCode;
  readonly message: string;
  /** The argument that is to blame, from `input` on; null where none is. */
  readonly path: readonly string[] | null;
  /** True when the same call may succeed a little later. */
  readonly retryable: boolean;
  /** How long the surface asks to wait before that, in milliseconds, where it said so. */
  readonly retryAfterMs?: number;
}

/** What every write comes to: data that can be stored as JSON. */
export interface WriteResult<D> {
  readonly outcome: WriteOutcome;
  /** What the write made; null unless the service said so. */
  readonly data: D | null;
  readonly userErrors: readonly UserError[];
  /** True when the service had the write before it, so that asking again would be another write. */
  readonly isSent: boolean;
}

/** The header that the credential of each surface comes in, as messages name it. */
export const CREDENTIAL_HEADERS: Readonly<Record<Surface, string>> = {
  current: 'the header "x-api-key"',
  legacy: 'the header "authorization: Bearer …"',
};

/**
 * Says what to send, to a caller who sent no credential for a surface.
 *
 * @param options.isInOtherForm - True where the `authorization` header was sent, without `Bearer`.
 */
export function missingCredential(
  surface: Surface,
  { isInOtherForm = false }: { readonly isInOtherForm?: boolean } = {},
): string {
  const form = surface === 'legacy' ? ', whose value must begin with "Bearer "' : '';
  const needed = `The ${surface} surface needs a credential: send ${CREDENTIAL_HEADERS[surface]}${form}.`;
  return isInOtherForm ? `${needed} ${OTHER_FORM}` : needed;
}

const OTHER_FORM =
  'The "authorization" header that was sent is ignored: its value does not begin with "Bearer ".';

/** A user error without a path. */
export function userError(code: UserErrorCode, message: string, options: Partial<UserError> = {}): UserError {
  return { code, message, path: null, retryable: false, ...options };
}

/** A write that was not sent because of problems that were seen before. */
export function refused(userErrors: readonly UserError[]): WriteResult<never> {
  return { outcome: 'REJECTED', data: null, userErrors, isSent: false };
}

/** A write that did what it was to do. */
export function completed<D>(data: D): WriteResult<D> {
  return { outcome: 'COMPLETED', data, userErrors: [], isSent: true };
}

/** A write that did something else than it was to do, or only a part; `data` says what. */
export function partial<D>(data: D, error: UserError): WriteResult<D> {
  return { outcome: 'PARTIAL', data, userErrors: [error], isSent: true };
}

/** A write of which nothing is known yet; this call sent nothing. */
export function undecided(error: UserError): WriteResult<never> {
  return { outcome: 'UNKNOWN', data: null, userErrors: [error], isSent: false };
}

/** A write of which nobody can say whether it happened; `howToFindOut` ends the sentence for the caller. */
export function unknown(howToFindOut: string): WriteResult<never> {
  const message = `The service did not confirm this, and it may have happened all the same. ${howToFindOut}`;
  return {
    outcome: 'UNKNOWN',
    data: null,
    userErrors: [userError('OUTCOME_UNKNOWN', message)],
    isSent: true,
  };
}

/**
 * What a failed call means for the write: refused for certain, or unknown. Every kind of failure is decided here and
 * nowhere else.
 */
export function resultOfFailure(error: SourceError, howToFindOut: string): WriteResult<never> {
  const refusal = refusalOf(error);
  return refusal ? { ...refused([refusal]), isSent: error.kind === 'rejected' } : unknown(howToFindOut);
}

/**
 * What a failed look-up before a write means for it: refused, and not sent. `what` names what could not be looked up.
 */
export function resultOfLookup(error: SourceError, what: string): WriteResult<never> {
  const message = `The ${error.surface} surface did not show ${what}, so nothing was sent.`;
  return refused([refusalOf(error) ?? userError('SURFACE_UNAVAILABLE', message, { retryable: true })]);
}

function refusalOf({ kind, surface, details }: SourceError): UserError | null {
  const words = details.serviceMessage === undefined ? '' : ` It says: ${details.serviceMessage}`;
  switch (kind) {
    case 'not-configured':
      return userError('SURFACE_NOT_CONFIGURED', `This server has no ${surface} surface.`);
    case 'credential-missing':
      return userError('CREDENTIAL_MISSING', details.publicMessage ?? missingCredential(surface));
    case 'unauthenticated':
      return userError(
        'CREDENTIAL_REJECTED',
        `The ${surface} surface does not accept the credential.${words}`,
      );
    case 'rejected':
      return userError('UPSTREAM_REJECTED', `The ${surface} surface refused this.${words}`);
    case 'rate-limited':
      return userError('RATE_LIMITED', `The ${surface} surface asks for a pause.${words}`, {
        retryable: true,
        ...(details.retryAfterMs === undefined ? {} : { retryAfterMs: details.retryAfterMs }),
      });
    case 'unreachable':
      return userError('SURFACE_UNAVAILABLE', `The ${surface} surface can't be reached; nothing was sent.`, {
        retryable: true,
      });
    case 'overloaded':
      return userError('SURFACE_UNAVAILABLE', `Too many calls wait for their turn; nothing was sent.`, {
        retryable: true,
      });
    case 'unavailable':
    case 'timeout':
    case 'malformed':
    case 'cancelled':
      return null;
    default:
      return kind satisfies never;
  }
}
