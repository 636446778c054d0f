import { parse, validate } from 'graphql';
import { z } from 'zod';
import { schema } from '../schema/index.ts';
import { bare, sha256, type PersistedDocuments } from './persisted-documents.ts';

const MANIFEST = 'apollo-persisted-query-manifest';
const FORMATS = `an object of documents by their ids (Relay, codegen), or Apollo's "${MANIFEST}", version 1`;

/** The output of Apollo's generate-persisted-query-manifest. */
const manifest = z.object({
  format: z.literal(MANIFEST),
  version: z.literal(1),
  operations: z.array(z.object({ id: z.string(), body: z.string() })),
});

/**
 * Reads persisted documents from JSON: an object of documents by id, as written by Relay's compiler and codegen, or
 * Apollo's manifest. Each is also available by its SHA-256 hash. Throws an Error that names the format of a file that
 * is neither, or the first id whose document is invalid in this schema.
 */
export function readPersistedDocuments(json: string): PersistedDocuments {
  const documents = new Map<string, string>();
  for (const [id, text] of entriesOf(valueOf(json))) {
    if (typeof text !== 'string') throw new Error(`the document ${id} is not a string`);
    const [problem] = problemsOf(text);
    if (problem !== undefined) throw new Error(`the document ${id} cannot be used: ${problem}`);
    documents.set(bare(id), text).set(sha256(text), text);
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
  if (typeof file !== 'object' || file === null || Array.isArray(file))
    throw new Error(`the file is not a JSON object; it must be ${FORMATS}`);
  if (!isManifest(file)) return Object.entries(file);
  const { data, error } = manifest.safeParse(file);
  if (data) return data.operations.map(({ id, body }) => [id, body] as const);
  const format = 'format' in file ? JSON.stringify(file.format) : 'missing';
  const places = error.issues.map(({ path }) => path.join('.'));
  throw new Error(
    `the file's format is ${format}, but ${places[0]} does not match it; the file must be ${FORMATS}`,
  );
}

// Other files only contain documents, which are never a single word.
function isManifest(file: { readonly format?: unknown; readonly operations?: unknown }): boolean {
  const { format = '{}', operations } = file;
  return Array.isArray(operations) || typeof format !== 'string' || /^[\w./-]*$/.test(format);
}

function problemsOf(text: string): string[] {
  try {
    return validate(schema, parse(text)).map(({ message }) => message);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
