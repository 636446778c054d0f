import {
  isNonNullType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type GraphQLObjectType,
} from 'graphql';
import type { FieldNodes } from './collect.ts';
import { compileExecution } from './execution.ts';
import type { Path } from './path.ts';
import type { Execute, FieldDefinition, LoadRow, Plan, ReadData } from './run.ts';

/** Compiles a field selected from an object type. Returns undefined if the type has no field of that name. */
export function compileField(
  plan: Plan,
  parentType: GraphQLObjectType,
  key: string,
  nodes: FieldNodes,
): Field | undefined {
  const definition = definitionOf(plan, parentType, nodes[0].name.value);
  return definition && new Field(plan, parentType, definition, key, nodes);
}

function definitionOf({ schema }: Plan, type: GraphQLObjectType, name: string): FieldDefinition | undefined {
  const isQuery = schema.getQueryType() === type;
  if (isQuery && name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (isQuery && name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  return name === TypeNameMetaFieldDef.name ? TypeNameMetaFieldDef : type.getFields()[name];
}

/** How a field is read in rows of a kind: from the row, from another one, or, without either, by its resolver. */
interface DataAccess {
  readonly read: ReadData | undefined;
  readonly load: LoadRow | undefined;
}

/** A field selected from an object type, ready to be executed. */
export class Field {
  /** The name in the response. */
  readonly key: string;
  readonly name: string;
  readonly nodes: FieldNodes;
  readonly parentType: GraphQLObjectType;
  readonly definition: FieldDefinition;
  readonly isNonNull: boolean;
  /** The number of fields that it counts as. */
  readonly weight: number;
  readonly execute: Execute;
  private readonly plan: Plan;
  /** How the field is read in the kinds of rows that its selection has seen, which are one or two. */
  private readonly accesses = new Map<object, DataAccess>();
  private lastKind: object | undefined;
  private lastAccess: DataAccess | undefined;

  constructor(
    plan: Plan,
    parentType: GraphQLObjectType,
    definition: FieldDefinition,
    key: string,
    nodes: FieldNodes,
  ) {
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

  /** Returns how the field is read in rows of a kind. */
  accessIn(kind: object): DataAccess {
    if (kind === this.lastKind && this.lastAccess) return this.lastAccess;
    const access = this.accesses.get(kind) ?? this.compileAccess(kind);
    this.lastKind = kind;
    this.lastAccess = access;
    return access;
  }

  private compileAccess(kind: object): DataAccess {
    const { data } = this.plan;
    const read = data.readerOf(this.definition, kind);
    // What else is in the result by then would have to become null together with a non-null field.
    const load = read || this.isNonNull ? undefined : data.loaderOf?.(this.definition, kind);
    const access = { read, load };
    this.accesses.set(kind, access);
    return access;
  }

  pathUnder(prev: Path | undefined): Path {
    return { prev, key: this.key, typename: this.parentType.name };
  }
}
