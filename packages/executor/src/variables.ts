import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLString,
  isNonNullType,
  typeFromAST,
  type getVariableValues,
  type GraphQLSchema,
  type VariableDefinitionNode,
} from 'graphql';

type Inputs = Readonly<Record<string, unknown>>;
type Coerced = NonNullable<ReturnType<typeof getVariableValues>['coerced']>;

const MAX_INT = 2 ** 31 - 1;
const MIN_INT = -(2 ** 31);

/** Tests for values of the built-in scalars that coercion leaves unchanged. */
const COERCED_ALREADY = new Map<unknown, (value: unknown) => boolean>([
  [GraphQLBoolean, (value) => typeof value === 'boolean'],
  [GraphQLFloat, (value) => Number.isFinite(value)],
  [GraphQLID, (value) => typeof value === 'string'],
  [
    GraphQLInt,
    (value) => Number.isInteger(value) && (value as number) >= MIN_INT && (value as number) <= MAX_INT,
  ],
  [GraphQLString, (value) => typeof value === 'string'],
]);

interface PlainVariable {
  readonly name: string;
  readonly isCoerced: (value: unknown) => boolean;
  readonly mayBeNull: boolean;
  readonly mayBeAbsent: boolean;
}

/**
 * Compiles the coercion of variables that are scalars and already have a valid value. The returned function returns
 * null in all other cases, which are left to graphql-js.
 */
export function compilePlainVariables(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
): (inputs: Inputs) => Coerced | null {
  const variables = definitions.map((definition) => plainVariable(schema, definition));
  if (!variables.every((variable) => variable !== null)) return () => null;
  return (inputs) => {
    const coerced: Coerced = {};
    for (const { name, isCoerced, mayBeNull, mayBeAbsent } of variables) {
      if (!Object.hasOwn(inputs, name)) {
        if (mayBeAbsent) continue;
        return null;
      }
      const value = inputs[name];
      if (!(value === null ? mayBeNull : isCoerced(value))) return null;
      coerced[name] = value;
    }
    return coerced;
  };
}

function plainVariable(schema: GraphQLSchema, definition: VariableDefinitionNode): PlainVariable | null {
  const name = definition.variable.name.value;
  const type = typeFromAST(schema, definition.type);
  const isRequired = isNonNullType(type);
  const isCoerced = COERCED_ALREADY.get(isRequired ? type.ofType : type);
  // Assigning to this name would set the prototype.
  if (isCoerced === undefined || name === '__proto__') return null;
  const mayBeAbsent = !isRequired && definition.defaultValue === undefined;
  return { name, isCoerced, mayBeNull: !isRequired, mayBeAbsent };
}
