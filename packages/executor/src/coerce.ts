import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLString,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  typeFromAST,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  type ListValueNode,
  type ObjectValueNode,
  type ValueNode,
  type VariableDefinitionNode,
} from 'graphql';
import { isInt } from './leaf.ts';

// Compiled coercion gives the values of graphql-js, or undefined where graphql-js might report an error. The caller then
// lets graphql-js coerce the same input again, which creates the error. No valid value is undefined.

type Values = Readonly<Record<string, unknown>>;

/** Coerces a value from a request; undefined if it is invalid, or of a kind that is left to graphql-js. */
type Coerce = (value: unknown) => unknown;

/**
 * Compiles the coercion of an operation's variables. The returned function returns null in all cases that are left to
 * graphql-js's `getVariableValues`.
 */
export function compileVariables(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
): (inputs: Values) => Record<string, unknown> | null {
  const variables = definitions.map((definition) => compileVariable(schema, definition));
  if (!variables.every((variable) => variable !== null)) return () => null;
  return (inputs) => {
    const coerced: Record<string, unknown> = {};
    for (const { name, coerce, absent } of variables) {
      const isGiven = Object.hasOwn(inputs, name);
      if (!isGiven && absent === null) continue;
      const value = isGiven ? coerce(inputs[name]) : absent?.read({});
      if (value === undefined) return null;
      coerced[name] = value;
    }
    return coerced;
  };
}

interface Variable {
  readonly name: string;
  readonly coerce: Coerce;
  /** The value if the request has none; null if the variable may be absent. */
  readonly absent: Literal | null;
}

function compileVariable(schema: GraphQLSchema, definition: VariableDefinitionNode): Variable | null {
  const name = definition.variable.name.value;
  const type = typeFromAST(schema, definition.type);
  // Assigning to `__proto__` would set the prototype.
  if (!isInputType(type) || name === '__proto__') return null;
  const absent = isNonNullType(type) ? INVALID : null;
  const { defaultValue } = definition;
  return {
    name,
    coerce: compileInput(type),
    absent: defaultValue ? compileLiteral(type, defaultValue) : absent,
  };
}

/** Coercers of named types that are not null, shared by all operations of their schema. */
const coercers = new WeakMap<GraphQLNamedInputType, Coerce>();

function compileInput(type: GraphQLInputType): Coerce {
  if (isNonNullType(type)) {
    const coerce = compileNonNull(type.ofType);
    return (value) => (value === null || value === undefined ? undefined : coerce(value));
  }
  const coerce = compileNonNull(type);
  return (value) => (value === null || value === undefined ? null : coerce(value));
}

function compileNonNull(type: GraphQLInputType): Coerce {
  if (isNonNullType(type)) return compileNonNull(type.ofType);
  if (isListType(type)) return compileList(compileInput(type.ofType));
  const known = coercers.get(type);
  if (known) return known;
  const coerce = isInputObjectType(type) ? compileObject(type) : compileLeaf(type);
  coercers.set(type, coerce);
  return coerce;
}

function compileList(coerceItem: Coerce): Coerce {
  return (value) => {
    if (!Array.isArray(value)) {
      // An iterable might be consumed before an error is found, and graphql-js could not read it again.
      if (typeof value === 'object' && value !== null && Symbol.iterator in value) return undefined;
      const item = coerceItem(value);
      return item === undefined ? undefined : [item];
    }
    const items: unknown[] = [];
    for (const given of value) {
      const item = coerceItem(given);
      if (item === undefined) return undefined;
      items.push(item);
    }
    return items;
  };
}

interface InputField {
  readonly name: string;
  readonly coerce: Coerce;
  readonly isNonNull: boolean;
  readonly defaultValue: unknown;
}

function fieldsOf(type: GraphQLInputObjectType): InputField[] {
  return Object.values(type.getFields()).map(({ name, type: of, defaultValue }) => ({
    name,
    coerce: compileInput(of),
    isNonNull: isNonNullType(of),
    defaultValue,
  }));
}

function compileObject(type: GraphQLInputObjectType): Coerce {
  const names = new Set(Object.keys(type.getFields()));
  // Compiled on first use, because an input object may contain itself.
  let fields: readonly InputField[] | undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    for (const name of Object.keys(value)) if (!names.has(name)) return undefined;
    fields ??= fieldsOf(type);
    const object: Record<string, unknown> = {};
    for (const field of fields) {
      const given = (value as Values)[field.name];
      if (given === undefined) {
        if (field.defaultValue !== undefined) object[field.name] = field.defaultValue;
        else if (field.isNonNull) return undefined;
        continue;
      }
      const coerced = field.coerce(given);
      if (coerced === undefined) return undefined;
      object[field.name] = coerced;
    }
    return type.isOneOf && !hasOneValue(object) ? undefined : object;
  };
}

function hasOneValue(object: Values): boolean {
  const [value, ...others] = Object.values(object);
  return others.length === 0 && value !== null && value !== undefined;
}

/** The built-in scalars. */
const SCALARS = new Map<GraphQLLeafType, Coerce>([
  [GraphQLBoolean, (value) => (typeof value === 'boolean' ? value : undefined)],
  [GraphQLFloat, (value) => (Number.isFinite(value) ? value : undefined)],
  [GraphQLID, (value) => (Number.isInteger(value) ? String(value) : stringOnly(value))],
  [GraphQLInt, (value) => (isInt(value) ? value : undefined)],
  [GraphQLString, stringOnly],
]);

function stringOnly(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function compileLeaf(type: GraphQLLeafType): Coerce {
  return SCALARS.get(type) ?? ((value) => attempt(() => type.parseValue(value)));
}

function attempt(parse: () => unknown): unknown {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

/** A value in a document. */
export interface Literal {
  /** Whether every execution has the same primitive value, which a resolver cannot mutate. */
  readonly isConstant: boolean;
  /** Returns the value for an execution's variables; undefined if it is invalid. */
  readonly read: (variables: Values) => unknown;
}

const INVALID = constant(undefined);

function constant(value: unknown): Literal {
  return { isConstant: true, read: () => value };
}

function computed(read: Literal['read']): Literal {
  return { isConstant: false, read };
}

/** Compiles the coercion of a value in a document, as by graphql-js's `valueFromAST`. */
export function compileLiteral(type: GraphQLInputType, node: ValueNode): Literal {
  if (node.kind === Kind.VARIABLE) {
    const [isNonNull, name] = [isNonNullType(type), node.name.value];
    return computed((variables) => {
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      return value === null && isNonNull ? undefined : value;
    });
  }
  if (isNonNullType(type)) return node.kind === Kind.NULL ? INVALID : compileLiteral(type.ofType, node);
  if (node.kind === Kind.NULL) return constant(null);
  if (isListType(type)) {
    if (node.kind === Kind.LIST) return listLiteral(type.ofType, node);
    const item = compileLiteral(type.ofType, node);
    return computed((variables) => {
      const value = item.read(variables);
      return value === undefined ? undefined : [value];
    });
  }
  if (!isInputObjectType(type)) return leafLiteral(type, node);
  return node.kind === Kind.OBJECT ? objectLiteral(type, node) : INVALID;
}

function listLiteral(type: GraphQLInputType, node: ListValueNode): Literal {
  const literals = node.values.map((value) => compileLiteral(type, value));
  if (literals.every(({ isConstant }) => isConstant)) {
    // A closure for each of a thousand numbers would fill the cache of documents.
    const constants = literals.map(({ read }) => read({}));
    return constants.includes(undefined) ? INVALID : computed(() => [...constants]);
  }
  const items = literals.map(({ read }, index) => ({ read, isMissing: missingIn(node.values[index]) }));
  const missing = isNonNullType(type) ? undefined : null;
  return computed((variables) => {
    const values: unknown[] = [];
    for (const { read, isMissing } of items) {
      const value = isMissing(variables) ? missing : read(variables);
      if (value === undefined) return undefined;
      values.push(value);
    }
    return values;
  });
}

function objectLiteral(type: GraphQLInputObjectType, node: ObjectValueNode): Literal {
  const nodes = new Map(node.fields.map((field) => [field.name.value, field.value]));
  const fields = Object.values(type.getFields()).map(({ name, type: of, defaultValue }) => {
    const value = nodes.get(name);
    const { read } = value ? compileLiteral(of, value) : INVALID;
    const isMissing = value ? missingIn(value) : () => true;
    return { name, read, isMissing, isNonNull: isNonNullType(of), defaultValue };
  });
  return computed((variables) => {
    // Unlike objects from variables, these have no prototype in graphql-js.
    const object: Record<string, unknown> = Object.create(null);
    for (const { name, read, isMissing, isNonNull, defaultValue } of fields) {
      if (isMissing(variables)) {
        if (defaultValue !== undefined) object[name] = defaultValue;
        else if (isNonNull) return undefined;
        continue;
      }
      const value = read(variables);
      if (value === undefined) return undefined;
      object[name] = value;
    }
    return type.isOneOf && !hasOneValue(object) ? undefined : object;
  });
}

/** Returns a test of whether a value is a variable that has no value. */
function missingIn(node: ValueNode | undefined): (variables: Values) => boolean {
  if (node?.kind !== Kind.VARIABLE) return () => false;
  const name = node.name.value;
  return (variables) => !Object.hasOwn(variables, name) || variables[name] === undefined;
}

function leafLiteral(type: GraphQLLeafType, node: ValueNode): Literal {
  const read = (variables: Values): unknown => attempt(() => type.parseLiteral(node, variables));
  if (containsVariable(node)) return computed(read);
  const value = read({});
  return isPrimitive(value) ? constant(value) : computed(read);
}

function containsVariable(node: ValueNode): boolean {
  if (node.kind === Kind.LIST) return node.values.some(containsVariable);
  if (node.kind === Kind.OBJECT) return node.fields.some(({ value }) => containsVariable(value));
  return node.kind === Kind.VARIABLE;
}

function isPrimitive(value: unknown): boolean {
  return (typeof value !== 'object' || value === null) && typeof value !== 'function';
}
