import { startGraph, type GraphOptions, type RunningGraph } from './graph.ts';
import { readOverSocket, readOverSse, type Reading } from './live-reading.ts';

/** The calls that readings of the watched lists make. */
export const QUEUE_CALL = 'GET /posts/queued';
export const ACCOUNTS_CALL = 'GET /accounts/list';

/** An event, with whatever was selected of it. */
// oxlint-disable-next-line typescript/no-explicit-any -- a test asserts on any shape
export type WatchEvent = any;

/** Somebody who watches. */
export interface WatchReading extends Omit<Reading, 'events' | 'received' | 'said'> {
  readonly events: readonly WatchEvent[];
  readonly kinds: readonly string[];
  received(count: number): Promise<readonly WatchEvent[]>;
}

/** A server whose lists are watched, read quickly enough for a test. */
export async function startWatched(options: GraphOptions = {}): Promise<RunningGraph> {
  return await startGraph({ ...options, environment: { WATCH_INTERVAL: '50ms', ...options.environment } });
}

const QUEUE_FIELDS = `kind observedAt lastSeenAt totalCount queuedPostIds changedFields isFollowedByChanges
  queuedPost { id postId text scheduledAtLocal isPaused account { loginId } }`;
const HEALTH_FLAGS = 'state isBlocked isLocked needsReconnect isPaused unknownFlags';
const HEALTH_FIELDS = `kind observedAt lastSeenAt totalCount accountIds stateCounts { state count }
  accounts { accountId account { id loginId label } health { ${HEALTH_FLAGS} } }
  account { id loginId displayName } before { ${HEALTH_FLAGS} } after { ${HEALTH_FLAGS} } isFollowedByChanges`;

/** How a list is watched. */
export interface WatchOptions {
  readonly accountIds?: readonly string[];
  readonly over?: 'socket' | 'sse';
  readonly apiKey?: string;
}

/** Watches the queue. */
export function watchQueue(graph: Watched, options: WatchOptions = {}): WatchReading {
  return watch(
    graph,
    `subscription ($filter: WatchFilter) { queueChanged(filter: $filter) { ${QUEUE_FIELDS} } }`,
    options,
  );
}

/** Watches the health of the accounts. */
export function watchHealth(graph: Watched, options: WatchOptions = {}): WatchReading {
  const query = `subscription ($filter: WatchFilter) { accountHealthChanged(filter: $filter) { ${HEALTH_FIELDS} } }`;
  return watch(graph, query, options);
}

/** Where to watch, and with whose key unless told. */
type Watched = Pick<RunningGraph, 'url' | 'sandbox'>;

function watch(
  { url, sandbox }: Watched,
  query: string,
  { accountIds, over = 'socket', apiKey = sandbox.owners[0].apiKey }: WatchOptions,
): WatchReading {
  const read = over === 'socket' ? readOverSocket : readOverSse;
  const variables = accountIds === undefined ? {} : { filter: { accountIds } };
  const reading = read(url, { query, variables }, apiKey);
  const events = (): readonly WatchEvent[] => reading.events.map(({ generation }) => generation);
  return Object.defineProperties(Object.create(reading) as WatchReading, {
    events: { get: events },
    kinds: { get: () => events().map(({ kind }: WatchEvent) => kind as string) },
    received: { value: async (count: number) => (await reading.received(count), events()) },
  });
}
