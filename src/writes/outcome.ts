import { assertSourceError, missingCredential, SourceError } from '../sources/errors.ts';

/** The outcome of a write. */
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

/** One problem of a write, on which the caller can act. */
export interface UserError {
  readonly code: UserErrorCode;
  readonly message: string;
  /** Path of the invalid argument, starting with `input`; null if there is none. */
  readonly path: readonly string[] | null;
  /** True if the same call may succeed a little later. */
  readonly retryable: boolean;
  /** Milliseconds that the surface asks to wait before retrying, if it said so. */
  readonly retryAfterMs?: number;
}

/** The result of every write, as data that can be stored as JSON. */
export interface WriteResult<D> {
  readonly outcome: WriteOutcome;
  /** What the write created; null unless the service confirmed it. */
  readonly data: D | null;
  readonly userErrors: readonly UserError[];
  /** True if the service received the write, so that sending it again would be another write. */
  readonly isSent: boolean;
}

/** A user error without a path. */
export function userError(code: UserErrorCode, message: string, options: Partial<UserError> = {}): UserError {
  return { code, message, path: null, retryable: false, ...options };
}

/** The user error for a surface that may soon do what it cannot do now. */
export function unavailable(message: string): UserError {
  return userError('SURFACE_UNAVAILABLE', message, { retryable: true });
}

/** Creates the result of a write that was not sent because of known problems. */
export function refused(userErrors: readonly UserError[]): WriteResult<never> {
  return { outcome: 'REJECTED', data: null, userErrors, isSent: false };
}

/** Creates the result of a write that did what it should. */
export function completed<D>(data: D): WriteResult<D> {
  return { outcome: 'COMPLETED', data, userErrors: [], isSent: true };
}

/** Creates the result of a write that did something else, or only part of it; `data` says what. */
export function partial<D>(data: D, error: UserError): WriteResult<D> {
  return { outcome: 'PARTIAL', data, userErrors: [error], isSent: true };
}

/** Creates the result for a write of which nothing is known yet; this call sent nothing. */
export function undecided(error: UserError): WriteResult<never> {
  return { outcome: 'UNKNOWN', data: null, userErrors: [error], isSent: false };
}

/** Creates the result of a write that may or may not have happened; `howToFindOut` completes the message. */
export function unknown(howToFindOut: string, words = ''): WriteResult<never> {
  const message = `The service did not confirm the write; it may have succeeded.${words} ${howToFindOut}`;
  return {
    outcome: 'UNKNOWN',
    data: null,
    userErrors: [userError('OUTCOME_UNKNOWN', message)],
    isSent: true,
  };
}

/**
 * Converts a failed call to the result of the write: certainly rejected, or unknown. All kinds of failure are decided
 * here.
 */
export function resultOfFailure(error: SourceError, howToFindOut: string): WriteResult<never> {
  const refusal = refusalOf(error);
  return refusal
    ? { ...refused([refusal]), isSent: error.kind === 'rejected' }
    : unknown(howToFindOut, wordsOf(error));
}

/** Sends a write once, and converts its failure to a result; `howToFindOut` completes the message if it is unknown. */
export async function sendOnce<D>(
  send: () => Promise<WriteResult<D>>,
  howToFindOut: string,
): Promise<WriteResult<D>> {
  try {
    return await retryIfNotConnected(send);
  } catch (error) {
    assertSourceError(error);
    return resultOfFailure(error, howToFindOut);
  }
}

/**
 * Sends a write, and retries it once only if no connection could be made, so that none of it was sent.
 *
 * @throws whatever `send` throws
 */
export async function retryIfNotConnected<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'unreachable') return await send();
    throw error;
  }
}

/** Converts a failed look-up before a write to its result: rejected and not sent. `what` names what was looked up. */
export function resultOfLookup(error: SourceError, what: string): WriteResult<never> {
  const message = `The ${error.surface} surface could not return ${what}, so nothing was sent.${wordsOf(error)}`;
  return refused([refusalOf(error) ?? unavailable(message)]);
}

function wordsOf({ kind, details }: SourceError): string {
  if (details.serviceMessage !== undefined) return ` The service says: ${details.serviceMessage}`;
  return kind === 'malformed' && details.publicMessage !== undefined ? ` ${details.publicMessage}` : '';
}

function refusalOf(error: SourceError): UserError | null {
  const { kind, surface, details } = error;
  const words = wordsOf(error);
  switch (kind) {
    case 'not-configured':
      return userError('SURFACE_NOT_CONFIGURED', `The ${surface} surface is not configured on this server.`);
    case 'credential-missing':
      return userError('CREDENTIAL_MISSING', details.publicMessage ?? missingCredential(surface));
    case 'unauthenticated':
      return userError('CREDENTIAL_REJECTED', `The ${surface} surface rejected the credential.${words}`);
    case 'rejected':
      return userError('UPSTREAM_REJECTED', `The ${surface} surface rejected the request.${words}`);
    case 'rate-limited':
      return userError('RATE_LIMITED', `Rate limited by the ${surface} surface; nothing was done.${words}`, {
        retryable: true,
        ...(details.retryAfterMs !== undefined && { retryAfterMs: details.retryAfterMs }),
      });
    case 'unreachable':
      return unavailable(`The ${surface} surface cannot be reached; nothing was sent.`);
    case 'overloaded':
      return unavailable(`Too many requests to the ${surface} surface are pending; nothing was sent.`);
    case 'unavailable':
    case 'timeout':
    case 'malformed':
    case 'cancelled':
      return null;
    default:
      return kind satisfies never;
  }
}
