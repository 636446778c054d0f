/**
 * A new random key. Store it with the post before you publish: after a crash, the same key finds out what became of it.
 *
 * `crypto.randomUUID` is missing in pages that were not loaded over https, so it is not used.
 */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
