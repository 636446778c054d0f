import { createHmac, randomBytes } from 'node:crypto';
import { createMemoryStore, type WriteStore } from './idempotency.ts';
import { createTurns, type Turns } from './turns.ts';

/** What all writes of a process share. */
export interface WriteDesk {
  /** Remembers writes with a key. */
  readonly store: WriteStore;
  /** Keeps writes to one account apart. */
  readonly turns: Turns;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** A name for the holder of a credential that tells nothing of the credential. */
  readonly nameOf: (surface: string, credential: string) => string;
}

/** Makes the desk of one process. */
export function createWriteDesk(now: () => number = Date.now): WriteDesk {
  const secret = randomBytes(32);
  return {
    store: createMemoryStore(),
    turns: createTurns(),
    now,
    // Length-prefixed, so that no two pairs are the same text.
    nameOf: (surface, credential) =>
      createHmac('sha256', secret)
        .update(`${surface.length}:${surface}${credential.length}:${credential}`)
        .digest('base64url'),
  };
}
