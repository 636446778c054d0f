import { GraphQLError } from 'graphql';
import type { Log } from '../log.ts';
import { presentError } from '../schema/errors.ts';

/**
 * An execution result whose errors a client may see: each with a code of the closed list and the request id. What was
 * not foreseen goes to the log in full.
 */
export function presentResult<T extends Result>(result: T, requestId: string, log: Log): T {
  if (!result.errors?.length) return result;
  const presented = result.errors.map((error) => presentAndLog(error, requestId, log));
  return { ...result, errors: 'data' in result ? presented : presented.map(withStatus) };
}

interface Result {
  readonly data?: unknown;
  readonly errors?: readonly GraphQLError[] | undefined;
}

// An operation that was not executed has failed as a request, which the media type for GraphQL responses tells by its
// status; `application/json` keeps 200, as clients of old expect.
function withStatus(error: GraphQLError): GraphQLError {
  const isOurs = error.extensions['code'] === 'INTERNAL_SERVER_ERROR';
  const http = error.extensions['http'] ?? (isOurs ? { status: 500 } : { status: 400, spec: true });
  return new GraphQLError(error.message, {
    nodes: error.nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
    path: error.path ?? null,
    extensions: { ...error.extensions, http },
  });
}

function presentAndLog(error: GraphQLError, requestId: string, log: Log): GraphQLError {
  const { error: presented, isUnexpected } = presentError(error, requestId);
  const { code } = presented.extensions;
  if (isUnexpected) log.error({ requestId, code, err: error.originalError ?? error }, 'an unexpected error');
  else log.info({ requestId, code }, 'an operation had an error');
  return presented;
}
