import {
  astFromValue,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  typeFromAST,
  TypeInfo,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ValueNode,
} from 'graphql';

/** Any JSON value. */
type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, JsonValue>>;

/** The JSON Schema of an object. */
export type ObjectSchema = JsonSchema & {
  readonly type: 'object';
  readonly properties: JsonSchema;
};

/** Thrown for an operation file that can't become a tool; the message says why, without the name of the file. */
export class OperationFileError extends Error {
  override readonly name = 'OperationFileError';
}

/** The arguments of a call, by name. */
export type Arguments = Readonly<Record<string, unknown>>;

/** What an operation takes. */
export interface OperationInput {
  readonly schema: ObjectSchema;
  /**
   * Converts arguments to variables wherever only one meaning is possible, because assistants often send lists and
   * objects as JSON text, numbers as text, and unused arguments as null or empty text. Everything else stays as it is,
   * for GraphQL to accept or refuse.
   */
  readonly read: (given: Arguments) => Arguments;
}

/**
 * Converts the variables of an operation to JSON Schema, and to a reader of arguments. Input objects are inlined, since
 * some assistants do not resolve references. A variable gets the description of the argument or input field that uses it.
 *
 * @throws OperationFileError if an input object contains itself
 */
export function inputOf(
  operation: OperationDefinitionNode,
  document: DocumentNode,
  schema: GraphQLSchema,
): OperationInput {
  const descriptions = descriptionsOfVariables(document, schema);
  const fields = (operation.variableDefinitions ?? []).map(({ variable, type, defaultValue }): Field => ({
    name: variable.name.value,
    // The document is valid, so the type of a variable exists and is an input type.
    type: typeFromAST(schema, type) as GraphQLInputType,
    description: descriptions.get(variable.name.value),
    default: defaultValue ?? null,
  }));
  return { schema: schemaOfFields(fields, []), read: (given) => readFields(fields, given) };
}

/** Finds the description of each variable at the first place that uses it. */
function descriptionsOfVariables(document: DocumentNode, schema: GraphQLSchema): Map<string, string> {
  const found = new Map<string, string>();
  const types = new TypeInfo(schema);
  let field: GraphQLInputField | undefined;
  const visitor = visitWithTypeInfo(types, {
    ObjectField(node) {
      const parent = getNamedType(types.getParentInputType());
      field = isInputObjectType(parent) ? parent.getFields()[node.name.value] : undefined;
    },
    Argument() {
      field = undefined;
    },
    Variable({ name: { value: name } }) {
      const text = field?.description ?? types.getArgument()?.description;
      if (text != null && !found.has(name)) found.set(name, text);
    },
  });
  visit(document, visitor);
  return found;
}

/** A variable, or a field of an input object. */
interface Field {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly description: string | null | undefined;
  readonly default: ValueNode | null;
}

function fieldsOf(type: GraphQLInputObjectType): Field[] {
  return Object.values(type.getFields()).map(({ name, type: ofField, description, defaultValue }) => ({
    name,
    type: ofField,
    description,
    default: defaultValue === undefined ? null : (astFromValue(defaultValue, ofField) ?? null),
  }));
}

const isRequired = ({ type, default: unset }: Field): boolean => isNonNullType(type) && unset === null;

/** @param within The input types around it. */
function schemaOfFields(fields: readonly Field[], within: readonly GraphQLInputObjectType[]): ObjectSchema {
  const properties = fields.map(({ name, type, description, default: unset }) => [
    name,
    {
      ...described(schemaOf(type, within), description),
      ...(unset && { default: valueFromASTUntyped(unset) as JsonValue }),
    },
  ]);
  const required = fields.filter(isRequired).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(properties) as JsonSchema,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

const SCALARS: Readonly<Record<string, JsonSchema>> = {
  String: { type: 'string' },
  ID: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  LocalDateTime: { type: 'string', pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:00)?$` },
  ServiceId: { type: 'string' },
  URL: { type: 'string', format: 'uri' },
  // Any JSON value.
  JSON: {},
};

const ONE_OF = { minProperties: 1, maxProperties: 1, description: 'Set exactly one of the properties.' };

function schemaOf(declared: GraphQLInputType, within: readonly GraphQLInputObjectType[]): JsonSchema {
  const type = getNullableType(declared);
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType, within) };
  if (isInputObjectType(type)) {
    if (within.includes(type)) throw new OperationFileError(`the input type ${type.name} contains itself`);
    return { ...schemaOfFields(fieldsOf(type), [...within, type]), ...(type.isOneOf && ONE_OF) };
  }
  if (!isEnumType(type)) return SCALARS[type.name] ?? described({ type: 'string' }, type.description);
  const values = type.getValues();
  const lines = values.map(({ name, description }) => `- ${name}: ${description ?? 'not described'}`);
  return { type: 'string', enum: values.map(({ name }) => name), description: lines.join('\n') };
}

function described(schema: JsonSchema, description: string | null | undefined): JsonSchema {
  const texts = [description, schema['description']].filter((text) => typeof text === 'string');
  return texts.length === 0 ? schema : { ...schema, description: texts.join('\n') };
}

function readFields(fields: readonly Field[], given: Arguments, isOneOf = false): Arguments {
  const read = Object.entries(given).flatMap(([name, value]) => {
    const field = fields.find((one) => one.name === name);
    const meant = field ? readField(field, value) : value;
    // Null says that nothing is given, even where GraphQL does not allow it.
    const isUnused = meant === null && (!field || field.default !== null || isOneOf);
    return isUnused ? [] : [[name, meant] as const];
  });
  return Object.fromEntries(read);
}

function readField(field: Field, given: unknown): unknown {
  const isText = getNamedType(field.type).name === 'String' && !isListType(getNullableType(field.type));
  return given === '' && !isRequired(field) && !isText ? null : readAs(field.type, given);
}

function readAs(declared: GraphQLInputType, given: unknown): unknown {
  const type = getNullableType(declared);
  if (isListType(type)) {
    const list = fromJson(given, Array.isArray);
    return Array.isArray(list) ? list.map((one) => readAs(type.ofType, one)) : readAs(type.ofType, list);
  }
  if (isInputObjectType(type)) {
    const object = fromJson(given, isObject);
    return isObject(object) ? readFields(fieldsOf(type), object, type.isOneOf) : object;
  }
  switch (type.name) {
    case 'String':
    case 'ID':
      return Number.isSafeInteger(given) ? String(given) : given;
    case 'Int':
    case 'Float':
      return fromJson(given, (json) => typeof json === 'number');
    case 'Boolean':
      return fromJson(given, (json) => typeof json === 'boolean');
    default:
      return given;
  }
}

function isObject(value: unknown): value is Arguments {
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
