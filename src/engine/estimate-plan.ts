import {
  getDirectiveValues,
  getNamedType,
  getNullableType,
  GraphQLError,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type InlineFragmentNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { costOf, type FieldCost } from './cost.ts';
import { compileArguments, type ArgumentValues } from '../../packages/executor/src/arguments.ts';

/** The definition of a field in the schema. */
export type FieldDefinition = GraphQLField<unknown, unknown>;

/** Variables after coercion. */
export type Variables = Record<string, unknown>;

/** The estimated parts of one selection set, in document order. */
export interface SelectionPlan {
  /** Fields that only count as fields of the result. */
  readonly plainFields: number;
  readonly steps: readonly (FieldStep | FragmentStep)[];
}

/** A field with a cost, arguments or a selection. */
export interface FieldStep {
  readonly field: FieldDefinition;
  /** Whether the directives include the field. */
  readonly includes: (variables: Variables) => boolean;
  /** Reads the field's arguments; null if they are invalid, which is an error before any call. */
  readonly readArguments: (variables: Variables) => ArgumentValues | null;
  readonly cost: FieldCost | null;
  /** The field's position in the response, which is unique within the operation. */
  readonly place: string;
  readonly isList: boolean;
  readonly isIntrospection: boolean;
  readonly below: SelectionPlan | null;
}

/** A fragment that may not apply to every execution or record. */
export interface FragmentStep {
  readonly includes: (variables: Variables) => boolean;
  /** The object type to which the fragment narrows an interface; null if it applies to all records. */
  readonly narrowedTo: string | null;
  readonly below: SelectionPlan;
}

/** Plans the estimate of an operation. The plan depends only on the schema and the document. */
export function planOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  { operation, selectionSet }: OperationDefinitionNode,
): SelectionPlan {
  const type = schema.getRootType(operation);
  if (!type) return { plainFields: 0, steps: [] };
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  return new Planner(schema, fragments).plan(selectionSet, { type, place: '' });
}

/** A position in the response. */
interface Position {
  readonly type: GraphQLNamedType;
  readonly place: string;
}

class Planner {
  private readonly schema: GraphQLSchema;
  private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;

  constructor(schema: GraphQLSchema, fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
    this.schema = schema;
    this.fragments = fragments;
  }

  plan({ selections }: SelectionSetNode, position: Position): SelectionPlan {
    const plan = { plainFields: 0, steps: [] as (FieldStep | FragmentStep)[] };
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) this.addField(plan, selection, position);
      else this.addFragment(plan, selection, position);
    }
    return plan;
  }

  private addField(plan: MutablePlan, node: FieldNode, { type: parent, place }: Position): void {
    const field = definitionOf(parent, node.name.value);
    if (!field) return;
    const cost = costOf(field);
    const isPlain = !cost && !node.selectionSet && field.args.length === 0 && !node.directives?.length;
    if (isPlain) {
      plan.plainFields += 1;
      return;
    }
    const type = getNamedType(field.type);
    const below = { type, place: `${place}.${node.alias?.value ?? node.name.value}` };
    plan.steps.push({
      field,
      includes: includesOf(node),
      readArguments: readerOf(field, node),
      cost,
      place: below.place,
      isList: isListType(getNullableType(field.type)),
      isIntrospection: isIntrospectionType(type),
      below: node.selectionSet ? this.plan(node.selectionSet, below) : null,
    });
  }

  private addFragment(plan: MutablePlan, node: Exclude<SelectionNode, FieldNode>, position: Position): void {
    const fragment: InlineFragmentNode | FragmentDefinitionNode | undefined =
      node.kind === Kind.INLINE_FRAGMENT ? node : this.fragments.get(node.name.value);
    if (!fragment) return;
    const condition = fragment.typeCondition && this.schema.getType(fragment.typeCondition.name.value);
    const type = condition ?? position.type;
    const narrowedTo = isInterfaceType(position.type) && isObjectType(type) ? type.name : null;
    const below = this.plan(fragment.selectionSet, { ...position, type });
    if (narrowedTo !== null || node.directives?.length) {
      plan.steps.push({ includes: includesOf(node), narrowedTo, below });
      return;
    }
    plan.plainFields += below.plainFields;
    plan.steps.push(...below.steps);
  }
}

interface MutablePlan {
  plainFields: number;
  readonly steps: (FieldStep | FragmentStep)[];
}

const META_FIELDS: Readonly<Record<string, FieldDefinition>> = {
  __schema: SchemaMetaFieldDef,
  __type: TypeMetaFieldDef,
  __typename: TypeNameMetaFieldDef,
};

function definitionOf(type: GraphQLNamedType, name: string): FieldDefinition | undefined {
  if (name.startsWith('__')) return META_FIELDS[name];
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}

const always = (): boolean => true;

function includesOf(node: SelectionNode): (variables: Variables) => boolean {
  if (!node.directives?.length) return always;
  return (variables) =>
    getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] !== false;
}

function readerOf(field: FieldDefinition, node: FieldNode): FieldStep['readArguments'] {
  const read = compileArguments(field, node);
  return (variables) => {
    try {
      return read(variables);
    } catch (error) {
      if (error instanceof GraphQLError) return null;
      throw error;
    }
  };
}
