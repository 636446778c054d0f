import {
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  getOperationAST,
  getVariableValues,
  GraphQLError,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isObjectType,
  isInterfaceType,
  Kind,
  type ExecutionArgs,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { OperationContext } from '../context.ts';
import { planField, type Bill, type Holding } from '../schema/cost.ts';

/** What is to be executed, before it is. */
export type Planned = Pick<ExecutionArgs, 'schema' | 'document' | 'operationName' | 'variableValues'> & {
  readonly context: OperationContext;
};

/**
 * Estimates how many calls to the service an operation makes at most, from its fields and their real arguments, while
 * the service holds still and answers. Null for what can't be executed: no operation, or variables that do not fit.
 */
export function estimateCalls({
  schema,
  document,
  operationName,
  variableValues,
  context,
}: Planned): number | null {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root) return null;
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {}, {
    maxErrors: 1,
  });
  if (!coerced) return null;
  const calls = new Map<string, number>();
  const bill: Bill = {
    add: (name, count) => void calls.set(name, Math.max(count, calls.get(name) ?? 0)),
  };
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
  const walk: Walk = { schema, variables: coerced, fragments, context, bill };
  visit(walk, operation.selectionSet, { type: root, holdings: [], place: '' });
  return [...calls.values()].reduce((sum, count) => sum + count, 0);
}

interface Walk {
  readonly schema: ExecutionArgs['schema'];
  readonly variables: Readonly<Record<string, unknown>>;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly context: OperationContext;
  readonly bill: Bill;
}

/** What a selection selects from. */
interface Here {
  readonly type: GraphQLNamedType;
  readonly holdings: readonly Holding[];
  readonly place: string;
}

function visit(walk: Walk, { selections }: SelectionSetNode, here: Here): void {
  for (const selection of selections) {
    if (!isSelected(walk, selection)) continue;
    if (selection.kind === Kind.FIELD) {
      visitField(walk, selection, here);
      continue;
    }
    const fragment =
      selection.kind === Kind.INLINE_FRAGMENT ? selection : walk.fragments.get(selection.name.value);
    if (!fragment) continue;
    const condition = fragment.typeCondition && walk.schema.getType(fragment.typeCondition.name.value);
    visit(walk, fragment.selectionSet, { ...here, type: condition ?? here.type });
  }
}

function visitField(walk: Walk, node: FieldNode, here: Here): void {
  const field = fieldOf(here.type, node.name.value);
  const args = field && argumentsOf(walk, field, node);
  // An argument that does not fit is an error before any call.
  if (!field || !args) return;
  const place = `${here.place}.${node.alias?.value ?? node.name.value}`;
  const { context, bill } = walk;
  const holdings = planField(field, { args, holdings: here.holdings, place, context, bill });
  if (holdings === null || !node.selectionSet) return;
  visit(walk, node.selectionSet, { type: getNamedType(field.type), holdings, place });
}

type Field = GraphQLField<unknown, unknown>;

const NO_ARGUMENTS: Record<string, unknown> = Object.freeze({});

function argumentsOf({ variables }: Walk, field: Field, node: FieldNode): Record<string, unknown> | null {
  if (field.args.length === 0) return NO_ARGUMENTS;
  try {
    return getArgumentValues(field, node, variables);
  } catch (error) {
    if (error instanceof GraphQLError) return null;
    throw error;
  }
}

function fieldOf(type: GraphQLNamedType, name: string): Field | undefined {
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}

function isSelected({ variables }: Walk, node: SelectionNode): boolean {
  if (!node.directives?.length) return true;
  const skip = getDirectiveValues(GraphQLSkipDirective, node, variables);
  const include = getDirectiveValues(GraphQLIncludeDirective, node, variables);
  return skip?.['if'] !== true && include?.['if'] !== false;
}
