import {
  getNamedType,
  GraphQLError,
  isInputObjectType,
  Kind,
  OperationTypeNode,
  parse,
  validate,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { inputOf, OperationFileError, type Arguments, type ObjectSchema } from './input.ts';

/** The text of a file with one operation. */
export interface OperationFile {
  /** Its name in messages. */
  readonly name: string;
  readonly text: string;
}

/** The hints of the Model Context Protocol that tell assistants what a tool does. */
export interface ToolAnnotations {
  readonly title: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** An operation that assistants may call. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  /** Converts the arguments of a call to the variables of the document. */
  readonly readArguments: (given: Arguments) => Arguments;
  readonly annotations: ToolAnnotations;
  /** `write` changes something; `lookup` reads the recorded outcome of a write; everything else is `read`. */
  readonly kind: 'read' | 'write' | 'lookup';
  /** Whether it takes a required `idempotencyKey`. */
  readonly takesKey: boolean;
  /** The document to execute. */
  readonly document: string;
}

/** The variable that identifies a write. */
const KEY = 'idempotencyKey';
/** Mutations whose results contain credentials, which no assistant may see. */
const WITHHELD: ReadonlySet<string> = new Set(['createBillingPortalSession', 'exchangeAuthorizationCode']);
const MOST_NAME_CHARS = 64;

/**
 * Creates a tool from a file with one operation: its name becomes the tool's, the comment before it the description,
 * and its variables the input.
 *
 * @throws OperationFileError for a file that can't be a tool
 */
export function toolOf({ text }: OperationFile, schema: GraphQLSchema): Tool {
  const document = parsed(text);
  const [problem] = validate(schema, document);
  if (problem) throw new OperationFileError(placed(problem));
  const { operation, operationName } = onlyOperationOf(document);
  const { node, field } = rootFieldOf(operation, schema);
  const takesKey = field.args.some(({ type }) => takesKeyIn(getNamedType(type)));
  if (operation.operation === OperationTypeNode.MUTATION) checkMutation(operation, node, takesKey);
  const words = wordsOf(operationName);
  const name = words.map((word) => word.toLowerCase()).join('_');
  if (name.length > MOST_NAME_CHARS)
    throw new OperationFileError(`the name of its operation has more than ${MOST_NAME_CHARS} characters`);
  const kind = kindOf(operation, field);
  const { schema: inputSchema, read: readArguments } = inputOf(operation, document, schema);
  return {
    name,
    title: titleOf(words),
    description: leadingComment(text),
    inputSchema,
    readArguments,
    annotations: annotationsOf(titleOf(words), kind, field.name),
    kind,
    takesKey,
    document: text,
  };
}

function parsed(text: string): DocumentNode {
  try {
    return parse(text);
  } catch (error) {
    throw new OperationFileError(error instanceof GraphQLError ? placed(error) : String(error));
  }
}

function placed({ message, locations }: GraphQLError): string {
  const [place] = locations ?? [];
  return place ? `line ${place.line}, column ${place.column}: ${message}` : message;
}

function onlyOperationOf({ definitions }: DocumentNode) {
  const operations = definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  const [operation] = operations;
  if (!operation || operations.length > 1)
    throw new OperationFileError(`contains ${operations.length} operations; it must contain exactly one`);
  if (operation.name === undefined)
    throw new OperationFileError('its operation has no name; the tool is named after it');
  if (operation.operation === OperationTypeNode.SUBSCRIPTION)
    throw new OperationFileError('contains a subscription; a tool must be a query or a mutation');
  return { operation, operationName: operation.name.value };
}

/** Returns the only field of a mutation, or the first field of a query. */
function rootFieldOf({ operation, selectionSet }: OperationDefinitionNode, schema: GraphQLSchema) {
  const { selections } = selectionSet;
  const node = selections.find((one) => one.kind === Kind.FIELD);
  if (operation === OperationTypeNode.MUTATION && (selections.length > 1 || !node))
    throw new OperationFileError('a mutation must select exactly one field, without a fragment');
  const field = node && schema.getRootType(operation)?.getFields()[node.name.value];
  if (!node || !field) throw new OperationFileError('its first field is not a field of Query or Mutation');
  return { node, field };
}

const takesKeyIn = (type: GraphQLNamedType): boolean => isInputObjectType(type) && KEY in type.getFields();

// The report of a write is built from these fields.
const OUTCOME_FIELDS = ['outcome', 'userErrors'] as const;

function checkMutation(operation: OperationDefinitionNode, node: FieldNode, takesKey: boolean): void {
  const name = node.name.value;
  if (WITHHELD.has(name))
    throw new OperationFileError(`${name} cannot be a tool because its result contains a credential`);
  if (node.alias) throw new OperationFileError(`${name} must not have an alias`);
  const selected = (node.selectionSet?.selections ?? []).flatMap((one) =>
    one.kind === Kind.FIELD && !one.alias ? [one.name.value] : [],
  );
  const missing = OUTCOME_FIELDS.filter((field) => !selected.includes(field));
  if (missing.length > 0)
    throw new OperationFileError(`${name} must select ${missing.join(' and ')}, without an alias`);
  if (takesKey && !passesKey(operation, node))
    throw new OperationFileError(
      `${name} must take its ${KEY} from a variable "$${KEY}: String!": input: { ${KEY}: $${KEY}, … }`,
    );
}

function passesKey({ variableDefinitions = [] }: OperationDefinitionNode, field: FieldNode): boolean {
  const input = field.arguments?.find(({ value }) => value.kind === Kind.OBJECT)?.value;
  const key = input?.kind === Kind.OBJECT && input.fields.find(({ name }) => name.value === KEY);
  if (!key || key.value.kind !== Kind.VARIABLE || key.value.name.value !== KEY) return false;
  const definition = variableDefinitions.find(({ variable }) => variable.name.value === KEY);
  return definition?.type.kind === Kind.NON_NULL_TYPE && definition.defaultValue === undefined;
}

function kindOf(
  { operation }: OperationDefinitionNode,
  { type }: GraphQLField<unknown, unknown>,
): Tool['kind'] {
  if (operation === OperationTypeNode.MUTATION) return 'write';
  return getNamedType(type).name === 'KeyedWrite' ? 'lookup' : 'read';
}

// A write with a key is executed once, however often it is repeated; one that sets a state is idempotent anyway.
function annotationsOf(title: string, kind: Tool['kind'], field: string): ToolAnnotations {
  return {
    title,
    readOnlyHint: kind !== 'write',
    destructiveHint: kind === 'write' && field.startsWith('delete'),
    idempotentHint: true,
    openWorldHint: kind !== 'lookup',
  };
}

/** Splits a camel-case name into words, such as `ListAITexts` into `List`, `AI` and `Texts`. */
function wordsOf(name: string): string[] {
  return name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [name];
}

function titleOf(words: readonly string[]): string {
  const [first = '', ...others] = words;
  return [
    `${first.charAt(0).toUpperCase()}${first.slice(1)}`,
    ...others.map((word) => word.toLowerCase()),
  ].join(' ');
}

/** Returns the comment at the top of a file, joining lines that are not separated by an empty line. */
function leadingComment(text: string): string {
  const lines = text.trimStart().split(/\r\n|[\n\r]/);
  const end = lines.findIndex((line) => !line.startsWith('#'));
  const comment = lines.slice(0, end).map((line) => line.replace(/^#\s*/, ''));
  if (comment.every((line) => line === ''))
    throw new OperationFileError('must begin with a comment, which describes the tool to assistants');
  return comment
    .join('\n')
    .trim()
    .replace(/(?<!\n)\n(?!\n)/g, ' ');
}

/** The tools that assistants may call here, by name. */
export type Toolbox = ReadonlyMap<string, Tool>;

/**
 * Creates tools from operation files; mutations become tools only with `writes`. The problems name every file that can't
 * be a tool, and why.
 */
export function createToolbox(
  files: readonly OperationFile[],
  schema: GraphQLSchema,
  { writes }: { readonly writes: boolean },
): { readonly toolbox: Toolbox; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const fileOf = new Map<string, string>();
  const toolbox = new Map<string, Tool>();
  for (const file of files) {
    try {
      const tool = toolOf(file, schema);
      const other = fileOf.get(tool.name);
      if (other !== undefined)
        throw new OperationFileError(`the tool ${tool.name} is already defined by ${other}`);
      fileOf.set(tool.name, file.name);
      if (writes || tool.kind !== 'write') toolbox.set(tool.name, tool);
    } catch (error) {
      if (!(error instanceof OperationFileError)) throw error;
      problems.push(`${file.name}: ${error.message}`);
    }
  }
  return { toolbox, problems };
}
