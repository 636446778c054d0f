import { LRUCache } from 'lru-cache';
import { openAuthorization, type Authorization } from './authorization.ts';
import type { Config } from './config.ts';
import type { Log } from './log.ts';
import { choosableSizes, type PageSizes } from './paging/pages.ts';
import type { SizeMemory } from './paging/read.ts';
import { openSurface, type SurfaceHttp } from './sources/http.ts';
import type { FinishedCall } from './sources/call.ts';
import type { Drift } from './sources/view.ts';
import { createWriteDesk, type WriteDesk } from './writes/desk.ts';

/** What all operations share: connections, what was learned of the service, and where things are reported. */
export interface Services {
  readonly config: Config;
  readonly log: Log;
  /** Null where the surface is not configured. */
  readonly http: { readonly current: SurfaceHttp | null; readonly legacy: SurfaceHttp | null };
  /** The page sizes of a list of the service, learned from its answers; the same for all callers. */
  sizeMemory(list: string, start?: PageSizes): SizeMemory;
  readonly onDrift: (drift: Drift) => void;
  readonly onCall: (call: FinishedCall) => void;
  /** Null where this server has no app on the legacy surface. */
  readonly authorization: Authorization | null;
  /** What writes need to happen once and in turn. */
  readonly writes: WriteDesk;
  close(): Promise<void>;
}

/** How long what was learned of a list's page sizes is believed: one odd answer must not count for ever. */
const SIZES_KEPT_MS = 10 * 60 * 1_000;
const MAX_LISTS = 100;

/** How long the end of the server waits for writes that are under way, in milliseconds. */
const MAX_WRITE_MS = 20_000;

/** Opens the connections that a configuration names. */
export function openServices(config: Config, log: Log): Services {
  const http = {
    current: config.currentApiUrl && openSurface('current', config.currentApiUrl),
    legacy: config.legacyApiUrl && openSurface('legacy', config.legacyApiUrl),
  };
  const writes = createWriteDesk();
  const sizes = new LRUCache<string, SizeMemory>({ max: MAX_LISTS, ttl: SIZES_KEPT_MS });
  const drifts = new Map<string, number>();
  return {
    config,
    log,
    http,
    sizeMemory(list, start = choosableSizes(config.currentMaxPageSize)) {
      const memory = sizes.get(list) ?? { sizes: start };
      sizes.set(list, memory);
      return memory;
    },
    onDrift(drift) {
      const name = `${drift.endpoint} ${drift.field}`;
      const count = (drifts.get(name) ?? 0) + 1;
      drifts.set(name, count);
      // Said at the first, the tenth, the hundredth time: a whole list drifts in the same way.
      if (Number.isInteger(Math.log10(count)))
        log.warn({ ...drift, count }, 'the service answered other than documented');
    },
    authorization: http.legacy && config.legacyApiUrl && openAuthorization(config, http.legacy),
    writes,
    onCall: (call) => log.debug(call, 'called the service'),
    async close() {
      // A write that was sent is worth waiting for: its answer is what its caller is told on asking again.
      await writes.settled(MAX_WRITE_MS);
      await Promise.all([http.current?.close(), http.legacy?.close()]);
    },
  };
}
