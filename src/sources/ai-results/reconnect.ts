import type { ResultFeed } from './feed.ts';

/** The events of one connection. */
export interface ConnectionEvents {
  readonly onOpen: () => void;
  readonly onMessage: (message: unknown) => void;
  /** The connection could not be opened, or has ended. Called once, as the last event. */
  readonly onClose: () => void;
}

/** Opens one connection. */
export type Connect = (events: ConnectionEvents) => { close(): void };

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** After a connection has lasted this long, the pauses start again from the first. */
const GOOD_AFTER_MS = 10_000;

/** Returns the milliseconds before the next attempt: exponential backoff, randomly reduced by up to half. */
export function pauseBefore(attempt: number, random: () => number = Math.random): number {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
  return longest * (1 - random() / 2);
}

/** Keeps one connection open until the feed is closed, with growing pauses between attempts. */
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
        openedAt = performance.now();
        if (!isClosed) onOpen();
      },
      onMessage: (message) => {
        if (!isClosed) onMessage(message);
      },
      onClose: () => {
        if (isClosed) return;
        if (openedAt > 0 && performance.now() - openedAt > GOOD_AFTER_MS) attempts = 0;
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
