import {
  astFromValue,
  getNamedType,
  getNullableType,
  GraphQLString,
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
  type GraphQLEnumType,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLScalarType,
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
  const fields = (operation.variableDefinitions ?? []).map(({ variable, type, defaultValue }) => {
    const { value: name } = variable.name;
    const declared = {
      name,
      // The document is valid, so the type of a variable exists and is an input type.
      type: typeFromAST(schema, type) as GraphQLInputType,
      description: descriptions.get(name),
      default: defaultValue,
    };
    return fieldOf(declared, []);
  });
  return objectOf(fields);
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

/** A value of one type: its schema, and how it is read. */
interface Value {
  readonly schema: JsonSchema;
  readonly read: (given: unknown) => unknown;
}

/** A variable, or a field of an input object. */
interface Field extends Value {
  readonly name: string;
  readonly isRequired: boolean;
  readonly hasDefault: boolean;
}

interface Declared {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly description: string | null | undefined;
  readonly default: ValueNode | null | undefined;
}

type Within = readonly GraphQLInputObjectType[];

function fieldOf({ name, type, description, default: unset }: Declared, within: Within): Field {
  const value = valueOf(type, within);
  const isRequired = isNonNullType(type) && !unset;
  const isEmptyNull = !isRequired && getNullableType(type) !== GraphQLString;
  return {
    name,
    isRequired,
    hasDefault: Boolean(unset),
    schema: {
      ...described(value.schema, description),
      ...(unset && { default: valueFromASTUntyped(unset) as JsonValue }),
    },
    read: (given) => (given === '' && isEmptyNull ? null : value.read(given)),
  };
}

function objectOf(fields: readonly Field[], isOneOf = false): OperationInput {
  const known = new Map(fields.map((field) => [field.name, field]));
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
      ...(isOneOf && ONE_OF),
    },
    read(given) {
      const read = Object.entries(given).map(([name, value]) => {
        const field = known.get(name);
        return { field, name, value: field ? field.read(value) : value };
      });
      // Null says that nothing is given, even where GraphQL does not allow it.
      const used = read.filter(
        ({ field, value }) => value !== null || (field !== undefined && !field.hasDefault && !isOneOf),
      );
      return Object.fromEntries(used.map(({ name, value }) => [name, value]));
    },
  };
}

const ONE_OF = { minProperties: 1, maxProperties: 1, description: 'Set exactly one of the properties.' };

function valueOf(declared: GraphQLInputType, within: Within): Value {
  const type = getNullableType(declared);
  if (isListType(type)) return listOf(valueOf(type.ofType, within));
  if (isEnumType(type)) return { schema: schemaOfEnum(type), read: unchanged };
  return isInputObjectType(type) ? inputObjectOf(type, within) : scalarOf(type);
}

const unchanged = (given: unknown): unknown => given;

function listOf(item: Value): Value {
  return {
    schema: { type: 'array', items: item.schema },
    read(given) {
      const list = fromJson(given, Array.isArray);
      return Array.isArray(list) ? list.map((one) => item.read(one)) : item.read(list);
    },
  };
}

function inputObjectOf(type: GraphQLInputObjectType, within: Within): Value {
  if (within.includes(type)) throw new OperationFileError(`the input type ${type.name} contains itself`);
  const fields = Object.values(type.getFields()).map((field) => {
    const unset = field.defaultValue === undefined ? null : astFromValue(field.defaultValue, field.type);
    return fieldOf({ ...field, default: unset }, [...within, type]);
  });
  const object = objectOf(fields, type.isOneOf);
  return {
    schema: object.schema,
    read(given) {
      const read = fromJson(given, isObject);
      return isObject(read) ? object.read(read) : read;
    },
  };
}

function schemaOfEnum(type: GraphQLEnumType): JsonSchema {
  const values = type.getValues();
  const lines = values.map(({ name, description }) => `- ${name}: ${description ?? 'not described'}`);
  return { type: 'string', enum: values.map(({ name }) => name), description: lines.join('\n') };
}

const readText = (given: unknown): unknown => (Number.isSafeInteger(given) ? String(given) : given);
const readNumber = (given: unknown): unknown => fromJson(given, (json) => typeof json === 'number');
const readBoolean = (given: unknown): unknown => fromJson(given, (json) => typeof json === 'boolean');

const SCALARS: Readonly<Record<string, Value>> = {
  String: { schema: { type: 'string' }, read: readText },
  ID: { schema: { type: 'string' }, read: readText },
  Int: { schema: { type: 'integer' }, read: readNumber },
  Float: { schema: { type: 'number' }, read: readNumber },
  Boolean: { schema: { type: 'boolean' }, read: readBoolean },
  DateTime: { schema: { type: 'string', format: 'date-time' }, read: unchanged },
  LocalDateTime: {
    schema: { type: 'string', pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:00)?$` },
    read: unchanged,
  },
  ServiceId: { schema: { type: 'string' }, read: unchanged },
  URL: { schema: { type: 'string', format: 'uri' }, read: unchanged },
  // Any JSON value.
  JSON: { schema: {}, read: unchanged },
};

function scalarOf({ name, description }: GraphQLScalarType): Value {
  return SCALARS[name] ?? { schema: described({ type: 'string' }, description), read: unchanged };
}

function described(schema: JsonSchema, description: string | null | undefined): JsonSchema {
  const texts = [description, schema['description']].filter((text) => typeof text === 'string');
  return texts.length === 0 ? schema : { ...schema, description: texts.join('\n') };
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
