/** Limits the bytes of one surface's responses in memory at once. */
export class ResponseBudget {
  readonly #maxBytes: number;
  #reserved = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Opens the reservation of a response of at most `limit` bytes. Nothing is reserved yet. */
  open(limit: number): Reservation {
    return new Reservation(this, limit);
  }

  /** Takes bytes from the budget, if that many are left. */
  take(bytes: number): boolean {
    if (this.#reserved + bytes > this.#maxBytes) return false;
    this.#reserved += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#reserved -= bytes;
  }
}

/** The part of the budget held by one response. */
export class Reservation {
  readonly #budget: ResponseBudget;
  readonly #limit: number;
  #bytes = 0;

  constructor(budget: ResponseBudget, limit: number) {
    this.#budget = budget;
    this.#limit = limit;
  }

  /** Extends the reservation to a total of `bytes`. Returns false if the budget is exhausted. */
  reserve(bytes: number): boolean {
    if (bytes <= this.#bytes) return true;
    // Doubling lets half of the responses that grow concurrently finish; otherwise none might.
    const more = Math.max(bytes, Math.min(this.#limit, this.#bytes * 2)) - this.#bytes;
    if (!this.#budget.take(more)) return false;
    this.#bytes += more;
    return true;
  }

  /** Returns everything to the budget. */
  release(): void {
    this.#budget.giveBack(this.#bytes);
    this.#bytes = 0;
  }
}
