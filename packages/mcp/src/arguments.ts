import {
  getNullableType,
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLString,
  isInputObjectType,
  isListType,
  isNonNullType,
  typeFromAST,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';

// Assistants often send lists and objects as JSON text, numbers as text, and unused arguments as null or empty text.

/** The arguments of a call, by name. */
export type Arguments = Readonly<Record<string, unknown>>;

interface Declared {
  readonly type: GraphQLInputType;
  readonly hasDefault: boolean;
}

/**
 * Returns a function that converts arguments to the variables of an operation wherever only one meaning is possible;
 * everything else stays as it is, for GraphQL to accept or refuse.
 */
export function argumentReader(
  { variableDefinitions = [] }: OperationDefinitionNode,
  schema: GraphQLSchema,
): (given: Arguments) => Arguments {
  const declared = new Map(
    variableDefinitions.map(({ variable, type, defaultValue }) => [
      variable.name.value,
      // The document is valid, so the type of a variable exists and is an input type.
      { type: typeFromAST(schema, type) as GraphQLInputType, hasDefault: defaultValue !== undefined },
    ]),
  );
  return (given) => readFields(given, (name) => declared.get(name));
}

function readFields(given: object, declaredAs: (name: string) => Declared | undefined, isOneOf = false) {
  const fields = Object.entries(given).flatMap(([name, value]: [string, unknown]) => {
    const declared = declaredAs(name);
    const read = declared ? readField(value, declared) : value;
    // Null says that nothing is given, even where GraphQL does not allow it.
    const isUnused = read === null && (declared === undefined || declared.hasDefault || isOneOf);
    return isUnused ? [] : [[name, read] as const];
  });
  return Object.fromEntries(fields);
}

function readField(value: unknown, { type, hasDefault }: Declared): unknown {
  const isOptional = hasDefault || !isNonNullType(type);
  return value === '' && isOptional && getNullableType(type) !== GraphQLString
    ? null
    : readValue(value, type);
}

function readValue(value: unknown, declared: GraphQLInputType): unknown {
  const type = getNullableType(declared);
  if (isListType(type)) {
    const list = fromJson(value, Array.isArray);
    return Array.isArray(list)
      ? list.map((one) => readValue(one, type.ofType))
      : readValue(list, type.ofType);
  }
  if (isInputObjectType(type)) {
    const object = fromJson(value, isObject);
    const fields = type.getFields();
    return isObject(object) ? readFields(object, (name) => declaredIn(fields[name]), type.isOneOf) : object;
  }
  const isText = type === GraphQLString || type === GraphQLID;
  if (isText) return Number.isSafeInteger(value) ? String(value) : value;
  if (type === GraphQLInt || type === GraphQLFloat)
    return fromJson(value, (json) => typeof json === 'number');
  return type === GraphQLBoolean ? fromJson(value, (json) => typeof json === 'boolean') : value;
}

function declaredIn(field: { readonly type: GraphQLInputType; readonly defaultValue?: unknown } | undefined) {
  return field && { type: field.type, hasDefault: field.defaultValue !== undefined };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value that a text holds as JSON, if it is null or of the wanted kind; otherwise the text itself. */
function fromJson(text: unknown, isWanted: (json: unknown) => boolean): unknown {
  if (typeof text !== 'string') return text;
  try {
    const json: unknown = JSON.parse(text);
    return json === null || isWanted(json) ? json : text;
  } catch {
    return text;
  }
}
