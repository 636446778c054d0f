import type { Services } from '../services.ts';
import type { Surface } from '../sources/errors.ts';
import type { Credentials } from './credentials.ts';

/** The caller of an operation: its credentials, and the ids that represent it. */
export class Caller {
  readonly credentials: Credentials;
  readonly #services: Pick<Services, 'config' | 'hashCredential'>;
  readonly #ids: Partial<Record<Surface, string>> = {};

  constructor(services: Pick<Services, 'config' | 'hashCredential'>, credentials: Credentials) {
    this.credentials = credentials;
    this.#services = services;
  }

  /** Returns a keyed hash of the credentials sent to a surface; computed once. */
  id(surface: Surface): string {
    return (this.#ids[surface] ??= this.#hash(surface));
  }

  #hash(surface: Surface): string {
    const { config, hashCredential } = this.#services;
    const [own = '', ...others] = credentialsFor(config, this.credentials, surface);
    return hashCredential(surface, own, ...others);
  }
}

/**
 * Returns the credentials sent to a surface, its own one first. If the current surface is also sent the access token,
 * both must be the same caller's: an operator's token is never sent with a key that a caller has provided.
 */
export function credentialsFor(
  { currentSendsAccessToken }: Pick<Services['config'], 'currentSendsAccessToken'>,
  credentials: Credentials,
  surface: Surface,
): readonly string[] {
  const own = credentials[surface];
  if (own.state !== 'given') return [];
  const { legacy: token } = credentials;
  const isWanted = surface === 'current' && currentSendsAccessToken && token.state === 'given';
  return isWanted && (own.isOperators || !token.isOperators) ? [own.value, token.value] : [own.value];
}
