import {
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import type { Config } from '../../config.ts';
import { cutText, MAX_MESSAGE_CHARS } from '../../cut-text.ts';
import { shapeErrors } from './shape.ts';

/** Maximum number of document locations in an error. */
const MAX_PLACES = 4;

/**
 * Validates a document that is within the size limits; otherwise returns only the limit errors, because some rules take
 * quadratic time. Returns at most the configured number of errors, shortened for the response.
 */
export function validateWithin(
  schema: GraphQLSchema,
  document: DocumentNode,
  { limits, introspection }: Pick<Config, 'limits' | 'introspection'>,
): readonly GraphQLError[] {
  const refusals = shapeErrors(document, limits);
  if (refusals.length > 0) return refusals;
  const rules = introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  const maxErrors = limits.documentErrors;
  const errors = validate(schema, document, rules, { maxErrors, hideSuggestions: !introspection });
  // graphql adds one that says that it stopped.
  return errors.slice(0, maxErrors).map(shortenedError);
}

function shortenedError({ message, nodes, extensions }: GraphQLError): GraphQLError {
  const places = { nodes: nodes?.slice(0, MAX_PLACES) ?? null };
  return new GraphQLError(cutText(message, MAX_MESSAGE_CHARS), { ...places, extensions });
}
