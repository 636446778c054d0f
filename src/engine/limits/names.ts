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
 * Under how many names an operation asks for the same field of the same parent, at most: that is what aliases multiply.
 * Different fields may have as many aliases as there are fields. Fragments are followed, and selections of the same parent
 * count together wherever they are written.
 *
 * Looks at `steps` selections. An operation of no more selections has been looked at in full then, unless its fragments
 * hold themselves, which validation refuses.
 */
export function mostNames(document: DocumentNode, operation: OperationDefinitionNode, steps: number): number {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  const walk = new Walk(fragments, steps);
  walk.visit([{ set: operation.selectionSet, within: new Set() }]);
  return walk.most;
}

/** A selection set, and the fragments that it stands in. */
interface Place {
  readonly set: SelectionSetNode;
  readonly within: ReadonlySet<string>;
}

/** What is selected of one parent: by field, then by name in the response. */
type Selected = Map<string, Map<string, Place[]>>;

class Walk {
  most = 0;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  #left: number;

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>, steps: number) {
    this.#fragments = fragments;
    this.#left = steps;
  }

  /** Looks at what is selected of one parent, and of all below. */
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
