/** Events on their way to one reader: pushed from one side, iterated from the other. */
export interface EventQueue<T> extends AsyncIterableIterator<T> {
  /** Adds an event; what comes after the end is not added. */
  push(event: T): void;
  /** No more events will come, but a last one if it is given; those that are there can still be read. */
  end(last?: T): void;
}

/** What a queue is told to do at its borders. */
export interface QueueOptions {
  /** How many events may wait for a reader that takes none. */
  readonly limit: number;
  /** How long a reader may take none while more than `limit` wait, in milliseconds. */
  readonly patienceMs: number;
  /** Most events that wait in any case. Many may come at once, before the reader has had its turn. */
  readonly burst: number;
  /** Called once when the queue ends, from whichever side. */
  readonly onEnd: () => void;
  /** Called when the reader is too slow; an event beyond `burst` is not added. */
  readonly onFull: () => void;
}

/** A queue whose reader, when it leaves, is let go at once, also while it waits for an event. */
export function createEventQueue<T>(options: QueueOptions): EventQueue<T> {
  const { limit, burst, patienceMs, onEnd, onFull } = options;
  const events: T[] = [];
  const readers: ((result: IteratorResult<T>) => void)[] = [];
  let isEnded = false;
  const patience = createPatience(patienceMs, { isNeeded: () => events.length > limit, onEnd: onFull });
  const add = (event: T): void => {
    const reader = readers.shift();
    if (reader) reader({ done: false, value: event });
    else events.push(event);
  };
  const end = (last?: T): void => {
    if (isEnded) return;
    if (last !== undefined) add(last);
    isEnded = true;
    patience.stop();
    for (const resolve of readers.splice(0)) resolve({ done: true, value: undefined });
    onEnd();
  };
  const leave = (): Promise<IteratorResult<T>> => {
    events.length = 0;
    end();
    return Promise.resolve({ done: true, value: undefined });
  };
  return {
    push(event) {
      if (isEnded) return;
      if (events.length >= burst) {
        onFull();
        return;
      }
      add(event);
      patience.begin();
    },
    end,
    next() {
      const [event] = events;
      if (events.length > 0) {
        events.shift();
        patience.renew();
        return Promise.resolve({ done: false, value: event as T });
      }
      if (isEnded) return Promise.resolve({ done: true, value: undefined });
      return new Promise((resolve) => readers.push(resolve));
    },
    return: leave,
    throw: leave,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

// Ends when it is needed for so long and not once renewed.
function createPatience(ms: number, { isNeeded, onEnd }: { isNeeded: () => boolean; onEnd: () => void }) {
  let timer: NodeJS.Timeout | undefined;
  let isRenewed = false;
  const begin = (): void => {
    if (timer !== undefined || !isNeeded()) return;
    isRenewed = false;
    timer = setTimeout(() => {
      timer = undefined;
      if (isRenewed || !isNeeded()) begin();
      else onEnd();
    }, ms).unref();
  };
  return {
    begin,
    renew: (): void => void (isRenewed = true),
    stop: (): void => clearTimeout(timer),
  };
}
