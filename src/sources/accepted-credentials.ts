import { createBoundedCache } from '../bounded-cache.ts';

const MAX_ACCEPTED = 20_000;
/** How long a credential is remembered after it was last accepted or looked up, in milliseconds. */
const ACCEPTED_MS = 24 * 60 * 60 * 1_000;

/**
 * The credentials that this process has seen the service accept, under names that reveal nothing about them. Anybody can
 * invent a credential; a successful call proves that it belongs to somebody.
 */
export class AcceptedCredentials {
  readonly #accepted = createBoundedCache<true>({
    maxEntries: MAX_ACCEPTED,
    ttl: ACCEPTED_MS,
    updateAgeOnGet: true,
  });
  readonly #listeners: ((name: string) => void)[] = [];

  has(name: string): boolean {
    return this.#accepted.get(name) === true;
  }

  /** Records that a call with a credential has succeeded, or was rejected because of the credential. */
  note(name: string, isAccepted: boolean): void {
    if (!isAccepted) this.#accepted.delete(name);
    else if (!this.has(name)) {
      this.#accepted.set(name, true);
      for (const listener of this.#listeners) listener(name);
    }
  }

  /** Calls `listener` for each credential that is accepted from now on and was not known before. */
  onAccepted(listener: (name: string) => void): void {
    this.#listeners.push(listener);
  }
}
