/** An operation does more than it may. The message is shown to the caller. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError';
  readonly code = 'LIMIT_EXCEEDED';

  constructor(what: string, limit: number) {
    super(`The operation exceeds the limit for ${what} (maximum ${limit}).`);
  }
}

/** Maximum number of ids in lists: a hundred thousand would keep everybody else waiting. */
const MAX_LISTED_IDS = 10_000;

/** The calls of one operation, or of one event of a subscription, of which it may make `limit`. */
export class CallBudget {
  /** The number of finished calls. */
  made = 0;
  readonly #limit: number;
  #begun = 0;
  #listedIds = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts a call that begins. Throws a BudgetError if there are none left. */
  begin(): void {
    if (this.#begun >= this.#limit) throw new BudgetError('calls to the service', this.#limit);
    this.#begun += 1;
  }

  /** Counts a list of ids before it is read, for each field that reads it. Throws a BudgetError if there are too many. */
  list(ids: readonly string[] | null | undefined): void {
    this.#listedIds += ids?.length ?? 0;
    if (this.#listedIds > MAX_LISTED_IDS) throw new BudgetError('IDs in lists', MAX_LISTED_IDS);
  }

  /** Starts over, for another event. */
  renew(): void {
    this.#begun = 0;
    this.#listedIds = 0;
    this.made = 0;
  }
}
