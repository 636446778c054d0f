/** An operation has made as many calls to the service as it may. The message is shown to the caller. */
export class CallLimitError extends Error {
  override readonly name = 'CallLimitError';
  readonly code = 'LIMIT_EXCEEDED';

  constructor(limit: number) {
    super(`The operation exceeds the limit for calls to the service (maximum ${limit}).`);
  }
}

/** The calls of one operation, or of one event of a subscription, of which it may make `limit`. */
export class CallBudget {
  /** The number of finished calls. */
  made = 0;
  readonly #limit: number;
  #begun = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts a call that begins. Throws a CallLimitError if there are none left. */
  begin(): void {
    if (this.#begun >= this.#limit) throw new CallLimitError(this.#limit);
    this.#begun += 1;
  }

  /** Starts over, for another event. */
  renew(): void {
    this.#begun = 0;
    this.made = 0;
  }
}
