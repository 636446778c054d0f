/** A reader of events does not keep up. The message is shown to the caller. */
export class SlowReaderError extends Error {
  override readonly name = 'SlowReaderError';

  constructor() {
    super('Too many events are waiting to be read; subscribe again.');
  }
}

/** Leaves; has no effect if the reading has already ended. */
export type Leave = () => void;

/** The limits and callbacks of a queue. */
interface QueueOptions {
  /** How many events may be queued for a reader that takes none. */
  readonly limit: number;
  /** How long a reader may take none while more than `limit` are queued, in milliseconds. */
  readonly patienceMs: number;
  /** Maximum number of queued events in any case. Many may arrive at once, before the reader has had its turn. */
  readonly burst: number;
  /** Called once when the queue ends, from whichever side. */
  readonly onEnd: () => void;
  /** Called when the reader is too slow; an event beyond `burst` is not added. */
  readonly onFull: () => void;
}

/** Events on their way to one reader, which can leave at any time, even while it waits for an event. */
export class EventQueue<T> implements AsyncIterableIterator<T> {
  readonly #options: QueueOptions;
  readonly #events: T[] = [];
  readonly #waiting: ((result: IteratorResult<T>) => void)[] = [];
  #isEnded = false;
  #patience: NodeJS.Timeout | undefined;
  /** True if the reader has taken an event since the patience with it began. */
  #isReading = false;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Adds an event; ignored after the end. */
  push(event: T): void {
    if (this.#isEnded) return;
    if (this.#events.length >= this.#options.burst) return this.#options.onFull();
    this.#add(event);
    this.#waitForReader();
  }

  /** Ends the queue, after a last event if given; queued events can still be read. */
  end(last?: T): void {
    if (this.#isEnded) return;
    if (last !== undefined) this.#add(last);
    this.#isEnded = true;
    clearTimeout(this.#patience);
    for (const resolve of this.#waiting.splice(0)) resolve({ done: true, value: undefined });
    this.#options.onEnd();
  }

  next(): Promise<IteratorResult<T>> {
    if (this.#events.length > 0) {
      this.#isReading = true;
      return Promise.resolve({ done: false, value: this.#events.shift() as T });
    }
    if (this.#isEnded) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  return(): Promise<IteratorResult<T>> {
    this.#events.length = 0;
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #add(event: T): void {
    const reader = this.#waiting.shift();
    if (reader) reader({ done: false, value: event });
    else this.#events.push(event);
  }

  #waitForReader(): void {
    const { limit, patienceMs, onFull } = this.#options;
    if (this.#patience !== undefined || this.#events.length <= limit) return;
    this.#isReading = false;
    this.#patience = setTimeout(() => {
      this.#patience = undefined;
      if (this.#isReading || this.#events.length <= limit) this.#waitForReader();
      else onFull();
    }, patienceMs).unref();
  }
}

/** Limits on events queued for one reader: for one that reads nothing, and for one that had no turn yet. */
const WAITING_EVENTS = { limit: 128, patienceMs: 2_000, burst: 2_000 } as const;

/** Creates the queue of one reader, whose connection is closed with an error if it does not read. */
export function createReaderQueue<T>(
  { hangUp }: { readonly hangUp: () => void },
  enter: (reader: EventQueue<T | Error>) => Leave,
): EventQueue<T | Error> {
  let leave: Leave | undefined;
  const queue = new EventQueue<T | Error>({
    ...WAITING_EVENTS,
    onEnd: () => leave?.(),
    onFull: () => {
      queue.end(new SlowReaderError());
      hangUp();
    },
  });
  leave = enter(queue);
  return queue;
}
