import type { UpstreamCall } from './upstream-call.ts';

/** Counts the calls with an effect that have ended, on both surfaces, which show the same accounts. */
export interface Effects {
  count: number;
}

/** Finds the read in flight that an equal one may join: one that began after the last effect. */
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

  /** Notes that a call with an effect has ended, whether or not it succeeded. */
  noteEffect(): void {
    this.#effects.count += 1;
  }
}

/** A key that only equal reads of one caller share: the lengths keep its parts apart. Reads have no body. */
export function coalescingKey({ caller, endpoint: { name }, path }: UpstreamCall): string {
  return `${caller.length}:${caller}${name.length}:${name}${path}`;
}
