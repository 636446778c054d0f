import type { GraphQLError } from 'graphql';
import type { DocumentLimits } from '../../config/document-limits.ts';
import { limitError } from '../../engine/limit-error.ts';

/** What of an operation's variables is beyond a limit, or null. Takes no more steps than values are allowed. */
export function variablesError(
  variables: unknown,
  { variableDepth, variableValues }: Pick<DocumentLimits, 'variableDepth' | 'variableValues'>,
): GraphQLError | null {
  let level = childrenOf(variables);
  let count = 0;
  for (let depth = 1; level.length > 0; depth += 1) {
    count += level.length;
    if (count > variableValues) return limitError('values in the variables', variableValues, count);
    // The variables themselves are no level, as the fields of an input are.
    if (depth > variableDepth) return limitError('depth of the variables', variableDepth, depth);
    level = level.flatMap(childrenOf);
  }
  return null;
}

function childrenOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
