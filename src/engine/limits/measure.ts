import {
  Kind,
  type DocumentNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** How large an operation is, fragments followed wherever they are spread. */
export interface Extent {
  /** How deep fields are nested; what lies below `__schema` and `__type` counts apart. */
  readonly depth: number;
  readonly introspectionDepth: number;
  readonly directives: number;
  /** Fields and fragments; what lies below `__schema` and `__type` counts apart. */
  readonly selections: number;
  readonly introspectionSelections: number;
  /** Fields at the top. */
  readonly rootFields: number;
}

/** An operation of a document, or a fragment that none of them spreads, and how large it is. */
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
 * Measures the operations of a document, and the fragments that none of them reaches. Each fragment is looked at once,
 * so that the time does not grow with what fragments multiply to; where one holds itself, it counts as empty there.
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
