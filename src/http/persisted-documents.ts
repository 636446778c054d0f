import { createHash } from 'node:crypto';
import type { Refusal } from './admission.ts';

/** Documents by their ids. */
export type PersistedDocuments = ReadonlyMap<string, string>;

/** The parameters of an operation, whatever transport they came by. */
export interface OperationParameters {
  readonly query?: unknown;
  readonly operationName?: unknown;
  readonly variables?: unknown;
  readonly extensions?: unknown;
}

/** Puts the document that the parameters name in its place, and leaves out what is no parameter of GraphQL's. */
export type ResolveDocument = (parameters: object) => OperationParameters | Refusal;

/** Parameters as they came: clients name a document in one place or another, and send keys of their own. */
interface Received extends OperationParameters {
  readonly documentId?: unknown;
  readonly doc_id?: unknown;
  readonly id?: unknown;
}

/** Resolves documents by their ids; with `isOnly`, nothing else is let through. */
export function createDocumentResolver(documents: PersistedDocuments, isOnly: boolean): ResolveDocument {
  const missing = documents.size > 0 ? NOT_FOUND : NOT_SUPPORTED;
  return (received: Received) => {
    const { query, operationName, variables, extensions } = received;
    const hasText = typeof query === 'string' && query !== '';
    // Beside a text, an id under a common name may be the client's own.
    const common = hasText && !isOnly ? [] : [received.id, received.doc_id];
    const ids = [received.documentId, ...idsIn(extensions), ...common].filter((id) => typeof id === 'string');
    const known = ids.map((id) => documents.get(bare(id))).find((text) => text !== undefined);
    if (known !== undefined) return { query: known, operationName, variables, extensions };
    // Some clients send a hash beside every text; here it is of no use, and does no harm.
    if (ids.length > 0 && !hasText) return missing;
    if (isOnly && !(hasText && documents.has(sha256(query)))) return ONLY_PERSISTED;
    // Where there is no query, what is there in its place is named to the caller.
    return query == null ? received : { query, operationName, variables, extensions };
  };
}

// Words, codes and a status that Apollo's clients know: for the web by either, for iOS and Kotlin by the words alone, and
// only in an answer that has succeeded. They send the text then, and spare themselves the hashes where none are known.
const NOT_FOUND: Refusal = {
  status: 200,
  message: 'PersistedQueryNotFound',
  code: 'PERSISTED_QUERY_NOT_FOUND',
};
const NOT_SUPPORTED: Refusal = {
  status: 200,
  message: 'PersistedQueryNotSupported',
  code: 'PERSISTED_QUERY_NOT_SUPPORTED',
};
const ONLY_PERSISTED: Refusal = {
  status: 400,
  message: 'This server executes persisted documents only: send the id of one.',
  code: 'BAD_USER_INPUT',
};

// An id where a transport has no place of its own, and the hash that Apollo's clients send.
function idsIn(extensions: unknown): unknown[] {
  if (!isObject(extensions)) return [];
  const { documentId, persistedQuery } = extensions;
  return [documentId, isObject(persistedQuery) ? persistedQuery['sha256Hash'] : undefined];
}

/** An id without the prefix by which it may say that it is a hash. */
export function bare(id: string): string {
  return id.replace(/^sha256:/, '');
}

/** The hash by which a document may be called as well. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
