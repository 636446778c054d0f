import { GraphQLError } from 'graphql';

/** The refusal of an operation that is beyond a limit, with how much is allowed and how much was found. */
export function limitError(what: string, allowed: number, found: number): GraphQLError {
  const message = `The operation is beyond a limit: ${what}, ${allowed} allowed, ${found} found.`;
  return new GraphQLError(message, { extensions: { code: 'LIMIT_EXCEEDED' } });
}
