import { hash, randomBytes } from 'node:crypto';
import type { Surface } from '../sources/errors.ts';

/** Hashes a credential: the hash tells nothing of it, and is never alike for two of them. */
export type HashCredential = (surface: Surface, credential: string) => string;

/**
 * Makes keyed hashes, so that one can't be guessed from a credential that is tried; without a secret, hashes that no other
 * process makes.
 */
export function createCredentialHash(secret: string = randomBytes(32).toString('base64url')): HashCredential {
  // Length-prefixed, so that no two pairs are the same text. A new HMAC would take three times as long.
  const key = `${secret.length}:${secret}`;
  return (surface, credential) =>
    hash('sha256', `${key}${surface.length}:${surface}${credential.length}:${credential}`, 'base64url');
}
