import { GraphQLError } from 'graphql';

/** Creates the error for an operation that exceeds a limit. It states the limit, the allowed and the actual amount. */
export function limitError(what: string, allowed: number, found: number): GraphQLError {
  const message = `The operation exceeds the limit for ${what}: ${found} (maximum ${allowed}).`;
  return new GraphQLError(message, { extensions: { code: 'LIMIT_EXCEEDED' } });
}
