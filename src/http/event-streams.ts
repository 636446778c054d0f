import type { Credentials } from '../operation/credentials.ts';
import type { ClosingResponse } from './closing-response.ts';
import type { Seats } from './websocket/seats.ts';

/** Answers that go on as server-sent events. */
export interface EventStreams {
  /** Lets an answer become one; false where its caller has left, or it, its address or the process has too many. */
  enter(response: ClosingResponse, address: string, credentials: Credentials): boolean;
  /** Those that are open. */
  open(): readonly ClosingResponse[];
}

/** Most bytes that wait to be sent on one stream; one whose reader is slower is cut off. */
const MAX_UNSENT_BYTES = 1024 * 1024;
const LOOK_MS = 1_000;

/** Watches the streams of one server, which take the same seats as sockets. */
export function createEventStreams(seats: Seats): EventStreams {
  const streams = new Set<ClosingResponse>();
  return {
    enter(response, address, credentials) {
      // Nothing would ever end it.
      if (response.destroyed) return false;
      const seat = seats.take(address, credentials);
      if (seat === null) return false;
      streams.add(response);
      const timer = setInterval(() => {
        if (response.writableLength > MAX_UNSENT_BYTES) response.destroy();
      }, LOOK_MS);
      timer.unref();
      response.whenClosed(() => {
        streams.delete(response);
        clearInterval(timer);
        seat.leave();
      });
      return true;
    },
    open: () => [...streams],
  };
}
