import type { FieldNode, GraphQLObjectType, GraphQLOutputType, GraphQLResolveInfo } from 'graphql';
import type { Field } from './field.ts';
import type { Path } from './path.ts';
import type { Run } from './run.ts';

/**
 * The fourth argument of a resolver. Its properties are getters because most resolvers read none of them, and creating
 * an object with ten properties per field would be a large part of the execution cost.
 */
export class FieldInfo implements GraphQLResolveInfo {
  // Declared only: class fields would also be initialised to undefined, for each field of each object.
  declare private readonly run: Run;
  declare private readonly field: Field;
  declare private readonly parentPath: Path | undefined;
  declare private ownPath: Path | undefined;

  constructor(run: Run, field: Field, parentPath: Path | undefined) {
    this.run = run;
    this.field = field;
    this.parentPath = parentPath;
    this.ownPath = undefined;
  }

  get fieldName(): string {
    return this.field.name;
  }

  get fieldNodes(): readonly FieldNode[] {
    return this.field.nodes;
  }

  get returnType(): GraphQLOutputType {
    return this.field.definition.type;
  }

  get parentType(): GraphQLObjectType {
    return this.field.parentType;
  }

  /** Always the same object, because errors below the field are matched by the identity of their paths. */
  get path(): Path {
    return (this.ownPath ??= this.field.pathUnder(this.parentPath));
  }

  get schema(): GraphQLResolveInfo['schema'] {
    return this.run.plan.schema;
  }

  get fragments(): GraphQLResolveInfo['fragments'] {
    return this.run.plan.fragments;
  }

  get rootValue(): unknown {
    return this.run.rootValue;
  }

  get operation(): GraphQLResolveInfo['operation'] {
    return this.run.plan.operation;
  }

  get variableValues(): Record<string, unknown> {
    return this.run.variableValues;
  }
}

/**
 * Converts the value returned by a resolver to the value in the result, or a promise of it. Throws if the value is an
 * error or is invalid.
 */
export type Complete = (run: Run, value: unknown, info: FieldInfo, path: Path) => unknown;
