import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Leave, Reader } from '../live/event-queue.ts';
import type { Peers } from '../live/peers.ts';
import type { Loaders } from '../loaders/loaders.ts';
import { PagingError } from '../lists/errors.ts';
import { SourceError } from '../sources/errors.ts';
import type { Drift, Origin } from '../sources/drift.ts';
import { Schedule } from '../sources/schedule.ts';
import type { Facts } from './facts.ts';
import {
  changesBetween,
  eventsOf,
  observe,
  snapshotOf,
  type Item,
  type Observation,
  type ReadItems,
  type WatchEvent,
} from './observation.ts';

/** How to read a list. */
interface ReadingRequest<R> {
  /** The calls of this reading. */
  readonly loaders: Loaders;
  readonly before: Observation<R> | null;
  /** True if reading only the ends of the list is not sufficient. */
  readonly isThorough: boolean;
}

/** A list that can be watched. */
export interface WatchedList<R> {
  readonly name: 'queue' | 'account health';
  /** Reads it; null if unchanged. Throws a SourceError, or a PagingError if it is too long or keeps changing. */
  read(request: ReadingRequest<R>): Promise<ReadItems<R> | null>;
  /** Converts an item to JSON without secrets. */
  pack(item: Item<R>): unknown;
  /** Restores an item packed by another process; null if its format is unknown. */
  unpack(packed: unknown, onDrift: Origin['onDrift']): Item<R> | null;
}

/** The outcome of a reading: it showed a change, or none; or it failed. */
export type ReadingOutcome = 'changed' | 'unchanged' | 'failed';

/** The dependencies of an observer. */
interface ObserverParts<R> {
  readonly list: WatchedList<R>;
  /** Creates the loaders of one reading, whose calls end with the signal. */
  readonly loaders: (signal: AbortSignal) => Loaders;
  /** The name of this list of this credential among all processes. */
  readonly topic: string;
  readonly peers: Peers;
  /** Minimum interval between the starts of two readings, in milliseconds. */
  readonly intervalMs: number;
  readonly onDrift: (drift: Drift) => void;
  readonly onReading: (outcome: ReadingOutcome) => void;
  /** Called when the last watcher has left. */
  readonly onIdle: () => void;
}

/** An observation as sent to other processes, with its time by their common clock. */
interface SharedObservation {
  readonly kind: 'observed';
  readonly observedAt: number;
  /** Changes with the contents. */
  readonly version: string;
  /** Absent if they are the same as in the previous observation. */
  readonly contents?: { readonly items: readonly unknown[]; readonly unreadable: readonly Facts[] };
}

/** A message between the observers of one list of one credential. */
export type ObserverMessage =
  | SharedObservation
  /** A reading failed; the service may have asked for a pause. */
  | { readonly kind: 'failed'; readonly pauseMs: number }
  /** Somebody lacks the contents: whoever read last sends them. */
  | { readonly kind: 'wanted' }
  /** Something was written that a reading will show. */
  | { readonly kind: 'hasten' };

/** Readings without changes become less frequent, up to this multiple of the minimum interval. */
const SLOWEST = 12;
/** One reading in this many reads the whole list even if its ends are unchanged. */
const THOROUGH_EVERY = 5;
/** Longest pause accepted from the service, in milliseconds. */
const LONGEST_PAUSE_MS = 5 * 60_000;
/** How long observations are kept for another watcher after the last has left, in milliseconds. */
const IDLE_MS = 1_000;

/**
 * Watches one list of one credential for all its watchers, while there are any. Before each reading it takes the turn
 * among all processes; whoever has it shares what it read, and the others apply that to their own last observation, so
 * that any of them can go on.
 */
export class Observer<R> {
  readonly #parts: ObserverParts<R>;
  readonly #schedule: Schedule;
  readonly #leavePeers: Leave;
  readonly #watchers = new Set<Reader<WatchEvent<R>>>();
  readonly #leaving = new AbortController();
  #state: Observation<R> | null = null;
  #version = '';
  /** True if the state was read here, rather than by another process. */
  #isOwn = false;
  /** Number of failed readings in a row, in all processes. */
  #failures = 0;
  #readings = 0;
  #idle: NodeJS.Timeout | undefined;

  /** Nothing is read before a watcher enters. */
  constructor(parts: ObserverParts<R>) {
    this.#parts = parts;
    // Each call of a reading adds a listener.
    setMaxListeners(0, this.#leaving.signal);
    this.#schedule = new Schedule(parts.intervalMs, SLOWEST, () => this.#look());
    this.#leavePeers = parts.peers.listen<ObserverMessage>(parts.topic, {
      onMessage: (message) => this.#hear(message),
    });
  }

  enter(watcher: Reader<WatchEvent<R>>): Leave {
    clearTimeout(this.#idle);
    this.#idle = undefined;
    this.#watchers.add(watcher);
    if (this.#state !== null) watcher.push(snapshotOf(this.#state));
    if (this.#state === null || this.#watchers.size === 1) this.#schedule.soon();
    return () => this.#leave(watcher);
  }

  /** Reads soon, because something was written that a reading will show. */
  hasten(): void {
    if (this.#watchers.size === 0) return;
    this.#schedule.quicken();
    this.#schedule.soon();
  }

  close(): void {
    this.#end(null);
    this.#stop();
  }

  #leave(watcher: Reader<WatchEvent<R>>): void {
    if (!this.#watchers.delete(watcher) || this.#watchers.size > 0) return;
    this.#idle ??= setTimeout(() => this.#stop(), IDLE_MS).unref();
  }

  #stop(): void {
    clearTimeout(this.#idle);
    this.#leaving.abort();
    this.#schedule.stop();
    this.#leavePeers();
    this.#parts.onIdle();
  }

  /** Reads once, if it is this process's turn. Returns the milliseconds until the next time. */
  async #look(): Promise<number> {
    const { peers, topic, intervalMs } = this.#parts;
    if (this.#watchers.size === 0) return intervalMs;
    const waitMs = await peers.takeTurn(topic, intervalMs);
    if (waitMs === 0 && !this.#leaving.signal.aborted) return await this.#read();
    if (this.#state === null) this.#tellPeers({ kind: 'wanted' });
    this.#schedule.pauseFor(waitMs);
    return waitMs;
  }

  async #read(): Promise<number> {
    this.#schedule.pauseFor(this.#parts.intervalMs);
    const observedAt = Date.now();
    const isThorough = this.#readings++ % THOROUGH_EVERY === 0;
    const { list, loaders, onReading } = this.#parts;
    const before = this.#state;
    try {
      const read = await list.read({ loaders: loaders(this.#leaving.signal), before, isThorough });
      if (this.#leaving.signal.aborted) return 0;
      // An observation received in the meantime may be newer than this reading.
      const hasChanged =
        this.#state !== before ||
        this.#takeReading(read === null ? null : observe(before, read, observedAt), observedAt);
      onReading(hasChanged ? 'changed' : 'unchanged');
      return this.#schedule.next(hasChanged);
    } catch (error) {
      if (this.#leaving.signal.aborted) return 0;
      onReading('failed');
      return this.#fail(error);
    }
  }

  /** Handles a reading, or null for nothing new. Returns true if something has changed. */
  #takeReading(read: Observation<R> | null, observedAt: number): boolean {
    const hasChanged = this.#take(read ?? { items: new Map(), unreadable: [], ...this.#state, observedAt });
    if (read !== null) this.#version = randomUUID();
    this.#isOwn = true;
    this.#share({ hasContents: read !== null });
    return hasChanged;
  }

  #share({ hasContents }: { readonly hasContents: boolean }): void {
    const { peers, list } = this.#parts;
    const state = this.#state;
    if (state === null || !peers.areReachable) return;
    const { items, unreadable } = state;
    const pack = () => ({ items: [...items.values()].map((item) => list.pack(item)), unreadable });
    this.#tellPeers({
      kind: 'observed',
      observedAt: state.observedAt + peers.clockAheadMs,
      version: this.#version,
      ...(hasContents && { contents: pack() }),
    });
  }

  #tellPeers(message: ObserverMessage): void {
    this.#parts.peers.publish(this.#parts.topic, message);
  }

  #hear(message: ObserverMessage): void {
    switch (message.kind) {
      case 'observed':
        return this.#adopt(message);
      case 'failed':
        // This process tries in its own time: the service may be out of reach for the other one alone.
        this.#failures += 1;
        return this.#schedule.pauseFor(message.pauseMs);
      case 'wanted':
        if (this.#isOwn) this.#share({ hasContents: true });
        return;
      case 'hasten':
        return this.hasten();
      default:
        // Another version may send other messages.
        message satisfies never;
    }
  }

  /** Adopts the observation of another process if it is newer. */
  #adopt(shared: SharedObservation): void {
    const observedAt = shared.observedAt - this.#parts.peers.clockAheadMs;
    if (observedAt <= (this.#state?.observedAt ?? 0)) return;
    const now = this.#observed({ ...shared, observedAt });
    // What another version packs differently is read here, in turn.
    if (now === null) return shared.contents ? undefined : this.#tellPeers({ kind: 'wanted' });
    this.#version = shared.version;
    this.#isOwn = false;
    this.#schedule.in(this.#schedule.next(this.#take(now)));
  }

  /** Returns what another process observed; null if its contents are not known, or packed by another version. */
  #observed({ observedAt, version, contents }: SharedObservation): Observation<R> | null {
    if (contents === undefined)
      return this.#state !== null && version === this.#version ? { ...this.#state, observedAt } : null;
    const items = unpackAll(contents.items, this.#parts);
    return items && observe(this.#state, { items, unreadable: contents.unreadable }, observedAt);
  }

  /** Reports an observation to the watchers. Returns true if something has changed. */
  #take(now: Observation<R>): boolean {
    const before = this.#state;
    const failures = this.#failures;
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
    const askedMs = error instanceof SourceError ? (error.details.retryAfterMs ?? 0) : 0;
    const pauseMs = Math.min(askedMs, LONGEST_PAUSE_MS);
    this.#schedule.pauseFor(pauseMs);
    this.#tellPeers({ kind: 'failed', pauseMs });
    return this.#schedule.next(false);
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
  packedItems: readonly unknown[],
  { list, onDrift }: Pick<ObserverParts<R>, 'list' | 'onDrift'>,
): Item<R>[] | null {
  try {
    const items = packedItems.map((packed) => list.unpack(packed, onDrift));
    return items.every((item) => item !== null) ? items : null;
  } catch {
    return null;
  }
}
