/** A reader of events does not keep up. The message is shown to the caller. */
export class SlowReaderError extends Error {
  override readonly name = 'SlowReaderError';

  constructor() {
    super('Too many events are waiting to be read; subscribe again.');
  }
}

/** Leaves; has no effect if the reading has already ended. */
export type Leave = () => void;

/** Events on their way to one reader: pushed by a producer and iterated by the reader. */
export interface EventQueue<T> extends AsyncIterableIterator<T> {
  /** Adds an event; ignored after the end. */
  push(event: T): void;
  /** Ends the queue, after a last event if given; queued events can still be read. */
  end(last?: T): void;
}

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

/** Creates a queue whose reader can leave at any time, even while it waits for an event. */
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

// Ends once it has been needed for this long without being renewed.
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

/** Limits on events queued for one reader: for one that reads nothing, and for one that had no turn yet. */
const WAITING_EVENTS = { limit: 128, patienceMs: 2_000, burst: 2_000 } as const;

/** Creates the queue of one reader, whose connection is closed with an error if it does not read. */
export function createReaderQueue<T>(
  { hangUp }: { readonly hangUp: () => void },
  enter: (reader: EventQueue<T | Error>) => Leave,
): EventQueue<T | Error> {
  let leave: Leave | undefined;
  const queue = createEventQueue<T | Error>({
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
