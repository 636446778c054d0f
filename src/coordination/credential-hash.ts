import { hash } from 'node:crypto';
import type { Surface } from '../sources/errors.ts';

/**
 * Hashes a credential, or several that are sent together. The hash reveals nothing about them, and is unique to them.
 */
export type HashCredential = (surface: Surface, ...credentials: readonly string[]) => string;

/** Creates hashes with a secret as their key, so that nobody can find a hash by trying credentials. */
export function createCredentialHash(secret: string): HashCredential {
  // Length-prefixed, so that different lists never yield the same text. A new HMAC would take three times as long.
  const key = `${secret.length}:${secret}`;
  return (surface, ...credentials) => {
    let text = `${key}${surface.length}:${surface}`;
    for (const credential of credentials) text += `${credential.length}:${credential}`;
    return hash('sha256', text, 'base64url');
  };
}
