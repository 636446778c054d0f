import {
  assertValidSchema,
  GraphQLError,
  Kind,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { CompiledOperation, type CompileOptions } from './operation.ts';
import type { DataReads, Plan } from './run.ts';
import { Selection } from './selection.ts';

/** The result for a document that lacks the requested operation, as in graphql-js. */
export interface CompileErrors {
  readonly errors: readonly GraphQLError[];
}

/**
 * Compiles one operation of a document for repeated execution. The document should be validated; an invalid document is
 * executed as graphql-js would.
 *
 * @returns the operation, or errors if the document does not contain it.
 * @throws if the schema is invalid.
 */
export function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  options: CompileOptions = {},
): CompiledOperation | CompileErrors {
  assertValidSchema(schema);
  const operation = operationOf(document, options.operationName ?? null);
  if (operation instanceof GraphQLError) return { errors: [operation] };
  const plan: Plan = {
    schema,
    operation,
    fragments: fragmentsOf(document),
    weightOf: options.limits?.weightOf ?? (() => 1),
    data: options.data ?? NO_DATA,
    select: (type, sets) => new Selection(plan, type, sets),
  };
  return new CompiledOperation(plan, options);
}

const NO_DATA: DataReads = {
  rowOf: () => undefined,
  kindOf: (row) => row,
  readerOf: () => undefined,
};

function operationOf(
  { definitions }: DocumentNode,
  name: string | null,
): OperationDefinitionNode | GraphQLError {
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (name !== null) {
    // The last of several operations with the same name, as in graphql-js.
    const named = operations.findLast((operation) => operation.name?.value === name);
    return named ?? new GraphQLError(`Unknown operation named "${name}".`);
  }
  const [operation, other] = operations;
  if (!operation) return new GraphQLError('Must provide an operation.');
  if (!other) return operation;
  return new GraphQLError('Must provide operation name if query contains multiple operations.');
}

function fragmentsOf({ definitions }: DocumentNode): Record<string, FragmentDefinitionNode> {
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  for (const node of definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments[node.name.value] = node;
  return fragments;
}
