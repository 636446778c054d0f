import type { ResultFeed } from './feed.ts';

/** What one connection tells of itself. */
export interface ConnectionEvents {
  readonly onOpen: () => void;
  readonly onMessage: (message: unknown) => void;
  /** It could not be opened, or has ended; told once, and nothing after it. */
  readonly onClose: () => void;
}

/** Opens one connection. */
export type Connect = (events: ConnectionEvents) => { close(): void };

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A connection that held for so long was a good one: the pauses begin anew. */
const GOOD_AFTER_MS = 10_000;

/** Milliseconds before the next try, after so many in a row: doubling, and by chance up to a half less. */
export function pauseBefore(attempt: number, random: () => number = Math.random): number {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
  return longest * (1 - random() / 2);
}

/** Keeps one connection open until it is closed from this side, with growing pauses between the tries. */
export function keepConnected(
  connect: Connect,
  { onOpen, onMessage, onClose }: ConnectionEvents,
): ResultFeed {
  let attempts = 0;
  let timer: NodeJS.Timeout | undefined;
  let connection: { close(): void } | undefined;
  let isClosed = false;
  const open = (): void => {
    let openedAt = 0;
    connection = connect({
      onOpen: () => {
        openedAt = Date.now();
        if (!isClosed) onOpen();
      },
      onMessage: (message) => {
        if (!isClosed) onMessage(message);
      },
      onClose: () => {
        if (isClosed) return;
        if (openedAt > 0 && Date.now() - openedAt > GOOD_AFTER_MS) attempts = 0;
        timer = setTimeout(open, pauseBefore(attempts));
        timer.unref();
        attempts += 1;
        onClose();
      },
    });
  };
  open();
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      connection?.close();
    },
  };
}
