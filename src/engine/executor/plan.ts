import type {
  DocumentNode,
  FragmentDefinitionNode,
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
  /** Compiles what selection sets select from an object type. */
  readonly select: (type: GraphQLObjectType, sets: readonly SelectionSetNode[]) => Selection;
}
