import { createBoundedCache } from '../bounded-cache.ts';

/** A write whose created records may have to be found. */
export interface Claimant {
  /** A unique name, the same in each look-up of the write. */
  readonly name: string;
}

const MAX_CLAIMS = 100_000;
const MAX_UNRESOLVED = 1_000;
/** How long a write of unknown outcome may still be the origin of a found record, in milliseconds. */
const UNRESOLVED_MS = 60 * 60 * 1_000;

interface Other {
  readonly kind: string;
  readonly subject: unknown;
}

/**
 * Assigns records of the service to the writes that created them, as far as this process knows. A record found by
 * searching may be the result of another write; no record is reported for two writes.
 */
export class Claims {
  readonly #claimed = createBoundedCache<string>({ maxEntries: MAX_CLAIMS });
  readonly #running = new Map<string, Other>();
  readonly #unresolved = createBoundedCache<Other>({ maxEntries: MAX_UNRESOLVED, ttl: UNRESOLVED_MS });

  /**
   * Treats a write as a possible origin of found records while its task runs, and for an hour if its outcome is
   * unknown. `subject` is what other writes of its kind are compared by.
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

  /** Returns the subjects of other writes of a kind that may be the origin of a found record. */
  *others(kind: string, { name }: Claimant): Iterable<unknown> {
    for (const source of [this.#running, this.#unresolved])
      for (const [other, { kind: itsKind, subject }] of source.entries())
        if (itsKind === kind && other !== name) yield subject;
  }

  /** Whether no other write has been reported as the origin of a record. */
  isFree(record: string, { name }: Claimant): boolean {
    const owner = this.#claimed.get(record);
    return owner === undefined || owner === name;
  }

  /** Records that a write has created records. */
  note(records: Iterable<string>, { name }: Claimant): void {
    for (const record of records) this.#claimed.set(record, name);
    this.#unresolved.delete(name);
  }
}
