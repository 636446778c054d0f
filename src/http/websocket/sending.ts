import { setImmediate as nextTurn, setTimeout as after } from 'node:timers/promises';
import type { WebSocket } from 'ws';

/** The most bytes that wait for a client to take them, a single answer beyond that aside. */
export const MAX_BUFFERED_BYTES = 1024 * 1024;

/** How long an answer waits for a client that takes nothing, in milliseconds. */
const MAX_WAIT_MS = 10_000;
/** Close code for a server that has no room now: clients connect again. */
const TRY_AGAIN_LATER = 1013;

/** How messages go out over one socket. */
export interface Sending {
  /** Sends a message once there is room for it; resolves when it is on its way, or when there is nobody to send it to. */
  send(text: string): Promise<void>;
  /** Sends a message that nobody misses. A client that takes nothing, and asks for more of those, is hung up on. */
  sendInPassing(text: string): Promise<void>;
  /** Ends the connection of a client that does not take what it is sent; it may come back. */
  readonly hangUp: () => void;
}

/**
 * Makes the way out of one socket.
 *
 * Large answers of several operations can be there at once. They wait for each other, which a client that reads does not
 * notice; only one that takes nothing for a while is hung up on.
 */
export function createSending(socket: WebSocket, maxWaitMs: number = MAX_WAIT_MS): Sending {
  let flushed = Promise.resolve();
  const isOpen = (): boolean => socket.readyState === socket.OPEN;
  const isFull = (): boolean => socket.bufferedAmount > MAX_BUFFERED_BYTES;
  // A failure is told by the socket's own events.
  const write = (text: string): Promise<void> =>
    (flushed = new Promise((resolve) => socket.send(text, () => resolve())));
  const hangUp = (): void => socket.close(TRY_AGAIN_LATER, 'Try again later');
  const send = async (text: string): Promise<void> => {
    while (isOpen() && isFull()) if (!(await isThereWithin(maxWaitMs, flushed))) hangUp();
    if (isOpen()) await write(text);
    // A source that always has more would otherwise be read without end, and the close of the socket never be seen.
    else await nextTurn();
  };
  return {
    hangUp,
    send,
    sendInPassing: async (text) => {
      if (isFull()) hangUp();
      else await send(text);
    },
  };
}

async function isThereWithin(waitMs: number, event: Promise<void>): Promise<boolean> {
  const giveUp = new AbortController();
  const late = after(waitMs, false, { signal: giveUp.signal, ref: false }).catch(() => false);
  const inTime = event.then(() => nextTurn(true));
  const isInTime = await Promise.race([inTime, late]);
  giveUp.abort();
  return isInTime;
}
