import type { Services } from '../services.ts';
import type { Surface } from '../sources/errors.ts';
import type { Credentials } from './credentials.ts';

/** Who asks: their credentials, and the ids that stand for them. */
export class Caller {
  readonly credentials: Credentials;
  readonly #services: Pick<Services, 'config' | 'hashCredential'>;
  readonly #ids: Partial<Record<Surface, string>> = {};

  constructor(services: Pick<Services, 'config' | 'hashCredential'>, credentials: Credentials) {
    this.credentials = credentials;
    this.#services = services;
  }

  /** A keyed hash of the credentials that calls to a surface carry; made once. */
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
 * The credentials that calls to a surface carry, its own one first. Where the current surface is sent the access token as
 * well, the two are one caller's: an operator's token never goes beside a key that a caller has brought.
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
