import type { EventQueue } from '../live/event-queue.ts';
import type { PollLeader } from '../live/poll-leader.ts';
import { createReaderQueue } from '../live/reader-queue.ts';
import type { Leave } from '../live/readers.ts';
import type { Loaders } from '../loaders/loaders.ts';
import type { Drift } from '../sources/drift.ts';
import type { QueuedPostRecord } from '../records/queued-post.ts';
import { watchedAccountHealth, type ObservedAccount } from './account-health.ts';
import type { WatchEvent } from './events.ts';
import type { Item, Observation } from './observation.ts';
import { createObserver, type Observer, type ReadingOutcome, type Watcher } from './observer.ts';
import { watchedQueue } from './queue.ts';
import type { ObservationExchange } from './sharing.ts';
import type { WatchedList } from './watched-list.ts';

/** A caller who watches a list. */
export interface WatchCaller {
  /** A name for the credential's holder that reveals nothing about the credential. */
  readonly holder: string;
  readonly credential: string;
  /** Creates the loaders of one reading, whose calls end with the signal. */
  readonly loaders: (signal: AbortSignal) => Loaders;
  /** Closes the connection of a caller that does not read. */
  readonly hangUp: () => void;
}

/** Selects the records of a list that a watcher wants. */
export type IsWanted<R> = (item: Item<R>) => boolean;

/** An event for a watcher, and which records it wants. */
export interface Told<R> {
  readonly event: WatchEvent<R>;
  readonly isWanted: IsWanted<R>;
}

/** The events of a watcher; an Error ends them. */
export type WatchEvents<R> = AsyncIterableIterator<Told<R> | Error>;

/** Starts watching a list. The first watcher may supply the last observation of an earlier process. */
export type Watch<R> = (
  caller: WatchCaller,
  isWanted: IsWanted<R>,
  before?: Observation<R> | null,
) => WatchEvents<R>;

/** Reports changes in the lists of the service; one per process. */
export interface Watches {
  readonly queue: Watch<QueuedPostRecord>;
  readonly accountHealth: Watch<ObservedAccount>;
  /** Reads the holder's lists soon, because the holder has written something. */
  hasten(holder: string): void;
  /** The number of watched lists. */
  readonly open: number;
  close(): void;
}

/** The dependencies of the watches. */
export interface WatchesParts {
  readonly pollLeader: PollLeader;
  readonly observations: ObservationExchange;
  readonly config: { readonly watchIntervalMs: number };
  readonly onDrift: (drift: Drift) => void;
  readonly onReading: (list: WatchedList<unknown>['name'], outcome: ReadingOutcome) => void;
}

/** Creates the watches; nothing is read before somebody watches. */
export function createWatches(parts: WatchesParts): Watches {
  const observers = new Map<string, Observer<never>>();
  let isClosed = false;
  const observerOf = <R>(place: Omit<Place<R>, 'onIdle'>): Observer<R> => {
    const name = nameOf(place.caller.holder, place.list.name);
    const known = observers.get(name) as Observer<R> | undefined;
    if (known !== undefined) return known;
    const observer = createObserver(observerParts(parts, { ...place, onIdle: () => observers.delete(name) }));
    observers.set(name, observer);
    return observer;
  };
  const watchOf =
    <R>(list: WatchedList<R>): Watch<R> =>
    (caller, isWanted, before = null) => {
      const enter = (queue: EventQueue<Told<R> | Error>): Leave =>
        observerOf({ list, caller, before }).enter(watcherFor(queue, isWanted));
      const queue = createReaderQueue<Told<R> | Error>(caller, isClosed ? () => () => undefined : enter);
      if (isClosed) queue.end();
      return queue;
    };
  return {
    queue: watchOf(watchedQueue),
    accountHealth: watchOf(watchedAccountHealth),
    hasten(holder) {
      for (const list of [watchedQueue, watchedAccountHealth]) {
        const name = nameOf(holder, list.name);
        // Another process may watch a list that this one does not.
        if (observers.has(name)) observers.get(name)?.hasten();
        else parts.pollLeader.nudge(name);
      }
    },
    get open() {
      return observers.size;
    },
    close() {
      isClosed = true;
      for (const observer of observers.values()) observer.close();
    },
  };
}

function nameOf(holder: string, list: string): string {
  return `${holder} ${list}`;
}

interface Place<R> {
  readonly list: WatchedList<R>;
  readonly caller: WatchCaller;
  readonly before: Observation<R> | null;
  readonly onIdle: () => void;
}

function observerParts<R>(parts: WatchesParts, { list, caller, before, onIdle }: Place<R>) {
  const { holder, credential, loaders } = caller;
  const { pollLeader, observations, config, onDrift, onReading } = parts;
  return {
    list,
    loaders,
    candidacyOf: (candidate: Parameters<PollLeader['open']>[1]) =>
      pollLeader.open(nameOf(holder, list.name), candidate),
    share: (onNews: () => void) => observations.open({ holder, list: list.name, credential }, onNews),
    intervalMs: config.watchIntervalMs,
    before,
    onDrift,
    onReading: (outcome: ReadingOutcome) => onReading(list.name, outcome),
    onIdle,
  };
}

function watcherFor<R>(queue: EventQueue<Told<R> | Error>, isWanted: IsWanted<R>): Watcher<R> {
  return {
    push(event) {
      if (event instanceof Error) queue.push(event);
      else if (isOfInterest(event, isWanted)) queue.push({ event, isWanted });
    },
    end: () => queue.end(),
  };
}

function isOfInterest<R>(event: WatchEvent<R>, isWanted: IsWanted<R>): boolean {
  switch (event.kind) {
    case 'ADDED':
      return isWanted(event.after);
    case 'LEFT':
      return isWanted(event.before);
    case 'CHANGED':
      return isWanted(event.before) || isWanted(event.after);
    case 'SNAPSHOT':
    case 'RESYNCED':
      return true;
    default:
      return event satisfies never;
  }
}
