import { setImmediate as nextTurn, setTimeout as after } from 'node:timers/promises';
import type { WebSocket } from 'ws';

/** Maximum bytes waiting to be sent to a client, apart from a single larger response. */
export const MAX_BUFFERED_BYTES = 1024 * 1024;

/** How long a response waits for a client that reads nothing, in milliseconds. */
const MAX_WAIT_MS = 10_000;
/** Close code for a server that currently has no room: clients reconnect. */
const TRY_AGAIN_LATER = 1013;

/** Sends messages over one socket. */
export interface Sending {
  /** Sends a message once there is room. Resolves when it has been sent, or when the socket is no longer open. */
  send(text: string): Promise<void>;
  /** Sends an expendable message. A client that requests such messages without reading is disconnected. */
  sendInPassing(text: string): Promise<void>;
  /** Closes the connection of a client that does not read; it may reconnect. */
  readonly hangUp: () => void;
}

/**
 * Creates the sender of one socket.
 *
 * Large responses of several operations may be ready at once. They wait for each other, which a reading client does not
 * notice; only a client that reads nothing for a while is disconnected.
 */
export function createSending(socket: WebSocket, maxWaitMs: number = MAX_WAIT_MS): Sending {
  let flushed = Promise.resolve();
  const isOpen = (): boolean => socket.readyState === socket.OPEN;
  const isFull = (): boolean => socket.bufferedAmount > MAX_BUFFERED_BYTES;
  // The socket's own events report a failure.
  const write = (text: string): Promise<void> =>
    (flushed = new Promise((resolve) => socket.send(text, () => resolve())));
  const hangUp = (): void => socket.close(TRY_AGAIN_LATER, 'Try again later');
  const send = async (text: string): Promise<void> => {
    while (isOpen() && isFull()) if (!(await isThereWithin(maxWaitMs, flushed))) hangUp();
    if (isOpen()) await write(text);
    // Otherwise an endless source would be read without pause, and the close of the socket never be noticed.
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
