import { hash, randomBytes } from 'node:crypto';
import type { Surface } from '../sources/errors.ts';

/**
 * Hashes a credential, or those that are sent together: the hash tells nothing of them, and is never alike for others.
 */
export type HashCredential = (surface: Surface, ...credentials: readonly string[]) => string;

/**
 * Makes keyed hashes, so that one can't be guessed from a credential that is tried; without a secret, hashes that no other
 * process makes.
 */
export function createCredentialHash(secret: string = randomBytes(32).toString('base64url')): HashCredential {
  // Length-prefixed, so that no two lists are the same text. A new HMAC would take three times as long.
  const key = `${secret.length}:${secret}`;
  return (surface, ...credentials) => {
    let text = `${key}${surface.length}:${surface}`;
    for (const credential of credentials) text += `${credential.length}:${credential}`;
    return hash('sha256', text, 'base64url');
  };
}
