import { createClient, type ExecutionResult } from 'graphql-ws';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { RunningGraph } from './graph.ts';

/** The two functions that clients of the graph take, over HTTP and WebSocket. */
export function connectGraph({ url, caller }: Pick<RunningGraph, 'url' | 'caller'>) {
  const headers = { 'content-type': 'application/json', ...caller.both };
  const sockets = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: caller.both,
    retryAttempts: 0,
  });
  onTestFinished(async () => await sockets.dispose());
  type Request = { readonly query: string; readonly variables?: Readonly<Record<string, unknown>> };
  return {
    execute: async (request: Request, { signal }: { readonly signal: AbortSignal }) => {
      const body = JSON.stringify(request);
      const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body, signal });
      return (await response.json()) as ExecutionResult;
    },
    subscribe: (request: Request, { signal }: { readonly signal: AbortSignal }) => {
      const events = sockets.iterate({ ...request });
      signal.addEventListener('abort', () => void events.return?.(), { once: true });
      return Promise.resolve(events);
    },
  };
}
