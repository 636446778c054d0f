import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

const MAX_DOCUMENTS = 500;
/** Most text of all documents together, in bytes. */
const MAX_BYTES = 4 * 1_024 * 1_024;
/** Largest text of a document that is remembered, in bytes. */
const MAX_DOCUMENT_BYTES = 8 * 1_024;
/**
 * What a token counts for at least, in bytes of text: a parsed document was measured to take up to 240 bytes of memory a
 * token, however short its text, so that 100,000 tokens, or 24 MB, are remembered at most.
 */
const BYTES_A_TOKEN = 42;

/**
 * Remembers documents, and with them what validation said, by their text: 500 of them, with 4 MiB of text in all. What
 * can't be parsed is not remembered, nor what is longer than 8 KiB: no application sends it again and again.
 */
export function createDocumentCache() {
  const documents = new LRUCache<string, DocumentNode>({
    max: MAX_DOCUMENTS,
    maxSize: MAX_BYTES,
    sizeCalculation: (document, text) =>
      Math.max(Buffer.byteLength(text), tokensOf(document) * BYTES_A_TOKEN),
  });
  return {
    documentCache: {
      get: (text: string) => documents.get(text),
      set: (text: string, document: DocumentNode) => {
        if (Buffer.byteLength(text) <= MAX_DOCUMENT_BYTES) documents.set(text, document);
      },
    },
    errorCache: { get: () => undefined, set: () => undefined },
    validationCache: true,
  };
}

function tokensOf({ loc }: DocumentNode): number {
  let count = 0;
  for (let token = loc?.startToken ?? null; token !== null; token = token.next) count += 1;
  return count;
}
