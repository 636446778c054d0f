import type { IncomingHttpHeaders } from 'node:http';
import { untilDeadline } from './deadline.ts';
import type { EndpointName } from './endpoints.ts';
import type { FaultKind } from './faults/fault.ts';

/** One request as received. */
export interface LoggedRequest {
  /** The call that it matches; null outside the interface (the consent pages, push sockets, stray paths). */
  readonly endpoint: EndpointName | null;
  readonly method: string;
  /** The path as sent, before any decoding, without its query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Alternating names and values, in their original order and case. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
  /** Name of the owner whose credentials it contains. */
  readonly owner: string | null;
  /** Epoch milliseconds of the sandbox's clock. */
  readonly at: number;
  /** Kind of the fault that strikes it. */
  fault: FaultKind['kind'] | null;
  /** Status of the response once that is complete; null before that, and if it never is. */
  status: number | null;
}

/** After more requests, only the last half of them is kept. */
const MAX_ENTRIES = 20_000;

/** The log of received requests: of the last 10,000 at least. */
export interface RequestLog {
  readonly all: readonly LoggedRequest[];
  /** Requests without a complete response. */
  readonly open: number;
  count(endpoint?: EndpointName): number;
  of(endpoint: EndpointName): readonly LoggedRequest[];
  /** Waits until `count` requests of a call have arrived; rejects after `timeoutMs` (30 s by default). */
  waitFor(endpoint: EndpointName, count: number, timeoutMs?: number): Promise<readonly LoggedRequest[]>;
  clear(): void;
}

/** The log, and the methods that write to it. */
export interface RequestRecorder {
  readonly log: RequestLog;
  record(request: LoggedRequest): void;
  /** Counts a request as open until the returned function is called. */
  opened(): () => void;
}

/** Creates an empty log. */
export function createRequestRecorder(): RequestRecorder {
  let entries: LoggedRequest[] = [];
  let open = 0;
  const watchers = new Set<() => void>();
  const watch = (run: () => void) => {
    watchers.add(run);
    return () => watchers.delete(run);
  };
  const of = (endpoint: EndpointName) => entries.filter((entry) => entry.endpoint === endpoint);
  return {
    record(request) {
      if (entries.length === MAX_ENTRIES) entries = entries.slice(MAX_ENTRIES / 2);
      entries.push(request);
      for (const run of watchers) run();
    },
    opened() {
      open += 1;
      return () => {
        open -= 1;
      };
    },
    log: {
      get all() {
        return entries;
      },
      get open() {
        return open;
      },
      of,
      count: (endpoint) => (endpoint ? of(endpoint).length : entries.length),
      async waitFor(endpoint, count, timeoutMs = 30_000) {
        await untilDeadline(() => of(endpoint).length >= count, watch, {
          timeoutMs,
          describe: () => `${endpoint}: ${of(endpoint).length} of ${count} requests`,
        });
        return of(endpoint);
      },
      clear() {
        entries = [];
      },
    },
  };
}
