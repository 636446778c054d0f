import { getArgumentValues, isNonNullType, Kind, type FieldNode, type GraphQLField } from 'graphql';
import { compileLiteral, type Literal } from './coerce.ts';

export type ArgumentValues = Record<string, unknown>;

/** Builds the arguments for one call of a resolver. */
export type ReadArguments = (variableValues: Record<string, unknown>) => ArgumentValues;

const NO_ARGUMENTS: ArgumentValues = Object.freeze({});
const readNothing: ReadArguments = () => NO_ARGUMENTS;

/**
 * Compiles the arguments of a field. Each resolver call gets its own object unless the object is empty. Errors are left to
 * graphql-js.
 */
export function compileArguments(definition: GraphQLField<unknown, unknown>, node: FieldNode): ReadArguments {
  const given = new Map(node.arguments?.map(({ name, value }) => [name.value, value]));
  const slots = definition.args.flatMap(({ name, type, defaultValue }): Slot[] => {
    const value = given.get(name);
    const isNonNull = isNonNullType(type);
    // An optional argument that is omitted and has no default takes no part.
    if (!value && !isNonNull && defaultValue === undefined) return [];
    return [
      {
        name,
        isNonNull,
        defaultValue,
        variable: value?.kind === Kind.VARIABLE ? value.name.value : null,
        literal: value && compileLiteral(type, value),
      },
    ];
  });
  if (slots.length === 0) return readNothing;
  const byGraphqlJs: ReadArguments = (variables) => getArgumentValues(definition, node, variables);
  const areConstant = slots.every(({ literal }) => literal?.isConstant ?? true);
  if (!areConstant) return (variables) => readSlots(slots, variables) ?? byGraphqlJs(variables);
  const constants = readSlots(slots, {});
  return constants === null ? byGraphqlJs : () => ({ ...constants });
}

/** One argument that is given or has a default. */
interface Slot {
  readonly name: string;
  readonly isNonNull: boolean;
  readonly defaultValue: unknown;
  /** The value in the document, if there is one. */
  readonly literal: Literal | undefined;
  /** The variable that is the whole value. */
  readonly variable: string | null;
}

/** Returns null if graphql-js would report an error. */
function readSlots(slots: readonly Slot[], variables: Record<string, unknown>): ArgumentValues | null {
  const values: ArgumentValues = {};
  for (const { name, variable, literal, isNonNull, defaultValue } of slots) {
    const isGiven = literal && (variable === null || Object.hasOwn(variables, variable));
    const value = isGiven ? literal.read(variables) : defaultValue;
    if (value !== undefined) values[name] = value;
    else if (isGiven || isNonNull) return null;
  }
  return values;
}
