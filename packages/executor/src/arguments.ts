import {
  getArgumentValues,
  isNonNullType,
  Kind,
  type ArgumentNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type ValueNode,
} from 'graphql';

export type ArgumentValues = Record<string, unknown>;

/** Builds the arguments for one call of a resolver. */
export type ReadArguments = (variableValues: Record<string, unknown>) => ArgumentValues;

type FieldDefinition = GraphQLField<unknown, unknown>;

const NO_ARGUMENTS: ArgumentValues = Object.freeze({});
const readNothing: ReadArguments = () => NO_ARGUMENTS;

/**
 * Compiles the arguments of a field. Each resolver call gets its own object unless the object is empty. Arguments that
 * need more than constants and whole variables are left to graphql-js.
 */
export function compileArguments(definition: FieldDefinition, node: FieldNode): ReadArguments {
  if (definition.args.length === 0) return readNothing;
  const byGraphqlJs: ReadArguments = (variables) => getArgumentValues(definition, node, variables);
  const slots = slotsOf(definition, node);
  if (slots === null) return byGraphqlJs;
  if (slots.length === 0) return readNothing;
  if (slots.every(({ variable }) => variable === null)) return readConstants(slots);
  return (variables) => readSlots(slots, variables) ?? byGraphqlJs(variables);
}

/** One argument: a variable, or the same value in every call. */
interface Slot {
  readonly name: string;
  readonly variable: string | null;
  readonly isNonNull: boolean;
  /** The value if there is no variable, otherwise its default; undefined if the argument is omitted. */
  readonly constant: unknown;
}

/** Returns null if an argument is neither a whole variable nor a constant that calls can share. */
function slotsOf(definition: FieldDefinition, node: FieldNode): Slot[] | null {
  const nodes = new Map(node.arguments?.map((argument) => [argument.name.value, argument]));
  const constants = constantsOf(definition, node);
  const slots: Slot[] = [];
  for (const argument of definition.args) {
    const slot = slotOf(argument, nodes.get(argument.name), constants);
    if (slot === null) return null;
    if (slot.variable !== null || slot.constant !== undefined) slots.push(slot);
  }
  return slots;
}

function slotOf(
  { name, type, defaultValue }: GraphQLArgument,
  node: ArgumentNode | undefined,
  constants: ArgumentValues | null,
): Slot | null {
  const isNonNull = isNonNullType(type);
  if (node?.value.kind === Kind.VARIABLE) {
    return { name, variable: node.value.name.value, isNonNull, constant: defaultValue };
  }
  if (constants === null || (node && containsVariable(node.value))) return null;
  const constant = constants[name];
  return isPrimitive(constant) ? { name, variable: null, isNonNull, constant } : null;
}

function containsVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(containsVariable);
  if (value.kind === Kind.OBJECT) return value.fields.some((field) => containsVariable(field.value));
  return value.kind === Kind.VARIABLE;
}

function isVariable({ value }: ArgumentNode): boolean {
  return value.kind === Kind.VARIABLE;
}

/** Coerces the arguments that are not variables. Returns null if one of them contains a variable or is invalid. */
function constantsOf(definition: FieldDefinition, node: FieldNode): ArgumentValues | null {
  const variables = new Set(node.arguments?.filter(isVariable).map(({ name }) => name.value));
  const constant = {
    ...definition,
    args: definition.args.filter(({ name }) => !variables.has(name)),
  };
  try {
    return getArgumentValues(constant, node);
  } catch {
    return null;
  }
}

// Only values that a resolver cannot mutate are shared. Lists, input objects and custom scalars are coerced again for
// each call, so that no call sees another's changes.
function isPrimitive(value: unknown): boolean {
  return (typeof value !== 'object' || value === null) && typeof value !== 'function';
}

function readConstants(slots: readonly Slot[]): ReadArguments {
  const constants: ArgumentValues = Object.fromEntries(slots.map(({ name, constant }) => [name, constant]));
  return () => ({ ...constants });
}

/** Returns null if a variable is missing and graphql-js would apply a default or report an error. */
function readSlots(slots: readonly Slot[], variables: Record<string, unknown>): ArgumentValues | null {
  const values: ArgumentValues = {};
  for (const { name, variable, isNonNull, constant } of slots) {
    if (variable === null) values[name] = constant;
    else if (Object.hasOwn(variables, variable)) {
      const value = variables[variable];
      if (value === undefined || (value === null && isNonNull)) return null;
      values[name] = value;
    } else if (isNonNull || constant !== undefined) return null;
  }
  return values;
}
