import type { UpstreamCall } from './upstream-call.ts';

/** Counts finished writes on both surfaces together, because both show the same accounts. */
export interface Effects {
  count: number;
}

/** Finds an equal read in flight that a read may join. It must have started after the last write ended. */
export class Coalescing<R> {
  readonly #effects: Effects;
  readonly #inFlight = new Map<string, { readonly read: R; readonly effects: number }>();

  constructor(effects: Effects) {
    this.#effects = effects;
  }

  find(key: string): R | null {
    const found = this.#inFlight.get(key);
    return found?.effects === this.#effects.count ? found.read : null;
  }

  add(key: string, read: R): void {
    this.#inFlight.set(key, { read, effects: this.#effects.count });
  }

  delete(key: string, read: R): void {
    if (this.#inFlight.get(key)?.read === read) this.#inFlight.delete(key);
  }

  /** Records that a write has ended, whether or not it succeeded. */
  noteEffect(): void {
    this.#effects.count += 1;
  }
}

/** Returns a key shared only by equal reads of one caller; the lengths delimit its parts. Reads have no body. */
export function coalescingKey({ caller, endpoint: { name }, path }: UpstreamCall): string {
  return `${caller.length}:${caller}${name.length}:${name}${path}`;
}
