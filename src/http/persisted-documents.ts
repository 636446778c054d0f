import { createHash } from 'node:crypto';
import { parse, validate } from 'graphql';
import { schema } from '../schema/index.ts';

/** Documents by their ids. */
export type PersistedDocuments = ReadonlyMap<string, string>;

/** The parameters of an operation, whatever transport they came by. */
export interface OperationParameters {
  readonly query?: unknown;
  readonly documentId?: unknown;
  readonly extensions?: unknown;
}

/** Puts the document that the parameters name in its place; gives a message where that can't be done. */
export type ResolveDocument = (parameters: OperationParameters) => OperationParameters | string;

/** Resolves documents by their ids; with `isOnly`, nothing else is let through. */
export function createDocumentResolver(documents: PersistedDocuments, isOnly: boolean): ResolveDocument {
  // Words that Apollo's clients know: they send the text then, and spare themselves the hashes where none are known.
  const unknownHash = documents.size > 0 ? 'PersistedQueryNotFound' : 'PersistedQueryNotSupported';
  return ({ documentId, ...parameters }) => {
    const hash = hashIn(parameters.extensions);
    const id = documentId ?? idIn(parameters.extensions) ?? hash;
    const known = typeof id === 'string' ? documents.get(id.replace(PREFIX, '')) : undefined;
    if (known !== undefined) return { ...parameters, query: known };
    const { query } = parameters;
    const hasText = typeof query === 'string' && query !== '';
    // Some clients send a hash beside every text; here it is of no use, and does no harm.
    if (typeof id === 'string' && !hasText)
      return id === hash ? unknownHash : 'There is no document of this id here.';
    return !isOnly || (hasText && documents.has(sha256(query)))
      ? parameters
      : 'This server executes persisted documents only: send the id of one.';
  };
}

/**
 * Reads persisted documents from JSON: an object of documents by their ids. Each is also known by its SHA-256 hash.
 * Throws an Error that names the first id whose document is none of this graph.
 */
export function readPersistedDocuments(json: string): PersistedDocuments {
  const file: unknown = JSON.parse(json);
  if (typeof file !== 'object' || file === null || Array.isArray(file))
    throw new Error('the file is no JSON object of documents by their ids');
  return new Map(
    Object.entries(file).flatMap(([id, text]: [string, unknown]) => {
      if (typeof text !== 'string') throw new Error(`the document ${id} is no text`);
      const [problem] = problemsOf(text);
      if (problem !== undefined) throw new Error(`the document ${id} can't be used: ${problem}`);
      return [[id.replace(PREFIX, ''), text] as const, [sha256(text), text] as const];
    }),
  );
}

/** How an id may say that it is a hash. */
const PREFIX = /^sha256:/;

function problemsOf(text: string): string[] {
  try {
    return validate(schema, parse(text)).map(({ message }) => message);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

// Where a transport has no place for an id of its own.
function idIn(extensions: unknown): unknown {
  return isObject(extensions) ? extensions['documentId'] : undefined;
}

// How Apollo's clients send theirs.
function hashIn(extensions: unknown): unknown {
  const named = isObject(extensions) ? extensions['persistedQuery'] : undefined;
  return isObject(named) ? named['sha256Hash'] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
