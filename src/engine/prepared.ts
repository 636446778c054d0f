import {
  getOperationAST,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Lexer,
  parse,
  Source,
  TokenKind,
  visit,
  type FieldNode,
} from 'graphql';
import { createBoundedCache } from '../bounded-cache.ts';
import type { Config, DocumentLimits } from '../config.ts';
import { compile } from '../../packages/executor/src/compile.ts';
import type { DataReads } from '../../packages/executor/src/run.ts';
import { executorLimits } from './limits/result.ts';
import { validateWithin } from './limits/validation.ts';
import { limitError } from './limits/limit-error.ts';

/** The kind of the operation that a document has under a name; `none` if the name selects no single operation. */
type OperationKind = 'query' | 'mutation' | 'subscription' | 'none';

/** How documents are prepared. */
export interface PreparationOptions extends Pick<Config, 'limits' | 'introspection'> {
  readonly schema: GraphQLSchema;
  /** How fields that are data are read. */
  readonly data?: DataReads;
}

/** One operation of a document, with everything about its execution that does not depend on the request. */
export class PreparedOperation {
  readonly document: DocumentNode;
  readonly name: string | null;
  readonly kind: OperationKind;
  readonly #options: PreparationOptions;
  #compiled: ReturnType<typeof compile> | undefined;

  constructor(options: PreparationOptions, document: DocumentNode, name: string | null) {
    this.document = document;
    this.name = name;
    this.kind = getOperationAST(document, name)?.operation ?? 'none';
    this.#options = options;
  }

  /** The operation as a tree of closures, or the errors that prevent it; compiled on first use. */
  get compiled(): ReturnType<typeof compile> {
    const { schema, introspection, limits, data } = this.#options;
    return (this.#compiled ??= compile(schema, this.document, {
      operationName: this.name,
      hideSuggestions: !introspection,
      limits: executorLimits(limits),
      data,
    }));
  }
}

/** A parsed and validated document, and its operations. */
export class PreparedDocument {
  readonly document: DocumentNode;
  /** The validation errors; a document with errors has no operations to execute. */
  readonly errors: readonly GraphQLError[];
  readonly #options: PreparationOptions;
  readonly #operations = new Map<string | null, PreparedOperation>();

  constructor(options: PreparationOptions, document: DocumentNode) {
    this.document = document;
    this.errors = withCode(validateWithin(options.schema, document, options), 'GRAPHQL_VALIDATION_FAILED');
    this.#options = options;
  }

  /** Returns the operation that a request names, or the only one if it names none. */
  operation(name: string | null | undefined): PreparedOperation {
    const known = this.#operations.get(name ?? null);
    if (known) return known;
    const operation = new PreparedOperation(this.#options, this.document, name ?? null);
    // Unknown names are chosen by the caller and could fill the memory.
    if (operation.kind !== 'none') this.#operations.set(operation.name, operation);
    return operation;
  }
}

function withCode(errors: readonly GraphQLError[], code: string): readonly GraphQLError[] {
  for (const { extensions } of errors) extensions['code'] ??= code;
  return errors;
}

const MAX_DOCUMENTS = 500;
/** Maximum total text of all cached documents, in bytes. */
const MAX_BYTES = 4 * 1_024 * 1_024;
/** Largest text of a cached document, in bytes. */
const MAX_DOCUMENT_BYTES = 8 * 1_024;
/**
 * The minimum bytes of text that a token counts for. A compiled document was measured to take up to 430 bytes of memory
 * per token however short its text, so at most 65,000 tokens, or 28 MB, are cached.
 */
const BYTES_PER_TOKEN = 64;

/**
 * Prepares documents and caches them by their text: 500 of them, with 4 MiB of text in all. Documents that cannot be
 * parsed or are longer than 8 KiB are not cached, because no application sends them repeatedly.
 */
export class Preparation {
  readonly #options: PreparationOptions;
  readonly #byText = createBoundedCache<PreparedDocument>({
    maxEntries: MAX_DOCUMENTS,
    maxSize: MAX_BYTES,
    sizeOf: ({ document }, text) => Math.max(Buffer.byteLength(text), tokensOf(document) * BYTES_PER_TOKEN),
  });
  readonly #byDocument = new WeakMap<DocumentNode, PreparedDocument>();

  constructor(options: PreparationOptions) {
    this.#options = options;
  }

  /** Parses and validates a document. Throws a GraphQLError if it cannot be parsed or exceeds a limit on its text. */
  prepare(text: string): PreparedDocument {
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const prepared = new PreparedDocument(this.#options, parsed(text, this.#options));
    this.#byDocument.set(prepared.document, prepared);
    if (Buffer.byteLength(text) <= MAX_DOCUMENT_BYTES) this.#byText.set(text, prepared);
    return prepared;
  }

  /** Whether a document is cached. */
  has(text: string): boolean {
    return this.#byText.has(text);
  }

  /** Returns the prepared form of a document created by `prepare`. */
  of(document: DocumentNode): PreparedDocument {
    return this.#byDocument.get(document) ?? new PreparedDocument(this.#options, document);
  }
}

function parsed(text: string, { limits }: PreparationOptions): DocumentNode {
  try {
    return withPresentNames(parseWithin(text, limits), text);
  } catch (error) {
    if (error instanceof GraphQLError) withCode([error], 'GRAPHQL_PARSE_FAILED');
    throw error;
  }
}

function tokensOf({ loc }: DocumentNode): number {
  let count = 0;
  for (let token = loc?.startToken ?? null; token !== null; token = token.next) count += 1;
  return count;
}

/** Parses a document. Rejects one that is too long by its length, before reading any token. */
export function parseWithin(
  text: string,
  { documentBytes, tokens }: Pick<DocumentLimits, 'documentBytes' | 'tokens'>,
): DocumentNode {
  const bytes = Buffer.byteLength(text);
  if (bytes > documentBytes) throw limitError('bytes of the document', documentBytes, bytes);
  try {
    return parse(text, { maxTokens: tokens });
  } catch (error) {
    // The parser distinguishes this error only by its message.
    const found = countTokens(text);
    throw found > tokens ? limitError('tokens of the document', tokens, found) : error;
  }
}

// Counts up to the first token that cannot be read.
function countTokens(text: string): number {
  const lexer = new Lexer(new Source(text));
  let count = 0;
  try {
    while (lexer.advance().kind !== TokenKind.EOF) count += 1;
  } catch {
    return count;
  }
  return count;
}

/** The spelling of graphql 15, from before the specification defined the field. */
const OLD_NAME = 'specifiedByUrl';
const NAME = 'specifiedByURL';

/** Renames the introspection field of graphql 15 in a document to its current name, with the old name as alias. */
function withPresentNames(document: DocumentNode, text: string): DocumentNode {
  return text.includes(OLD_NAME) ? visit(document, { Field: presentField }) : document;
}

// No field of this schema has the old name.
function presentField(node: FieldNode): FieldNode | undefined {
  const { alias, name } = node;
  if (name.value !== OLD_NAME) return undefined;
  return { ...node, alias: alias ?? name, name: { ...name, value: NAME } };
}
