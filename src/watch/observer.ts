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

/** Somebody who watches; an Error ends it. */
export interface Watcher<R> {
  push(event: WatchEvent<R> | Error): void;
  end(): void;
}

/** How a reading went: it showed a change, or none; or it failed. */
export type ReadingOutcome = 'changed' | 'unchanged' | 'failed';

/** What an observer is made of. */
export interface ObserverParts<R> {
  readonly list: WatchedList<R>;
  /** Makes the loaders of one reading, whose calls end with the signal. */
  readonly loaders: (signal: AbortSignal) => Loaders;
  readonly candidacyOf: (candidate: Candidate) => Candidacy;
  readonly share: (onNews: () => void) => SharedObservations;
  /** Least time between the beginnings of two readings, in milliseconds. */
  readonly intervalMs: number;
  /** What was seen before, in an earlier process; the first reading is compared with it. */
  readonly before?: Observation<R> | null;
  readonly onDrift: (drift: Drift) => void;
  readonly onReading: (outcome: ReadingOutcome) => void;
  /** Called when nobody watches any more. */
  readonly onIdle: () => void;
}

/** Watches one list of one credential on behalf of all who want to know, while there are any. */
export interface Observer<R> {
  enter(watcher: Watcher<R>): Leave;
  /** Something was written that a reading will show. */
  hasten(): void;
  close(): void;
}

/** One reading in so many reads all of a list whose ends are as before. */
const THOROUGH_EVERY = 5;
/** The longest pause that the service's word is taken for, in milliseconds. */
const LONGEST_PAUSE_MS = 5 * 60_000;
/** How long after the last watcher has left the observations are kept for a next one, in milliseconds. */
const IDLE_MS = 1_000;
const FOREVER = Number.MAX_SAFE_INTEGER;

/** Makes an observer; nothing is read before somebody enters. */
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
  /** Readings in a row that failed. */
  #failures = 0;
  #readings = 0;
  /** Counts what a leader elsewhere is to look for soon. */
  #wishes = 0;
  /** Somebody elsewhere waits for an observation, whether or not something has changed. */
  #owesObservation = true;
  #idle: NodeJS.Timeout | undefined;

  constructor(parts: ObserverParts<R>) {
    this.#parts = parts;
    this.#state = parts.before ?? null;
    // Each call of a reading listens to it.
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

  /** Looks once; gives the milliseconds until the next time. */
  async #look(): Promise<number> {
    if (this.#watchers.size === 0) return this.#parts.intervalMs;
    const isLeader = (await this.#candidacy.ask()) !== null;
    await this.#adopt();
    if (isLeader && !this.#leaving.signal.aborted) return await this.#read();
    if (this.#state === null) this.#wishes += 1;
    return this.#pace.next(this.#state === null);
  }

  /** Takes what another process has observed, where that is newer. */
  async #adopt(): Promise<void> {
    const latest = await this.#shared.latest();
    if (latest === null || latest.observedAt <= (this.#state?.observedAt ?? 0)) return;
    const items = unpackAll(latest, this.#parts);
    if (items === null) return;
    this.#take(observe(this.#state, { items, unreadableRows: 0 }, latest.observedAt), latest.failures);
  }

  async #read(): Promise<number> {
    const observedAt = Date.now();
    const isThorough = this.#readings++ % THOROUGH_EVERY === 0;
    const { list, loaders, onReading } = this.#parts;
    const before = this.#state;
    try {
      const read = await list.read({ loaders: loaders(this.#leaving.signal), before, isThorough });
      if (this.#leaving.signal.aborted) return 0;
      // What was taken from elsewhere meanwhile may be newer than what this reading saw.
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

  /** Takes what a reading showed, or null for nothing new; true where something has changed. */
  #takeReading(read: Observation<R> | null, observedAt: number): boolean {
    const now = read ?? { observedAt, items: this.#state?.items ?? new Map() };
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
    const observation: SharedObservation = { observedAt: now.observedAt, failures, items };
    void this.#shared.publish(observation);
  }

  /** Tells what an observation shows; true where something has changed. */
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

  // What is known stays known while the list can't be read; who has been told nothing yet need not wait for that to end.
  #fail(error: unknown): number {
    const isPassing =
      error instanceof SourceError ? error.kind !== 'unauthenticated' : error instanceof PagingError;
    // Nobody is shown what a key that is not accepted any more has seen.
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

/** The items of another process's observation; null where its version packs them otherwise. */
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
