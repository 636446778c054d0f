import type { GraphQLError } from 'graphql';
import { errorAt } from '../packages/executor/src/place.ts';
import type { Log } from './observability/log.ts';
import { presentError, type PresentedError } from './schema/errors.ts';

/**
 * Prepares the errors of an execution result for the client: each has a code of the closed list and the request id.
 * Unexpected errors are logged in full.
 */
export function presentResult<T extends Result>(result: T, requestId: string, log: Log): T {
  if (!result.errors?.length) return result;
  const all = result.errors.map((error) => presentError(error, requestId));
  logErrors(
    all.filter(({ isCancelled }) => !isCancelled),
    requestId,
    log,
  );
  const presented = all.map(({ error }) => error);
  return { ...result, errors: 'data' in result ? presented : presented.map(withStatus) };
}

interface Result {
  readonly data?: unknown;
  readonly errors?: readonly GraphQLError[] | undefined;
}

// An operation that was not executed is a failed request, which the media type for GraphQL responses expresses by its
// status; `application/json` keeps 200, as older clients expect.
function withStatus(error: GraphQLError): GraphQLError {
  const isOurs = error.extensions['code'] === 'INTERNAL_SERVER_ERROR';
  const http = error.extensions['http'] ?? (isOurs ? { status: 500 } : { status: 400, spec: true });
  return errorAt(error.message, error, {
    path: error.path ?? null,
    extensions: { ...error.extensions, http },
  });
}

// One line per code, however many errors there are.
function logErrors(errors: readonly PresentedError[], requestId: string, log: Log): void {
  const codes = errors.map(({ error }) => error.extensions['code']);
  for (const code of new Set(codes)) {
    const first = errors[codes.indexOf(code)];
    const count = codes.filter((other) => other === code).length;
    if (first?.isUnexpected) log.error({ requestId, code, count, err: first.cause }, 'an unexpected error');
    else log.info({ requestId, code, count }, 'an operation failed');
  }
}
