import { SlowReaderError } from './errors.ts';
import { createEventQueue, type EventQueue } from './event-queue.ts';
import type { Leave } from './readers.ts';

/** Limits on events queued for one reader: for one that reads nothing, and for one that had no turn yet. */
const WAITING_EVENTS = { limit: 128, patienceMs: 2_000, burst: 2_000 } as const;

const GONE: Leave = () => undefined;

/** Creates the queue of one reader, whose connection is closed with an error if it does not read. */
export function createReaderQueue<T>(
  { hangUp }: { readonly hangUp: () => void },
  enter: (reader: EventQueue<T | Error>) => Leave,
): EventQueue<T | Error> {
  let leave: Leave = GONE;
  const queue = createEventQueue<T | Error>({
    ...WAITING_EVENTS,
    onEnd: () => leave(),
    onFull: () => {
      queue.end(new SlowReaderError());
      hangUp();
    },
  });
  leave = enter(queue);
  return queue;
}
