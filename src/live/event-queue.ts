/** A reader of events does not keep up. The message is shown to the caller. */
export class SlowReaderError extends Error {
  override readonly name = 'SlowReaderError';

  constructor() {
    super('Too many events are waiting to be read; subscribe again.');
  }
}

/** Leaves; has no effect if the reading has already ended. */
export type Leave = () => void;

/** Takes the events for one reader; an Error is the last one. */
export interface Reader<E> {
  push(event: E | Error): void;
  end(): void;
}

/** A caller who reads events. */
export interface ReadingCaller {
  /** A name for the credential's holder that reveals nothing about the credential. */
  readonly holder: string;
  /** Closes the connection of a caller that does not read. */
  readonly hangUp: () => void;
}

/** How many events may be queued for a reader that takes none. */
const LIMIT = 128;
/** How long a reader may take none while more are queued, in milliseconds. */
const PATIENCE_MS = 2_000;
/** Maximum number of queued events in any case. Many may arrive at once, before the reader has had its turn. */
const BURST = 2_000;

/**
 * Events on their way to one reader, which can leave at any time, even while it waits for an event. The connection of one
 * that does not read is closed, with an error as its last event.
 */
export class EventQueue<T> implements AsyncIterableIterator<T | Error> {
  readonly #hangUp: () => void;
  readonly #leave: Leave | undefined;
  readonly #events: (T | Error)[] = [];
  readonly #waiting: ((result: IteratorResult<T | Error>) => void)[] = [];
  #isEnded = false;
  #patience: NodeJS.Timeout | undefined;
  /** True if the reader has taken an event since the patience with it began. */
  #isReading = false;

  /** @param enter starts the events for the reader; null if there will be none */
  constructor({ hangUp }: { readonly hangUp: () => void }, enter: ((reader: EventQueue<T>) => Leave) | null) {
    this.#hangUp = hangUp;
    this.#leave = enter?.(this);
    if (enter === null) this.end();
  }

  /** Adds an event; ignored after the end. */
  push(event: T | Error): void {
    if (this.#isEnded) return;
    if (this.#events.length >= BURST) return this.#giveUp();
    this.#add(event);
    this.#waitForReader();
  }

  /** Ends the queue, after a last event if given; queued events can still be read. */
  end(last?: T | Error): void {
    if (this.#isEnded) return;
    if (last !== undefined) this.#add(last);
    this.#isEnded = true;
    clearTimeout(this.#patience);
    for (const resolve of this.#waiting.splice(0)) resolve({ done: true, value: undefined });
    this.#leave?.();
  }

  next(): Promise<IteratorResult<T | Error>> {
    if (this.#events.length > 0) {
      this.#isReading = true;
      return Promise.resolve({ done: false, value: this.#events.shift() as T });
    }
    if (this.#isEnded) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  return(): Promise<IteratorResult<T | Error>> {
    this.#events.length = 0;
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #add(event: T | Error): void {
    const reader = this.#waiting.shift();
    if (reader) reader({ done: false, value: event });
    else this.#events.push(event);
  }

  #giveUp(): void {
    this.end(new SlowReaderError());
    this.#hangUp();
  }

  #waitForReader(): void {
    if (this.#patience !== undefined || this.#events.length <= LIMIT) return;
    this.#isReading = false;
    this.#patience = setTimeout(() => {
      this.#patience = undefined;
      if (this.#isReading || this.#events.length <= LIMIT) this.#waitForReader();
      else this.#giveUp();
    }, PATIENCE_MS).unref();
  }
}
