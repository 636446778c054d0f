import { PothosValidationError } from '@pothos/core';
import { GraphQLError } from 'graphql';
import { errorAt } from '../../packages/executor/src/place.ts';
import { BudgetError } from '../operation/call-budget.ts';
import { PagingError } from '../lists/errors.ts';
import { SlowReaderError } from '../live/event-queue.ts';
import { cutText, MAX_MESSAGE_CHARS } from '../cut-text.ts';
import {
  CREDENTIAL_HEADERS,
  missingCredential,
  SourceError,
  type SourceErrorKind,
  type Surface,
} from '../sources/errors.ts';
import { JournalUnavailable } from '../writes/write.ts';

/** Every `extensions.code` that a client can receive. */
export const ERROR_CODES = [
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_NOT_SUPPORTED',
  'INVALID_CURSOR',
  'SCAN_LIMIT_REACHED',
  'CREDENTIAL_MISSING',
  'CREDENTIAL_REJECTED',
  'SURFACE_NOT_CONFIGURED',
  'SURFACE_UNAVAILABLE',
  'UPSTREAM_REJECTED',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_MALFORMED',
  'RATE_LIMITED',
  'LIMIT_EXCEEDED',
  'OVERLOADED',
  'INTERNAL_SERVER_ERROR',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** Invalid input; the message names the argument and is shown to the caller. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

interface Presentation {
  readonly code: ErrorCode;
  readonly message: string;
  /** True when the same operation may succeed a little later. */
  readonly retryable: boolean;
}

const PRESENTATIONS: Readonly<Record<SourceErrorKind, (surface: Surface) => Presentation>> = {
  'not-configured': (surface) =>
    present('SURFACE_NOT_CONFIGURED', `The ${surface} surface is not configured on this server.`),
  'credential-missing': (surface) => present('CREDENTIAL_MISSING', missingCredential(surface)),
  unauthenticated: (surface) =>
    present(
      'CREDENTIAL_REJECTED',
      `The ${surface} surface rejected the credential in ${CREDENTIAL_HEADERS[surface]}.`,
    ),
  rejected: (surface) => present('UPSTREAM_REJECTED', `The ${surface} surface rejected the request.`),
  'rate-limited': (surface) => temporary('RATE_LIMITED', `Rate limited by the ${surface} surface.`),
  unreachable: (surface) => temporary('SURFACE_UNAVAILABLE', `The ${surface} surface cannot be reached.`),
  unavailable: (surface) => temporary('SURFACE_UNAVAILABLE', `The ${surface} surface is unavailable.`),
  timeout: (surface) => temporary('UPSTREAM_TIMEOUT', `The ${surface} surface timed out.`),
  malformed: (surface) =>
    present('UPSTREAM_MALFORMED', `The ${surface} surface returned an unexpected response.`),
  overloaded: (surface) =>
    temporary('OVERLOADED', `Too many requests to the ${surface} surface are pending.`),
  cancelled: () => present('INTERNAL_SERVER_ERROR', 'The operation was cancelled.'),
};

function present(code: ErrorCode, message: string): Presentation {
  return { code, message, retryable: false };
}

function temporary(code: ErrorCode, message: string): Presentation {
  return { code, message, retryable: true };
}

/** An error as a client may see it. */
export interface PresentedError {
  readonly error: GraphQLError;
  /** Whether its full cause belongs in the log. */
  readonly isUnexpected: boolean;
  /** Whether it only says that the caller has left, which is no failure. */
  readonly isCancelled: boolean;
  /** What was thrown. */
  readonly cause: unknown;
}

/** Reduces an error of an operation to what a client may see, with a code from the closed list. */
export function presentError(error: unknown, requestId: string): PresentedError {
  const cause = originOf(error);
  if (cause instanceof SourceError)
    return {
      error: presentSourceError(error, cause, requestId),
      isUnexpected: false,
      isCancelled: cause.kind === 'cancelled',
      cause,
    };
  const known = knownError(cause);
  const code = known?.code ?? 'INTERNAL_SERVER_ERROR';
  const extensions = { code, retryable: code === 'OVERLOADED' || isOfTheMoment(cause), requestId };
  const message = known?.message ?? 'Internal server error.';
  const presented = located(error, cutText(message, MAX_MESSAGE_CHARS), extensions);
  return { error: presented, isUnexpected: known === null, isCancelled: false, cause };
}

// Errors that a transport answers with 503.
function isOfTheMoment(cause: unknown): boolean {
  const http = cause instanceof GraphQLError ? cause.extensions['http'] : null;
  return typeof http === 'object' && http !== null && 'status' in http && http.status === 503;
}

// When graphql wraps one of its own errors, the outer one says more: it includes the location of the value.
function originOf(error: unknown): unknown {
  if (!(error instanceof GraphQLError) || error.originalError === undefined) return error;
  const origin = originOf(error.originalError);
  return origin instanceof GraphQLError ? error : origin;
}

function presentSourceError(error: unknown, cause: SourceError, requestId: string): GraphQLError {
  const { code, message, retryable } = PRESENTATIONS[cause.kind](cause.surface);
  const { serviceMessage, retryAfterMs, publicMessage = message } = cause.details;
  const words =
    serviceMessage === undefined ? publicMessage : `${publicMessage} The service says: ${serviceMessage}`;
  return located(error, cutText(words, MAX_MESSAGE_CHARS), {
    code,
    surface: cause.surface.toUpperCase(),
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    requestId,
  });
}

function knownError(cause: unknown): { code: string; message: string } | null {
  if (cause instanceof PagingError || cause instanceof BudgetError) return cause;
  if (cause instanceof SlowReaderError || cause instanceof JournalUnavailable)
    return { code: 'OVERLOADED', message: cause.message };
  if (cause instanceof InputError || cause instanceof PothosValidationError) {
    return { code: 'BAD_USER_INPUT', message: cause.message };
  }
  if (!(cause instanceof GraphQLError) || isOurValue(cause)) return null;
  const { code } = cause.extensions;
  // Without a code, graphql itself threw while coercing variables or choosing the operation: the caller's error.
  return {
    code: typeof code === 'string' && isErrorCode(code) ? code : 'BAD_USER_INPUT',
    message: cutText(withoutLongValue(cause), MAX_MESSAGE_CHARS),
  };
}

// For a variable, graphql prints the whole value, then its path and the problem; a long value would cut off both.
function withoutLongValue({ message, originalError }: GraphQLError): string {
  const end = originalError === undefined ? '' : `; ${originalError.message}`;
  const [start] = /^Variable "\$\w{1,100}" got invalid value/.exec(message) ?? [];
  if (message.length <= MAX_MESSAGE_CHARS || start === undefined || !message.endsWith(end)) return message;
  const head = message.slice(0, -end.length);
  const [place] = /^ at "[\w.[\]]{1,100}"$/.exec(head.slice(head.lastIndexOf(' at "'))) ?? [''];
  return `${start}${place}${end}`;
}

// graphql's error when it can't serialise one of our values has a path, but its core error has no location.
function isOurValue(error: GraphQLError): boolean {
  let core = error;
  while (core.originalError instanceof GraphQLError) core = core.originalError;
  return error.path !== undefined && core.nodes === undefined;
}

function isErrorCode(code: string): code is ErrorCode {
  return (ERROR_CODES as readonly string[]).includes(code);
}

function located(
  error: unknown,
  message: string,
  extensions: Readonly<Record<string, unknown>>,
): GraphQLError {
  if (!(error instanceof GraphQLError)) return new GraphQLError(message, { extensions });
  const { http } = error.extensions;
  return errorAt(message, error, {
    path: error.path ?? null,
    extensions: http === undefined ? extensions : { ...extensions, http },
  });
}
