import {
  isNonNullType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type FieldNode,
  type GraphQLObjectType,
} from 'graphql';
import { compileExecution } from './execution.ts';
import type { Path } from './path.ts';
import type { Execute, Field, FieldDefinition, Plan, ReadData } from './run.ts';

/** Compiles a field selected from an object type. Returns undefined if the type has no field of that name. */
export function compileField(
  plan: Plan,
  parentType: GraphQLObjectType,
  key: string,
  nodes: readonly [FieldNode, ...FieldNode[]],
): Field | undefined {
  const definition = definitionOf(plan, parentType, nodes[0].name.value);
  return definition && new CompiledField(plan, { parentType, definition, key, nodes });
}

function definitionOf({ schema }: Plan, type: GraphQLObjectType, name: string): FieldDefinition | undefined {
  const isQuery = schema.getQueryType() === type;
  if (isQuery && name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (isQuery && name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  return name === TypeNameMetaFieldDef.name ? TypeNameMetaFieldDef : type.getFields()[name];
}

/** A selected field before it is compiled. */
interface SelectedField {
  readonly parentType: GraphQLObjectType;
  readonly definition: FieldDefinition;
  readonly key: string;
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
}

class CompiledField implements Field {
  readonly key: string;
  readonly name: string;
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  readonly parentType: GraphQLObjectType;
  readonly definition: FieldDefinition;
  readonly isNonNull: boolean;
  readonly weight: number;
  readonly execute: Execute;
  private readonly plan: Plan;
  /** The kind of the last row, because most selections only ever see one. */
  private kind: object | undefined;
  private reader: ReadData | undefined;

  constructor(plan: Plan, { parentType, definition, key, nodes }: SelectedField) {
    this.key = key;
    this.name = definition.name;
    this.nodes = nodes;
    this.parentType = parentType;
    this.definition = definition;
    this.isNonNull = isNonNullType(definition.type);
    this.weight = plan.weightOf(definition);
    this.plan = plan;
    this.execute = compileExecution(plan, this);
  }

  readerFor(kind: object): ReadData | undefined {
    if (kind === this.kind) return this.reader;
    this.kind = kind;
    this.reader = this.plan.data.readerOf(this.definition, kind);
    return this.reader;
  }

  pathUnder(prev: Path | undefined): Path {
    return { prev, key: this.key, typename: this.parentType.name };
  }
}
