import {
  astFromValue,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
  isSpecifiedScalarType,
  Kind,
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
  type VariableDefinitionNode,
} from 'graphql';
import type { JsonValue } from './json.ts';

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, JsonValue>>;

/** The JSON Schema of an object. */
export type ObjectSchema = JsonSchema & {
  readonly type: 'object';
  readonly properties: JsonSchema;
};

/**
 * Converts the variables of an operation to JSON Schema. Input objects are inlined, since some assistants do not
 * resolve references. A variable gets the description of the argument or input field that uses it.
 *
 * @throws Error if an input object contains itself
 */
export function inputSchemaOf(
  operation: OperationDefinitionNode,
  document: DocumentNode,
  schema: GraphQLSchema,
): ObjectSchema {
  const definitions = operation.variableDefinitions ?? [];
  const descriptions = descriptionsOfVariables(document, schema);
  const properties = definitions.map((definition) => {
    const { value: name } = definition.variable.name;
    return [name, schemaOfVariable(definition, schema, descriptions.get(name))] as const;
  });
  const required = definitions.filter(isRequired).map(({ variable }) => variable.name.value);
  return objectSchema(properties, required);
}

function isRequired({ type, defaultValue }: VariableDefinitionNode): boolean {
  return type.kind === Kind.NON_NULL_TYPE && defaultValue === undefined;
}

function schemaOfVariable(
  { type: written, defaultValue }: VariableDefinitionNode,
  schema: GraphQLSchema,
  description: string | undefined,
): JsonSchema {
  // The document is valid, so the type of a variable exists and is an input type.
  const type = typeFromAST(schema, written) as GraphQLInputType;
  const unset = defaultValue === undefined ? {} : { default: valueFromASTUntyped(defaultValue) as JsonValue };
  return { ...described(schemaOf(type, []), description), ...unset };
}

function objectSchema(
  properties: readonly (readonly [name: string, schema: JsonSchema])[],
  required: string[],
): ObjectSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
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

function described(schema: JsonSchema, description: string | null | undefined): JsonSchema {
  const texts = [description, schema['description']].filter((text) => typeof text === 'string');
  return texts.length === 0 ? schema : { ...schema, description: texts.join('\n') };
}

function schemaOf(type: GraphQLInputType, within: readonly GraphQLInputObjectType[]): JsonSchema {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return { type: 'array', items: schemaOf(nullable.ofType, within) };
  if (isEnumType(nullable)) return schemaOfEnum(nullable);
  if (!isInputObjectType(nullable)) return schemaOfScalar(nullable);
  if (within.includes(nullable)) throw new Error(`the input type ${nullable.name} contains itself`);
  return schemaOfInputObject(nullable, [...within, nullable]);
}

function schemaOfInputObject(
  type: GraphQLInputObjectType,
  within: readonly GraphQLInputObjectType[],
): JsonSchema {
  const fields = Object.values(type.getFields());
  const properties = fields.map((field) => [field.name, schemaOfField(field, within)] as const);
  const required = fields.filter(isRequiredInputField).map(({ name }) => name);
  const object = objectSchema(properties, required);
  return type.isOneOf
    ? { ...object, minProperties: 1, maxProperties: 1, description: 'Set exactly one of the properties.' }
    : object;
}

function schemaOfField(field: GraphQLInputField, within: readonly GraphQLInputObjectType[]): JsonSchema {
  const { type, defaultValue, description } = field;
  const unset = defaultValue === undefined ? null : astFromValue(defaultValue, type);
  return {
    ...described(schemaOf(type, within), description),
    ...(unset && { default: valueFromASTUntyped(unset) as JsonValue }),
  };
}

function schemaOfEnum(type: GraphQLEnumType): JsonSchema {
  const values = type.getValues();
  const lines = values.map(({ name, description }) => `- ${name}: ${description ?? 'not described'}`);
  return { type: 'string', enum: values.map(({ name }) => name), description: lines.join('\n') };
}

const SCALARS: Readonly<Record<string, JsonSchema>> = {
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

function schemaOfScalar(type: GraphQLScalarType): JsonSchema {
  const known = SCALARS[type.name];
  if (known) return known;
  const text = { type: 'string' };
  return isSpecifiedScalarType(type) ? text : described(text, type.description);
}
