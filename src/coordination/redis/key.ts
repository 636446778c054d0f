import { createHash } from 'node:crypto';

/** Returns the key of a value in Redis, of bounded length. Names of callers are hashes already. */
export function keyOf(kind: string, ...parts: readonly string[]): string {
  const text = parts.map((part) => `${part.length}:${part}`).join('');
  return `spg:${kind}:${createHash('sha256').update(text).digest('base64url')}`;
}
