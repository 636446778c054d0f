import type { GraphQLError } from 'graphql';
import type { DocumentLimits } from '../../config.ts';
import { limitError } from './limit-error.ts';

/** Returns an error if the variables exceed a limit, or null. Takes no more steps than there are allowed values. */
export function variablesError(
  variables: unknown,
  { variableDepth, variableValues }: Pick<DocumentLimits, 'variableDepth' | 'variableValues'>,
): GraphQLError | null {
  let level = childrenOf(variables);
  let count = 0;
  for (let depth = 1; level.length > 0; depth += 1) {
    count += level.length;
    if (count > variableValues) return limitError('values in the variables', variableValues, count);
    // The variables object itself is not a level, unlike the fields of an input object.
    if (depth > variableDepth) return limitError('depth of the variables', variableDepth, depth);
    level = level.flatMap(childrenOf);
  }
  return null;
}

function childrenOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
