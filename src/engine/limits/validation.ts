import {
  GraphQLError,
  KnownDirectivesRule,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLSchema,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import type { DocumentLimits } from '../../config.ts';
import { cutText, MAX_MESSAGE_CHARS } from '../../cut-text.ts';
import { shapeErrors } from './shape.ts';

/** Maximum number of document locations in an error. */
const MAX_PLACES = 4;
/** Maximum size of a document's errors in bytes of JSON, without the request id. */
const MAX_ERRORS_BYTES = 6 * 1_024;

/** How documents are validated. */
export interface ValidationOptions {
  readonly limits: DocumentLimits;
  /** Whether introspection is allowed; if not, errors about misspelt names do not suggest the right ones either. */
  readonly introspection: boolean;
  readonly rules?: readonly ValidationRule[];
}

/**
 * Validates a document that is within the size limits; otherwise returns only the limit errors, because some rules take
 * quadratic time. Returns at most the configured number of errors, shortened for the response.
 */
export function validateWithin(
  schema: GraphQLSchema,
  document: DocumentNode,
  { limits, introspection, rules = specifiedRules }: ValidationOptions,
): readonly GraphQLError[] {
  const refusals = shapeErrors(document, limits);
  if (refusals.length > 0) return refusals;
  const ours = rules.map((rule) => (rule === KnownDirectivesRule ? OneUnknownDirectiveRule : rule));
  if (!introspection) ours.push(NoSchemaIntrospectionCustomRule);
  const maxErrors = limits.documentErrors;
  return told(validate(schema, document, ours, { maxErrors, hideSuggestions: !introspection }), maxErrors);
}

// Every unknown directive would otherwise produce an error, at a few bytes each.
function OneUnknownDirectiveRule(context: ValidationContext) {
  let isTold = false;
  const reportError = (error: GraphQLError): void => {
    if (!isTold) context.reportError(error);
    isTold = true;
  };
  return KnownDirectivesRule(
    Object.create(context, { reportError: { value: reportError } }) as ValidationContext,
  );
}

function told(errors: readonly GraphQLError[], most: number): GraphQLError[] {
  const shortened = errors.slice(0, most).map(shortenedError);
  const different = shortened.filter(
    ({ message }, index) => shortened.findIndex((other) => other.message === message) === index,
  );
  let bytes = 0;
  return different.filter((error, index) => {
    bytes += Buffer.byteLength(JSON.stringify(error));
    return index === 0 || bytes <= MAX_ERRORS_BYTES;
  });
}

function shortenedError(error: GraphQLError): GraphQLError {
  const { message, nodes = [], source = null, positions, extensions } = error;
  const places =
    nodes.length > 0 ? { nodes: nodes.slice(0, MAX_PLACES) } : { source, positions: positions ?? null };
  return new GraphQLError(cutText(message, MAX_MESSAGE_CHARS), { ...places, extensions });
}
