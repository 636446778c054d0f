import {
  Kind,
  type DocumentNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** The size of an operation, with fragments followed wherever they are spread. */
export interface Extent {
  /** Nesting depth of fields; anything below `__schema` and `__type` is counted separately. */
  readonly depth: number;
  readonly introspectionDepth: number;
  readonly directives: number;
  /** Fields and fragments; anything below `__schema` and `__type` is counted separately. */
  readonly selections: number;
  readonly introspectionSelections: number;
  /** Number of root fields. */
  readonly rootFields: number;
}

/** An operation, or a fragment that no operation spreads, with its size. */
export interface MeasuredDefinition extends Extent {
  readonly node: OperationDefinitionNode | FragmentDefinitionNode;
}

const NOTHING: Extent = {
  depth: 0,
  introspectionDepth: 0,
  directives: 0,
  selections: 0,
  introspectionSelections: 0,
  rootFields: 0,
};

/**
 * Measures the operations of a document, and the fragments that none of them reaches. Each fragment is visited once, so
 * the time does not grow with the expanded size; a recursive spread counts as empty.
 */
export function measure({ definitions }: DocumentNode): MeasuredDefinition[] {
  const fragments = new Map(
    definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
  const known = new Map<string, Extent>();
  const ofFragment = (name: string): Extent => {
    const seen = known.get(name);
    if (seen) return seen;
    known.set(name, NOTHING);
    const node = fragments.get(name);
    const extent = node ? ofDefinition(node, ofFragment) : NOTHING;
    known.set(name, extent);
    return extent;
  };
  const operations = definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION ? [{ node, ...ofDefinition(node, ofFragment) }] : [],
  );
  const loose = [...fragments.values()].filter(({ name }) => !known.has(name.value));
  return [...operations, ...loose.map((node) => ({ node, ...ofFragment(node.name.value) }))];
}

type OfFragment = (name: string) => Extent;

function ofDefinition(
  node: OperationDefinitionNode | FragmentDefinitionNode,
  ofFragment: OfFragment,
): Extent {
  const { variableDefinitions = [], directives = [], selectionSet } = node;
  const onVariables = variableDefinitions.reduce((sum, { directives: own = [] }) => sum + own.length, 0);
  const inside = ofSelections(selectionSet, ofFragment);
  return { ...inside, directives: inside.directives + directives.length + onVariables };
}

function ofSelections(set: SelectionSetNode, ofFragment: OfFragment): Extent {
  return set.selections.map((selection) => ofSelection(selection, ofFragment)).reduce(together, NOTHING);
}

function ofSelection(selection: SelectionNode, ofFragment: OfFragment): Extent {
  const own = { selections: 1, directives: selection.directives?.length ?? 0 };
  if (selection.kind === Kind.FRAGMENT_SPREAD)
    return together(ofFragment(selection.name.value), { ...NOTHING, ...own });
  if (selection.kind === Kind.INLINE_FRAGMENT)
    return together(ofSelections(selection.selectionSet, ofFragment), { ...NOTHING, ...own });
  const inside = selection.selectionSet ? ofSelections(selection.selectionSet, ofFragment) : NOTHING;
  const isIntrospection = selection.name.value === '__schema' || selection.name.value === '__type';
  const below = isIntrospection ? asIntrospection(inside) : { ...inside, depth: inside.depth + 1 };
  return { ...together(below, { ...NOTHING, ...own }), rootFields: 1 };
}

function asIntrospection(inside: Extent): Extent {
  return {
    ...inside,
    depth: 1,
    introspectionDepth: inside.depth + inside.introspectionDepth,
    selections: 0,
    introspectionSelections: inside.selections + inside.introspectionSelections,
  };
}

function together(one: Extent, other: Extent): Extent {
  return {
    depth: Math.max(one.depth, other.depth),
    introspectionDepth: Math.max(one.introspectionDepth, other.introspectionDepth),
    directives: one.directives + other.directives,
    selections: one.selections + other.selections,
    introspectionSelections: one.introspectionSelections + other.introspectionSelections,
    rootFields: one.rootFields + other.rootFields,
  };
}
