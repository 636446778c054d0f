import { buildSchema, graphqlSync, type GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import { presentError } from '../../src/schema/errors.ts';

const REQUEST_ID = '123e4567-e89b-12d3-a456-426614174000';
const SCHEMA = buildSchema(`
  type Query { count: Int, day: Day, list: [Int], required: Int!, fails: Int, echo(text: String!): String }
  enum Day { MONDAY }`);

/** The error that graphql makes of an operation on a schema whose values are ours. */
function errorOf(source: string, variableValues: Readonly<Record<string, unknown>> = {}): GraphQLError {
  const rootValue = {
    count: 'planted',
    day: 'planted',
    list: { planted: 1 },
    required: null,
    fails: () => {
      throw new TypeError('planted at 10.0.0.7');
    },
    echo: ({ text }: { readonly text: string }) => text,
  };
  const [error] = graphqlSync({ schema: SCHEMA, source, rootValue, variableValues }).errors ?? [];
  if (!error) throw new Error('no error');
  return error;
}

test.each(['{ count }', '{ day }', '{ list }', '{ required }', '{ fails }'])(
  'what graphql says of a value of ours in %s is masked, and counts as unexpected',
  (source) => {
    const { error, isUnexpected } = presentError(errorOf(source), REQUEST_ID);
    expect(error.extensions).toEqual({
      code: 'INTERNAL_SERVER_ERROR',
      retryable: false,
      requestId: REQUEST_ID,
    });
    expect(error.message).toBe('Internal server error.');
    expect(isUnexpected).toBe(true);
  },
);

test.each<[source: string, variables: Record<string, unknown>]>([
  ['query ($text: String!) { echo(text: $text) }', {}],
  ['query ($text: String!) { echo(text: $text) }', { text: 7 }],
  ['query ($text: String!) { echo(text: $text) }', { text: {} }],
  ['query ($text: String = "x") { echo(text: $text) }', { text: null }],
])('what graphql says of a caller’s value in %s with %j is the caller’s to mend', (source, variables) => {
  const { error, isUnexpected } = presentError(errorOf(source, variables), REQUEST_ID);
  expect(error.extensions['code']).toBe('BAD_USER_INPUT');
  expect(error.message).toContain('text');
  expect(isUnexpected).toBe(false);
});
