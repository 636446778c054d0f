import { setMaxListeners } from 'node:events';
import type { Candidacy, Candidate } from '../live/poll-leader.ts';
import type { Leave } from '../live/readers.ts';
import type { Loaders } from '../loaders/loaders.ts';
import { PagingError } from '../lists/errors.ts';
import { SourceError } from '../sources/errors.ts';
import type { Drift } from '../sources/drift.ts';
import { eventsOf, snapshotOf, type WatchEvent } from './events.ts';
import { changesBetween, observe, type Item, type Observation } from './observation.ts';
import { createPace } from './pace.ts';
import { createSchedule } from './schedule.ts';
import type { SharedObservation, SharedObservations } from './sharing.ts';
import type { WatchedList } from './watched-list.ts';

/** A watcher; an Error ends it. */
export interface Watcher<R> {
  push(event: WatchEvent<R> | Error): void;
  end(): void;
}

/** The outcome of a reading: it showed a change, or none; or it failed. */
export type ReadingOutcome = 'changed' | 'unchanged' | 'failed';

/** The dependencies of an observer. */
export interface ObserverParts<R> {
  readonly list: WatchedList<R>;
  /** Creates the loaders of one reading, whose calls end with the signal. */
  readonly loaders: (signal: AbortSignal) => Loaders;
  readonly candidacyOf: (candidate: Candidate) => Candidacy;
  readonly share: (onNews: () => void) => SharedObservations;
  /** Minimum interval between the starts of two readings, in milliseconds. */
  readonly intervalMs: number;
  /** The last observation of an earlier process; the first reading is compared with it. */
  readonly before?: Observation<R> | null;
  readonly onDrift: (drift: Drift) => void;
  readonly onReading: (outcome: ReadingOutcome) => void;
  /** Called when the last watcher has left. */
  readonly onIdle: () => void;
}

/** Watches one list of one credential for all its watchers, while there are any. */
export interface Observer<R> {
  enter(watcher: Watcher<R>): Leave;
  /** Reads soon, because something was written that a reading will show. */
  hasten(): void;
  close(): void;
}

/** One reading in this many reads the whole list even if its ends are unchanged. */
const THOROUGH_EVERY = 5;
/** Longest pause accepted from the service, in milliseconds. */
const LONGEST_PAUSE_MS = 5 * 60_000;
/** How long observations are kept for another watcher after the last has left, in milliseconds. */
const IDLE_MS = 1_000;
const FOREVER = Number.MAX_SAFE_INTEGER;

/** Creates an observer; nothing is read before a watcher enters. */
export function createObserver<R>(parts: ObserverParts<R>): Observer<R> {
  return new ListObserver(parts);
}

class ListObserver<R> implements Observer<R> {
  readonly #parts: ObserverParts<R>;
  readonly #pace;
  readonly #schedule;
  readonly #candidacy: Candidacy;
  readonly #shared: SharedObservations;
  readonly #watchers = new Set<Watcher<R>>();
  readonly #leaving = new AbortController();
  #state: Observation<R> | null;
  /** Number of failed readings in a row. */
  #failures = 0;
  #readings = 0;
  /** Increased when a leader elsewhere should read soon. */
  #wishes = 0;
  /** True if another process waits for an observation, whether or not something has changed. */
  #owesObservation = true;
  #idle: NodeJS.Timeout | undefined;

  constructor(parts: ObserverParts<R>) {
    this.#parts = parts;
    this.#state = parts.before ?? null;
    // Each call of a reading adds a listener.
    setMaxListeners(0, this.#leaving.signal);
    this.#pace = createPace(parts.intervalMs);
    this.#schedule = createSchedule(parts.intervalMs, () => this.#look());
    this.#shared = parts.share(() => void this.#adopt());
    this.#candidacy = parts.candidacyOf({
      wanted: () =>
        new Map(
          this.#watchers.size === 0
            ? []
            : [this.#parts.list.name, `look ${this.#wishes}`].map((wish) => [wish, FOREVER]),
        ),
      onTurn: () => {
        this.#owesObservation = true;
        this.#schedule.soon();
      },
    });
  }

  enter(watcher: Watcher<R>): Leave {
    clearTimeout(this.#idle);
    this.#idle = undefined;
    this.#watchers.add(watcher);
    if (this.#state !== null) watcher.push(snapshotOf(this.#state));
    if (this.#state === null || this.#watchers.size === 1) this.#schedule.soon();
    return () => this.#leave(watcher);
  }

  hasten(): void {
    if (this.#watchers.size === 0) return;
    this.#wishes += 1;
    this.#pace.quicken();
    this.#schedule.soon();
  }

  close(): void {
    this.#end(null);
    this.#stop();
  }

  #leave(watcher: Watcher<R>): void {
    if (!this.#watchers.delete(watcher) || this.#watchers.size > 0) return;
    this.#idle ??= setTimeout(() => this.#stop(), IDLE_MS).unref();
  }

  #stop(): void {
    clearTimeout(this.#idle);
    this.#leaving.abort();
    this.#schedule.stop();
    this.#candidacy.rest();
    this.#shared.close();
    this.#parts.onIdle();
  }

  /** Reads once, or adopts another's observation. Returns the milliseconds until the next time. */
  async #look(): Promise<number> {
    if (this.#watchers.size === 0) return this.#parts.intervalMs;
    const isLeader = (await this.#candidacy.ask()) !== null;
    await this.#adopt();
    if (isLeader && !this.#leaving.signal.aborted) return await this.#read();
    if (this.#state === null) this.#wishes += 1;
    return this.#pace.next(this.#state === null);
  }

  /** Adopts the observation of another process if it is newer. */
  async #adopt(): Promise<void> {
    const latest = await this.#shared.latest();
    if (latest === null || latest.observedAt <= (this.#state?.observedAt ?? 0)) return;
    const items = unpackAll(latest, this.#parts);
    if (items === null) return;
    const { unreadable = [], observedAt, failures } = latest;
    this.#take(observe(this.#state, { items, unreadable }, observedAt), failures);
  }

  async #read(): Promise<number> {
    const observedAt = Date.now();
    const isThorough = this.#readings++ % THOROUGH_EVERY === 0;
    const { list, loaders, onReading } = this.#parts;
    const before = this.#state;
    try {
      const read = await list.read({ loaders: loaders(this.#leaving.signal), before, isThorough });
      if (this.#leaving.signal.aborted) return 0;
      // An observation adopted in the meantime may be newer than this reading.
      const hasChanged =
        this.#state !== before ||
        this.#takeReading(read === null ? null : observe(before, read, observedAt), observedAt);
      onReading(hasChanged ? 'changed' : 'unchanged');
      return this.#pace.next(hasChanged);
    } catch (error) {
      if (this.#leaving.signal.aborted) return 0;
      onReading('failed');
      return this.#fail(error);
    }
  }

  /** Handles a reading, or null for nothing new. Returns true if something has changed. */
  #takeReading(read: Observation<R> | null, observedAt: number): boolean {
    const now = read ?? { items: new Map(), ...this.#state, observedAt };
    const { failures } = this;
    const hasChanged = this.#take(now, failures);
    if (hasChanged || this.#owesObservation || failures > 0) this.#publish(now, failures);
    return hasChanged;
  }

  get failures(): number {
    return this.#failures;
  }

  #publish(now: Observation<R>, failures: number): void {
    this.#owesObservation = false;
    const items = [...now.items.values()].map((item) => this.#parts.list.pack(item));
    const { observedAt, unreadable = [] } = now;
    void this.#shared.publish({ observedAt, failures, items, unreadable });
  }

  /** Reports an observation to the watchers. Returns true if something has changed. */
  #take(now: Observation<R>, failures: number): boolean {
    const before = this.#state;
    this.#state = now;
    this.#failures = 0;
    if (before === null) {
      this.#tell([snapshotOf(now)]);
      return true;
    }
    const changes = changesBetween(before, now);
    this.#tell(eventsOf(before, now, { changes, failures }));
    return changes.length > 0;
  }

  #tell(events: readonly WatchEvent<R>[]): void {
    for (const watcher of this.#watchers) for (const event of events) watcher.push(event);
  }

  // The last observation is kept while the list cannot be read; watchers without one need not wait for that to end.
  #fail(error: unknown): number {
    const isPassing =
      error instanceof SourceError ? error.kind !== 'unauthenticated' : error instanceof PagingError;
    // What a rejected key has read is not shown to anybody.
    if (!isPassing) this.#state = null;
    if (this.#state === null) this.#end(error instanceof Error ? error : new Error(String(error)));
    this.#failures += 1;
    const pauseMs = error instanceof SourceError ? (error.details.retryAfterMs ?? 0) : 0;
    this.#schedule.pauseFor(Math.min(pauseMs, LONGEST_PAUSE_MS));
    return this.#pace.next(false);
  }

  #end(error: Error | null): void {
    for (const watcher of this.#watchers) {
      if (error) watcher.push(error);
      watcher.end();
      this.#leave(watcher);
    }
  }
}

/** Unpacks the items of another process's observation; null if its version packs them differently. */
function unpackAll<R>(
  { items }: SharedObservation,
  { list, onDrift }: Pick<ObserverParts<R>, 'list' | 'onDrift'>,
): Item<R>[] | null {
  try {
    const unpacked = items.map((packed) => list.unpack(packed, onDrift));
    return unpacked.every((item) => item !== null) ? unpacked : null;
  } catch {
    return null;
  }
}
