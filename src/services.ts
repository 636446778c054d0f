import { createBoundedCache } from './bounded-cache.ts';
import { createDoorway, type Doorway } from '../packages/overload/src/overload.ts';
import { openAuthorization, type Authorization } from './authorization.ts';
import type { Config } from './config.ts';
import { Relay } from './live/relay.ts';
import { Watches } from './watch/watches.ts';
import type { Log } from './observability/log.ts';
import { createMetrics, type Metrics } from './observability/metrics.ts';
import { getOrInsertComputed } from './remember.ts';
import { choosableSizes } from './lists/pages.ts';
import type { SizeMemory } from './lists/reading.ts';
import type { SizeMemories } from './loaders/loaders.ts';
import { openCoordination, type Coordination } from './coordination/coordination.ts';
import { AcceptedCredentials } from './sources/accepted-credentials.ts';
import type { Surface } from './sources/errors.ts';
import type { ServerError } from './sources/client.ts';
import { openUpstream, type FinishedCall, type Upstream } from './sources/upstream/call.ts';
import type { Drift } from './sources/drift.ts';
import { WriteCoordinator } from './writes/context.ts';
import { QueueReadings } from './writes/queue.ts';

/** The state shared by all operations: connections, what was learned of the service, and where things are reported. */
export interface Services extends Pick<
  Coordination,
  'hashCredential' | 'cookieSecret' | 'isAgreed' | 'disagreement' | 'tried'
> {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Null if the surface is not configured. */
  readonly http: Readonly<Record<Surface, Upstream | null>>;
  /** The page sizes of a caller's lists of the service, learned from its responses. */
  readonly sizeMemoryOf: (caller: string, ...list: Parameters<SizeMemories>) => SizeMemory;
  readonly onDrift: (drift: Drift) => void;
  readonly onServerError: (error: ServerError) => void;
  /** Called for each call, with the id of its request; null for live results and watches. */
  readonly onCall: (call: FinishedCall, requestId: string | null) => void;
  /** Null if this server has no app on the legacy surface. */
  readonly authorization: Authorization | null;
  /** Ensures that writes happen once, and one after another. */
  readonly writes: WriteCoordinator;
  /** Recent readings of the queue, for validations. */
  readonly queueReadings: QueueReadings;
  /** Relays the results of slow generations. */
  readonly live: Relay;
  /** Reports changes in the lists of the service. */
  readonly watches: Watches;
  readonly doorway: Doorway;
  /** By the hashes that `hashCredential` creates of each credential alone. */
  readonly acceptedCredentials: AcceptedCredentials;
  /** Ends live readings and watches. */
  endReadings(): void;
  close(): Promise<void>;
}

/** How long learned page sizes are used, so that one irregular response does not count forever. */
const SIZES_KEPT_MS = 10 * 60 * 1_000;
const MAX_LISTS = 10_000;
/** How often the message of a call's server errors is logged, so that an outage does not fill the log. */
const SERVER_ERROR_LOGGED_EVERY_MS = 60_000;
/** Maximum number of kinds of server errors distinguished in the log. */
const MAX_SERVER_ERRORS = 1_000;
/** Maximum number of kinds of drift distinguished in the log. */
const MAX_DRIFTS = 1_000;

/** Opens the connections of a configuration. */
export function openServices(config: Config, log: Log): Services {
  const coordination = openCoordination(config, log);
  const doorway = createDoorway();
  const { calls: limits, propagatesTrace, proxies } = config;
  const rules = { limits, propagatesTrace, effects: { count: 0 }, doorway };
  const { rateLimitGates: gates } = coordination;
  const open = (surface: Surface, url: URL | null): Upstream | null =>
    url && openUpstream(surface, url, { ...rules, gate: gates[surface], proxy: proxies[surface] });
  const http = {
    current: open('current', config.currentApiUrl),
    legacy: open('legacy', config.legacyApiUrl),
  };
  const writes = new WriteCoordinator(coordination);
  const metrics = createMetrics();
  const onDrift = driftReporter(log, metrics);
  const live = new Relay({ config, onDrift, ...coordination });
  const watches = new Watches({
    config,
    onDrift,
    ...coordination,
    onReading: (list, outcome) => metrics.reading(list, outcome),
  });
  addGauges(metrics, config, { live, watches, http, coordination });
  return {
    ...coordination,
    config,
    log,
    metrics,
    http,
    sizeMemoryOf: createSizeMemories(config.currentMaxPageSize),
    onDrift,
    onServerError: serverErrorReporter(log),
    authorization: http.legacy && openAuthorization(config, http.legacy, (write) => writes.track(write)),
    writes,
    queueReadings: new QueueReadings(config.validationReuseMs),
    live,
    watches,
    doorway,
    acceptedCredentials: new AcceptedCredentials(),
    onCall(call, requestId) {
      metrics.call(call);
      if (log.isLevelEnabled('debug')) log.debug({ requestId, ...call }, 'called the service');
    },
    endReadings() {
      live.close();
      watches.close();
    },
    async close() {
      // A write that was sent is worth waiting for: its result is returned when its caller asks again.
      await writes.settled();
      await Promise.all([http.current?.close(), http.legacy?.close()]);
      await coordination.close();
    },
  };
}

type Gauged = Pick<Services, 'live' | 'watches' | 'http'> & { readonly coordination: Coordination };

function addGauges(metrics: Metrics, config: Config, { live, watches, http, coordination }: Gauged): void {
  metrics.gauge(
    'live_channels_open',
    'Number of credentials with live results pending.',
    () => live.channels,
  );
  metrics.gauge(
    'watched_lists_open',
    'Number of watched lists, each for one credential.',
    () => watches.open,
  );
  if (config.dataDirectory !== null) {
    const help = '1 while writes with an idempotency key can be recorded on disk.';
    metrics.gauge('journal_writable', help, () => Number(coordination.isJournalWritable()));
  }
  if (config.redis !== null) {
    const help = '1 while this process is connected to Redis.';
    metrics.gauge('redis_available', help, () => Number(coordination.isAgreed()));
  }
  for (const surface of ['current', 'legacy'] as const) {
    const help = `1 while the circuit breaker of the ${surface} surface is open.`;
    metrics.gauge(`service_${surface}_out_of_order`, help, () =>
      Number(http[surface]?.isOutOfOrder ?? false),
    );
  }
}

function createSizeMemories(maxSize: number): Services['sizeMemoryOf'] {
  const memories = createBoundedCache<SizeMemory>({ maxEntries: MAX_LISTS, ttl: SIZES_KEPT_MS });
  return (caller, list, start = choosableSizes(maxSize)) =>
    getOrInsertComputed(memories, `${caller} ${list}`, () => ({ sizes: start }));
}

function driftReporter(log: Log, metrics: Metrics): (drift: Drift) => void {
  const drifts = createBoundedCache<{ count: number }>({ maxEntries: MAX_DRIFTS });
  return (drift) => {
    metrics.drift(drift);
    const name = `${drift.endpoint} ${drift.field}`;
    const known = drifts.get(name) ?? { count: 0 };
    if (known.count === 0) drifts.set(name, known);
    known.count += 1;
    const { count } = known;
    // Logged at the first, tenth and hundredth time, because a whole list drifts in the same way.
    if (Number.isInteger(Math.log10(count)))
      log.warn({ ...drift, count }, 'the service’s response does not match its documentation');
  };
}

function serverErrorReporter(log: Log): (error: ServerError) => void {
  const logged = createBoundedCache<true>({
    maxEntries: MAX_SERVER_ERRORS,
    ttl: SERVER_ERROR_LOGGED_EVERY_MS,
  });
  return (error) => {
    const name = `${error.endpoint} ${error.status}`;
    if (logged.has(name)) return;
    logged.set(name, true);
    log.warn(error, 'the service reported a server error');
  };
}
