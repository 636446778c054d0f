import { GraphQLError } from 'graphql';

/** Creates the error for an operation that exceeds a limit; it names the limit, what is allowed and what was found. */
export function limitError(what: string, allowed: number, found: number): GraphQLError {
  const message = `The operation is beyond a limit: ${what}, ${allowed} allowed, ${found} found.`;
  return new GraphQLError(message, { extensions: { code: 'LIMIT_EXCEEDED' } });
}
