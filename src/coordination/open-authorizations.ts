import { LRUCache } from 'lru-cache';

/** The authorisations that were begun in a browser and have not come back, each by its random state. */
export interface OpenAuthorizations {
  open(state: string): Promise<void>;
  /** True for one that is open, the first time that it is asked for. */
  take(state: string): Promise<boolean>;
}

/** How long an authorisation may take, in milliseconds. */
export const AUTHORIZATION_MS = 10 * 60 * 1_000;
const MAX_OPEN = 10_000;

/** Those that were begun in this process. */
export function createOpenAuthorizations(): OpenAuthorizations {
  const states = new LRUCache<string, true>({ max: MAX_OPEN, ttl: AUTHORIZATION_MS });
  return {
    open: (state) => Promise.resolve(void states.set(state, true)),
    take(state) {
      const isOpen = states.get(state) === true;
      states.delete(state);
      return Promise.resolve(isOpen);
    },
  };
}
