import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { onTestFinished } from 'vitest';

/** The requests that reach a server of this process from now on. */
export interface ServerRequests {
  /** How many have arrived. */
  readonly arrived: number;
  /** How many of them were left by their callers. */
  readonly left: number;
}

/** Watches the requests to a server of this process, by its address, as long as the test goes on. */
export function watchRequests(url: string): ServerRequests {
  const { host } = new URL(url);
  const requests: IncomingMessage[] = [];
  const onStart = (message: unknown): void => {
    const { request } = message as { readonly request: IncomingMessage };
    if (request.headers.host === host) requests.push(request);
  };
  subscribe('http.server.request.start', onStart);
  onTestFinished(() => void unsubscribe('http.server.request.start', onStart));
  return {
    get arrived() {
      return requests.length;
    },
    get left() {
      return requests.filter(({ socket }) => socket.destroyed).length;
    },
  };
}
