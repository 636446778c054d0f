import {
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { DocumentLimits } from '../../config.ts';
import { limitError } from './limit-error.ts';

/** Returns one error for each limit that the shape of a document exceeds. */
export function shapeErrors(document: DocumentNode, limits: DocumentLimits): GraphQLError[] {
  const shape = new Shape(document, limits.selections);
  const rows: readonly (readonly [what: string, allowed: number, found: number])[] = [
    ['depth of fields', limits.depth, shape.depth],
    ['depth of introspection', limits.introspectionDepth, shape.introspectionDepth],
    ['directives', limits.directives, shape.directives],
    ['selections, with fragments expanded', limits.selections, shape.selections],
    [
      'selections of introspection, with fragments expanded',
      limits.selections,
      shape.introspectionSelections,
    ],
    ['fields at the root of a query', limits.rootFields, shape.queryFields],
    ['fields at the root of a mutation', limits.mutationFields, shape.mutationFields],
  ];
  const errors = rows
    .filter(([, allowed, found]) => found > allowed)
    .map(([what, allowed, found]) => limitError(what, allowed, found));
  if (errors.length > 0 || shape.aliases <= limits.aliases) return errors;
  return [limitError('aliases of one field of one parent', limits.aliases, shape.aliases)];
}

/** The selections of one object: by field, then by response name, the selections of the objects below. */
interface Selected extends Map<string, Map<string, Selected>> {}

/** Where a selection set is. */
interface Place {
  /** What the selections of its object have selected so far, wherever they are written. */
  readonly parent: Selected;
  readonly depth: number;
  /** Depth below `__schema` or `__type`; null outside of them. */
  readonly introspectionDepth: number | null;
  /** The fragments that enclose it. */
  readonly within: readonly string[];
}

/**
 * The size of a document, with fragments followed wherever they are spread, including fragments that no operation
 * spreads. A recursive spread counts as empty. Fields below `__schema` and `__type` are counted separately.
 */
class Shape {
  depth = 0;
  introspectionDepth = 0;
  directives = 0;
  /** Number of fields and fragments. Counting stops at twice the allowed number, and so does everything else. */
  selections = 0;
  introspectionSelections = 0;
  /** The most root fields of a query or subscription. */
  queryFields = 0;
  mutationFields = 0;
  /** The largest number of response names of one field of one parent, the factor by which aliases multiply work. */
  aliases = 0;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #reached = new Set<string>();
  readonly #mostSelections: number;
  #rootFields = 0;

  constructor({ definitions }: DocumentNode, allowedSelections: number) {
    this.#mostSelections = 2 * allowedSelections;
    for (const node of definitions)
      if (node.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(node.name.value, node);
    for (const node of definitions) if (node.kind === Kind.OPERATION_DEFINITION) this.#addOperation(node);
    const unreached = [...this.#fragments].filter(([name]) => !this.#reached.has(name));
    for (const [name, node] of unreached) this.#addDefinition(node, [name]);
  }

  #addOperation(node: OperationDefinitionNode): void {
    this.#rootFields = 0;
    for (const { directives } of node.variableDefinitions ?? []) this.directives += directives?.length ?? 0;
    this.#addDefinition(node, []);
    if (node.operation === OperationTypeNode.MUTATION)
      this.mutationFields = Math.max(this.mutationFields, this.#rootFields);
    else this.queryFields = Math.max(this.queryFields, this.#rootFields);
  }

  #addDefinition(
    { directives, selectionSet }: OperationDefinitionNode | FragmentDefinitionNode,
    within: readonly string[],
  ): void {
    this.directives += directives?.length ?? 0;
    this.#addSet(selectionSet, { parent: new Map(), depth: 0, introspectionDepth: null, within });
  }

  #addSet({ selections }: SelectionSetNode, place: Place): void {
    for (const node of selections) {
      if (Math.max(this.selections, this.introspectionSelections) > this.#mostSelections) return;
      if (place.introspectionDepth === null) this.selections += 1;
      else this.introspectionSelections += 1;
      this.directives += node.directives?.length ?? 0;
      this.#addSelection(node, place);
    }
  }

  #addSelection(node: SelectionNode, place: Place): void {
    if (node.kind === Kind.FIELD) return this.#addField(node, place);
    if (node.kind === Kind.INLINE_FRAGMENT) return this.#addSet(node.selectionSet, place);
    const name = node.name.value;
    const fragment = this.#fragments.get(name);
    this.#reached.add(name);
    if (!fragment || place.within.includes(name)) return;
    this.directives += fragment.directives?.length ?? 0;
    this.#addSet(fragment.selectionSet, { ...place, within: [...place.within, name] });
  }

  #addField({ name: { value: field }, alias, selectionSet }: FieldNode, place: Place): void {
    const { parent, within } = place;
    const isIntrospected = place.introspectionDepth !== null;
    const depth = place.depth + Number(!isIntrospected);
    const introspectionDepth = (place.introspectionDepth ?? 0) + Number(isIntrospected);
    const isIntrospection = isIntrospected || field === '__schema' || field === '__type';
    this.depth = Math.max(this.depth, depth);
    this.introspectionDepth = Math.max(this.introspectionDepth, introspectionDepth);
    if (place.depth === 0) this.#rootFields += 1;
    const names = parent.get(field) ?? new Map<string, Selected>();
    const below = names.get(alias?.value ?? field) ?? new Map();
    parent.set(field, names.set(alias?.value ?? field, below));
    this.aliases = Math.max(this.aliases, names.size);
    if (selectionSet)
      this.#addSet(selectionSet, {
        parent: below,
        depth,
        introspectionDepth: isIntrospection ? introspectionDepth : null,
        within,
      });
  }
}
