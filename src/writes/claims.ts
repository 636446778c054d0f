import { createBoundedCache } from '../bounded-cache.ts';

/** A write of which it may have to be asked what it made. */
export interface Claimant {
  /** A name of its own, the same each time that it is asked about. */
  readonly name: string;
}

const MAX_CLAIMS = 100_000;
const MAX_UNRESOLVED = 1_000;
/** How long a write of unknown outcome may be what made a record that another one finds, in milliseconds. */
const UNRESOLVED_MS = 60 * 60 * 1_000;

interface Other {
  readonly kind: string;
  readonly subject: unknown;
}

/**
 * Which record of the service is told as the result of which write, as far as this process knows. A record that is found
 * by looking may be what another write made; none is told of two.
 */
export class Claims {
  readonly #claimed = createBoundedCache<string>({ maxEntries: MAX_CLAIMS });
  readonly #running = new Map<string, Other>();
  readonly #unresolved = createBoundedCache<Other>({ maxEntries: MAX_UNRESOLVED, ttl: UNRESOLVED_MS });

  /**
   * Counts a write as one that may have made what is found, until its task has ended, and for an hour where nobody knows
   * what came of it. `subject` is what others of its kind are compared by.
   */
  async during<T extends { readonly outcome: string }>(
    { name }: Claimant,
    other: Other,
    task: () => Promise<T>,
  ): Promise<T> {
    this.#unresolved.delete(name);
    this.#running.set(name, other);
    try {
      const result = await task();
      if (result.outcome === 'UNKNOWN') this.#unresolved.set(name, other);
      return result;
    } finally {
      this.#running.delete(name);
    }
  }

  /** What the other writes of a kind are about that may have made what is found. */
  *others(kind: string, { name }: Claimant): Iterable<unknown> {
    for (const source of [this.#running, this.#unresolved])
      for (const [other, { kind: itsKind, subject }] of source.entries())
        if (itsKind === kind && other !== name) yield subject;
  }

  /** True for a record that no other write is told to have made. */
  isFree(record: string, { name }: Claimant): boolean {
    const owner = this.#claimed.get(record);
    return owner === undefined || owner === name;
  }

  /** Notes that a write is told to have made records. */
  note(records: Iterable<string>, { name }: Claimant): void {
    for (const record of records) this.#claimed.set(record, name);
    this.#unresolved.delete(name);
  }
}
