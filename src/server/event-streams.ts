import type { ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Credentials } from '../context.ts';
import type { TransportContext } from './graphql-handler.ts';
import type { Seats } from './socket/seats.ts';

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

const TOO_MANY_STREAMS = new GraphQLError('There are too many streams with this credential.', {
  extensions: { code: 'LIMIT_EXCEEDED', http: { status: 503, headers: { 'retry-after': '5' } } },
});

/** Tells the transport when an operation has been executed, and ends a stream that it does not let go on. */
export function useEndOfExecution(): Plugin<object, TransportContext> {
  return {
    onResultProcess(hook) {
      const { result, serverContext } = hook;
      const isStream = typeof result === 'object' && result !== null && Symbol.asyncIterator in result;
      if (serverContext.executed?.(isStream) !== false) return;
      if (isStream) void result[Symbol.asyncIterator]().return?.();
      hook.setResult({ errors: [TOO_MANY_STREAMS] });
    },
    onResponse({ response: { headers } }) {
      // As is said of every other answer: it is its reader's alone.
      if (headers.get('content-type') === 'text/event-stream') headers.set('cache-control', 'no-store');
    },
  };
}
