import type { Credentials } from '../operation/credentials.ts';
import type { ClosingResponse } from './closing-response.ts';
import type { Seats } from './websocket/seats.ts';

/** Responses that are streams of server-sent events. */
export interface EventStreams {
  /** Registers a stream. Returns false if its caller has disconnected, or a limit on streams is reached. */
  enter(response: ClosingResponse, address: string, credentials: Credentials): boolean;
  /** The open streams. */
  open(): readonly ClosingResponse[];
}

/** Maximum number of unsent bytes of one stream; a stream with a slower reader is closed. */
const MAX_UNSENT_BYTES = 1024 * 1024;
const LOOK_MS = 1_000;

/** Tracks the streams of one server, which share the limits of sockets. */
export function createEventStreams(seats: Seats): EventStreams {
  const streams = new Set<ClosingResponse>();
  return {
    enter(response, address, credentials) {
      // The stream would never be ended.
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
