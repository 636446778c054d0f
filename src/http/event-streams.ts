import type { ServerResponse } from 'node:http';
import type { Credentials } from '../operation/credentials.ts';
import type { Seats } from './websocket/seats.ts';

/** Answers that go on as server-sent events. */
export interface EventStreams {
  /** Lets an answer become one; false where its caller, its address or the process has too many. */
  enter(response: ServerResponse, address: string, credentials: Credentials): boolean;
  /** Those that are open. */
  open(): readonly ServerResponse[];
}

/** Most bytes that wait to be sent on one stream; one whose reader is slower is cut off. */
const MAX_UNSENT_BYTES = 1024 * 1024;
const LOOK_MS = 1_000;

/** Watches the streams of one server, which take the same seats as sockets. */
export function createEventStreams(seats: Seats): EventStreams {
  const streams = new Set<ServerResponse>();
  return {
    enter(response, address, credentials) {
      const seat = seats.take(address, credentials);
      if (seat === null) return false;
      streams.add(response);
      const timer = setInterval(() => {
        if (response.writableLength > MAX_UNSENT_BYTES) response.destroy();
      }, LOOK_MS);
      timer.unref();
      response.once('close', () => {
        streams.delete(response);
        clearInterval(timer);
        seat.leave();
      });
      return true;
    },
    open: () => [...streams],
  };
}
