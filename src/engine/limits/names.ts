import {
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type InlineFragmentNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/**
 * Returns the largest number of response names under which an operation selects the same field of the same parent,
 * which is the factor by which aliases multiply work. Fragments are followed, and selections of the same parent count
 * together wherever they are written.
 *
 * Visits at most `steps` selections. That covers any operation with no more selections, unless its fragments are
 * recursive, which validation rejects.
 */
export function mostNames(document: DocumentNode, operation: OperationDefinitionNode, steps: number): number {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  const walk = new Walk(fragments, steps);
  walk.visit([{ set: operation.selectionSet, within: new Set() }]);
  return walk.most;
}

/** A selection set and the fragments that enclose it. */
interface Place {
  readonly set: SelectionSetNode;
  readonly within: ReadonlySet<string>;
}

/** Selections of one parent: by field, then by response name. */
type Selected = Map<string, Map<string, Place[]>>;

class Walk {
  most = 0;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  #left: number;

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>, steps: number) {
    this.#fragments = fragments;
    this.#left = steps;
  }

  /** Visits the selections of one parent and everything below. */
  visit(places: readonly Place[]): void {
    const selected: Selected = new Map();
    const spread = new Set<string>();
    for (const place of places) this.#collect(place, selected, spread);
    for (const names of selected.values()) {
      this.most = Math.max(this.most, names.size);
      for (const below of names.values()) if (below.length > 0) this.visit(below);
    }
  }

  #collect({ set, within }: Place, selected: Selected, spread: Set<string>): void {
    for (const node of set.selections) {
      if (this.#left <= 0) return;
      this.#left -= 1;
      if (node.kind === Kind.FIELD) addField(selected, node, within);
      else this.#collectFragment(node, within, { selected, spread });
    }
  }

  #collectFragment(
    node: FragmentSpreadNode | InlineFragmentNode,
    within: ReadonlySet<string>,
    { selected, spread }: { readonly selected: Selected; readonly spread: Set<string> },
  ): void {
    if (node.kind === Kind.INLINE_FRAGMENT)
      return this.#collect({ set: node.selectionSet, within }, selected, spread);
    const name = node.name.value;
    const fragment = this.#fragments.get(name);
    if (!fragment || spread.has(name) || within.has(name)) return;
    spread.add(name);
    const place = { set: fragment.selectionSet, within: new Set([...within, name]) };
    this.#collect(place, selected, spread);
  }
}

function addField(selected: Selected, node: FieldNode, within: ReadonlySet<string>): void {
  const field = node.name.value;
  const names = selected.get(field) ?? new Map<string, Place[]>();
  selected.set(field, names);
  const name = node.alias?.value ?? field;
  const places = names.get(name) ?? [];
  names.set(name, places);
  if (node.selectionSet) places.push({ set: node.selectionSet, within });
}
