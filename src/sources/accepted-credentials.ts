import { createBoundedCache } from '../bounded-cache.ts';

/**
 * The credentials that the service has accepted, under names that reveal nothing about them. Anybody can invent a
 * credential; a successful call proves that it belongs to somebody.
 */
export interface AcceptedCredentials {
  has(name: string): boolean;
  /** Records that a call with a credential has succeeded, or was rejected because of the credential. */
  note(name: string, isAccepted: boolean): void;
  /** Calls `listener` for each credential that is accepted from now on and was not known before. */
  onAccepted(listener: (name: string) => void): void;
}

const MAX_ACCEPTED = 20_000;
/** How long a credential is remembered after it was last accepted or looked up, in milliseconds. */
const ACCEPTED_MS = 24 * 60 * 60 * 1_000;

/** Records the credentials that this process has seen the service accept. */
export function createAcceptedCredentials(): AcceptedCredentials {
  const accepted = createBoundedCache<true>({
    maxEntries: MAX_ACCEPTED,
    ttl: ACCEPTED_MS,
    updateAgeOnGet: true,
  });
  const listeners: ((name: string) => void)[] = [];
  return {
    has: (name) => accepted.get(name) === true,
    note(name, isAccepted) {
      if (!isAccepted) accepted.delete(name);
      else if (accepted.get(name) !== true) {
        accepted.set(name, true);
        for (const listener of listeners) listener(name);
      }
    },
    onAccepted: (listener) => void listeners.push(listener),
  };
}
