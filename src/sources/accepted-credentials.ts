import { createBoundedCache } from '../bounded-cache.ts';

/**
 * The credentials that the service has accepted, by names that tell nothing of them. Anybody can make up a credential; one
 * is known to be somebody's when a call with it has succeeded.
 */
export interface AcceptedCredentials {
  has(name: string): boolean;
  /** Notes that a call with a credential has succeeded, or was refused because of the credential. */
  note(name: string, isAccepted: boolean): void;
  /** Has `listener` told of each one that is accepted from now on and was not known to be. */
  onAccepted(listener: (name: string) => void): void;
}

const MAX_ACCEPTED = 20_000;
/** How long one is remembered after it was last accepted or asked for, in milliseconds. */
const ACCEPTED_MS = 24 * 60 * 60 * 1_000;

/** Those that this process has seen the service accept. */
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
