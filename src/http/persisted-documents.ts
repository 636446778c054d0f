import { hash } from 'node:crypto';
import { parse, validate } from 'graphql';
import { reasonOf } from '../config/file-problem.ts';
import { schema } from '../schema/index.ts';
import { Refusal } from './exchange.ts';

/** Documents by their ids. */
export type PersistedDocuments = ReadonlyMap<string, string>;

/** The parameters of an operation, from any transport. */
export interface OperationParameters {
  readonly query?: unknown;
  readonly operationName?: unknown;
  readonly variables?: unknown;
  readonly extensions?: unknown;
}

/** Replaces a document id with its document, and omits anything that is not a GraphQL parameter. */
export type ResolveDocument = (parameters: object) => OperationParameters | Refusal;

/** Parameters as received: clients put a document id in various places, and send properties of their own. */
interface Received extends OperationParameters {
  readonly documentId?: unknown;
  readonly doc_id?: unknown;
  readonly id?: unknown;
}

/** Creates a resolver of document ids; with `isOnly`, it rejects all other documents. */
export function createDocumentResolver(documents: PersistedDocuments, isOnly: boolean): ResolveDocument {
  const missing = documents.size > 0 ? NOT_FOUND : NOT_SUPPORTED;
  return (received: Received) => {
    const { query, operationName, variables, extensions } = received;
    const hasText = typeof query === 'string' && query !== '';
    const text = { query, operationName, variables, extensions };
    if (hasText && documents.size === 0 && !isOnly) return text;
    // Next to a query, an id under a common name may be the client's own.
    const common = hasText && !isOnly ? [] : [received.id, received.doc_id];
    const ids = [received.documentId, ...idsIn(extensions), ...common].filter((id) => typeof id === 'string');
    const known = ids.map((id) => documents.get(bare(id))).find((one) => one !== undefined);
    if (known !== undefined) return { ...text, query: known };
    // Some clients send a hash with every query; it is useless here, but harmless.
    if (ids.length > 0 && !hasText) return missing;
    if (isOnly && !(hasText && documents.has(hash('sha256', query)))) return ONLY_PERSISTED;
    // If there is no query, pass everything on, so that the error can name what was sent instead.
    return query == null ? received : text;
  };
}

// Messages, codes and a status that Apollo's clients recognise: the web client by either, iOS and Kotlin by the message
// alone, and only in a successful response. They then send the query, and stop sending hashes if none are supported.
const NOT_FOUND = new Refusal(200, 'PersistedQueryNotFound', { code: 'PERSISTED_QUERY_NOT_FOUND' });
const NOT_SUPPORTED = new Refusal(200, 'PersistedQueryNotSupported', {
  code: 'PERSISTED_QUERY_NOT_SUPPORTED',
});
const ONLY_PERSISTED = new Refusal(400, 'This server executes only persisted documents; send the id of one.');

// An id, for transports without a place for it, and the hash that Apollo's clients send.
function idsIn(extensions: unknown): unknown[] {
  if (!isObject(extensions)) return [];
  const { documentId, persistedQuery } = extensions;
  return [documentId, isObject(persistedQuery) ? persistedQuery['sha256Hash'] : undefined];
}

/** Removes the prefix that marks an id as a hash. */
function bare(id: string): string {
  return id.replace(/^sha256:/, '');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

const MANIFEST = 'apollo-persisted-query-manifest';
const OTHER_FILE = `the file must be an object of documents by their ids (Relay, codegen), or Apollo's "${MANIFEST}", version 1`;

/**
 * Reads persisted documents from JSON: an object of documents by id, as written by Relay's compiler and codegen, or
 * Apollo's manifest. Each is also available by its SHA-256 hash. Throws an Error for a file that is neither, or one that
 * names the first id whose document is invalid in this schema.
 */
export function readPersistedDocuments(json: string): PersistedDocuments {
  const documents = new Map<string, string>();
  for (const [id, text] of entriesOf(valueOf(json))) {
    if (typeof text !== 'string') throw new Error(`the document ${id} is not a string`);
    const [problem] = problemsOf(text);
    if (problem !== undefined) throw new Error(`the document ${id} cannot be used: ${problem}`);
    documents.set(bare(id), text).set(hash('sha256', text), text);
  }
  return documents;
}

function valueOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new Error('the file is not valid JSON');
  }
}

function entriesOf(file: unknown): readonly (readonly [id: string, text: unknown])[] {
  if (!isObject(file) || Array.isArray(file)) throw new Error(OTHER_FILE);
  const { format, version, operations } = file;
  if (format !== MANIFEST && !Array.isArray(operations)) return Object.entries(file);
  if (format !== MANIFEST || version !== 1 || !Array.isArray(operations)) throw new Error(OTHER_FILE);
  return operations.map((operation: unknown, index) => {
    const { id, body } = isObject(operation) ? operation : {};
    if (typeof id !== 'string') throw new Error(`operations.${index} of the file has no id`);
    return [id, body];
  });
}

function problemsOf(text: string): string[] {
  try {
    return validate(schema, parse(text)).map(({ message }) => message);
  } catch (error) {
    return [reasonOf(error)];
  }
}
