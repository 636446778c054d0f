import {
  getDirectiveValues,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isAbstractType,
  Kind,
  typeFromAST,
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type InlineFragmentNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Plan } from './run.ts';

/** The nodes that select one field of an object. */
export type FieldNodes = readonly [FieldNode, ...FieldNode[]];
type Groups = Map<string, [FieldNode, ...FieldNode[]]>;

/** Decides whether `@skip` and `@include` include a selection. */
export type Includes = (node: SelectionNode) => boolean;

/** Returns the nodes that selection sets select from an object type, by response name, in response order. */
export function collectFields(
  plan: Plan,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
  includes: Includes,
): ReadonlyMap<string, FieldNodes> {
  const groups: Groups = new Map();
  const collection: Collection = { plan, type, includes, groups, visited: new Set() };
  for (const set of sets) collect(collection, set);
  return groups;
}

interface Collection {
  readonly plan: Plan;
  readonly type: GraphQLObjectType;
  readonly includes: Includes;
  readonly groups: Groups;
  /** Names of the fragments that have already been spread. */
  readonly visited: Set<string>;
}

function collect(collection: Collection, { selections }: SelectionSetNode): void {
  const { plan, includes, groups, visited } = collection;
  for (const node of selections) {
    const spread = node.kind === Kind.FRAGMENT_SPREAD ? node.name.value : null;
    if ((spread !== null && visited.has(spread)) || !includes(node)) continue;
    if (spread !== null) visited.add(spread);
    if (node.kind === Kind.FIELD) addField(groups, node);
    else {
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : plan.fragments[node.name.value];
      if (fragment && appliesTo(collection, fragment)) collect(collection, fragment.selectionSet);
    }
  }
}

function addField(groups: Groups, node: FieldNode): void {
  const key = node.alias ? node.alias.value : node.name.value;
  const nodes = groups.get(key);
  if (nodes) nodes.push(node);
  else groups.set(key, [node]);
}

function appliesTo(
  { plan, type }: Collection,
  { typeCondition }: InlineFragmentNode | FragmentDefinitionNode,
): boolean {
  if (!typeCondition) return true;
  const condition = typeFromAST(plan.schema, typeCondition);
  return condition === type || (isAbstractType(condition) && plan.schema.isSubType(condition, type));
}

/** Evaluates literal `@skip` and `@include` conditions; null if the result depends on variables or is an error. */
export function isAlwaysIncluded({ directives }: SelectionNode): boolean | null {
  if (!directives?.length) return true;
  const skip = literalOf(directives, GraphQLSkipDirective.name, false);
  const include = literalOf(directives, GraphQLIncludeDirective.name, true);
  if (skip === true) return false;
  return skip === null ? null : include;
}

function literalOf(directives: readonly DirectiveNode[], name: string, absent: boolean): boolean | null {
  const directive = directives.find((one) => one.name.value === name);
  if (!directive) return absent;
  const condition = directive.arguments?.find((argument) => argument.name.value === 'if')?.value;
  return condition?.kind === Kind.BOOLEAN ? condition.value : null;
}

/** Evaluates the conditions with the variables of an execution. */
export function includesWith(variableValues: Record<string, unknown>): Includes {
  return (node) =>
    isAlwaysIncluded(node) ??
    (getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.['if'] !== true &&
      getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.['if'] !== false);
}
