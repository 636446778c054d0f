import type {
  DocumentNode,
  FragmentDefinitionNode,
  GraphQLField,
  GraphQLFieldResolver,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLTypeResolver,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';
import type { Selection } from './selection.ts';

/** What everything compiled for one operation refers to. */
export interface Plan {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Record<string, FragmentDefinitionNode>;
  readonly fieldResolver: GraphQLFieldResolver<unknown, unknown>;
  readonly typeResolver: GraphQLTypeResolver<unknown, unknown>;
  /** How many fields a field counts as. */
  readonly weightOf: (field: GraphQLField<unknown, unknown>) => number;
  /** Compiles what selection sets select from an object type. */
  readonly select: (type: GraphQLObjectType, sets: readonly SelectionSetNode[]) => Selection;
}
