import { Lexer, parse, Source, TokenKind, type DocumentNode, type ParseOptions } from 'graphql';
import type { DocumentLimits } from '../../config.ts';
import { limitError } from './limit-error.ts';

type TextLimits = Pick<DocumentLimits, 'documentBytes' | 'tokens'>;

/** Parses a document. Rejects one that is too long by its length, before reading any token. */
export function parseWithin(
  source: string | Source,
  { documentBytes, tokens }: TextLimits,
  options: ParseOptions = {},
): DocumentNode {
  const bytes = Buffer.byteLength(typeof source === 'string' ? source : source.body);
  if (bytes > documentBytes) throw limitError('bytes of the document', documentBytes, bytes);
  try {
    return parse(source, { ...options, maxTokens: tokens });
  } catch (error) {
    // The parser distinguishes this error only by its message.
    const found = countTokens(source);
    throw found > tokens ? limitError('tokens of the document', tokens, found) : error;
  }
}

// Counts up to the first token that cannot be read.
function countTokens(source: string | Source): number {
  const lexer = new Lexer(typeof source === 'string' ? new Source(source) : source);
  let count = 0;
  try {
    while (lexer.advance().kind !== TokenKind.EOF) count += 1;
  } catch {
    return count;
  }
  return count;
}
