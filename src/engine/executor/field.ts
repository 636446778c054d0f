import {
  isNonNullType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
} from 'graphql';
import { compileExecution, type Execute } from './execution.ts';
import type { Path } from './path.ts';
import type { Plan } from './plan.ts';

/** The definition of a field in the schema. */
export type FieldDefinition = GraphQLField<unknown, unknown>;

/** Compiles a field that was selected from an object type; undefined if the type has none of that name. */
export function compileField(
  plan: Plan,
  parentType: GraphQLObjectType,
  key: string,
  nodes: readonly [FieldNode, ...FieldNode[]],
): Field | undefined {
  const definition = definitionOf(plan, parentType, nodes[0].name.value);
  return definition && new Field(plan, { parentType, definition, key, nodes });
}

function definitionOf({ schema }: Plan, type: GraphQLObjectType, name: string): FieldDefinition | undefined {
  const isQuery = schema.getQueryType() === type;
  if (isQuery && name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (isQuery && name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  return name === TypeNameMetaFieldDef.name ? TypeNameMetaFieldDef : type.getFields()[name];
}

/** What is known of a field before it is compiled. */
interface SelectedField {
  readonly parentType: GraphQLObjectType;
  readonly definition: FieldDefinition;
  readonly key: string;
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
}

/** A field as it was selected from an object type, ready to be executed. */
export class Field implements SelectedField {
  /** The name in the response. */
  readonly key: string;
  readonly name: string;
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  readonly parentType: GraphQLObjectType;
  readonly definition: FieldDefinition;
  readonly isNonNull: boolean;
  /** How many fields it counts as. */
  readonly weight: number;
  readonly execute: Execute;

  constructor(plan: Plan, { parentType, definition, key, nodes }: SelectedField) {
    this.key = key;
    this.name = definition.name;
    this.nodes = nodes;
    this.parentType = parentType;
    this.definition = definition;
    this.isNonNull = isNonNullType(definition.type);
    this.weight = plan.weightOf(definition);
    this.execute = compileExecution(plan, this);
  }

  pathUnder(prev: Path | undefined): Path {
    return { prev, key: this.key, typename: this.parentType.name };
  }
}
