import { createReaderQueue, type EventQueue, type Leave } from '../live/event-queue.ts';
import type { Peers } from '../live/peers.ts';
import type { Loaders } from '../loaders/loaders.ts';
import type { Drift } from '../sources/drift.ts';
import type { QueuedPostRecord } from '../records/queued-post.ts';
import { watchedAccountHealth, type ObservedAccount } from './account-health.ts';
import type { WatchEvent } from './events.ts';
import type { Item } from './observation.ts';
import { Observer, type ObserverMessage, type ReadingOutcome, type Watcher } from './observer.ts';
import { watchedQueue } from './queue.ts';
import type { WatchedList } from './watched-list.ts';

/** A caller who watches a list. */
export interface WatchCaller {
  /** A name for the credential's holder that reveals nothing about the credential. */
  readonly holder: string;
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

/** Starts watching a list. */
type Watch<R> = (caller: WatchCaller, isWanted: IsWanted<R>) => WatchEvents<R>;

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
interface WatchesParts {
  readonly peers: Peers;
  readonly config: { readonly watchIntervalMs: number };
  readonly onDrift: (drift: Drift) => void;
  readonly onReading: (list: WatchedList<unknown>['name'], outcome: ReadingOutcome) => void;
}

/** Creates the watches; nothing is read before somebody watches. */
export function createWatches({ peers, config, onDrift, onReading }: WatchesParts): Watches {
  /** The observers of all lists, by their topic. */
  const all = new Map<string, Pick<Observer<unknown>, 'hasten' | 'close'>>();
  let isClosed = false;
  const watchOf = <R>(list: WatchedList<R>): Watch<R> => {
    const observers = new Map<string, Observer<R>>();
    const observerOf = ({ holder, loaders }: WatchCaller): Observer<R> => {
      const topic = topicOf(list.name, holder);
      const known = observers.get(topic);
      if (known !== undefined) return known;
      const observer = new Observer<R>({
        list,
        loaders,
        topic,
        peers,
        intervalMs: config.watchIntervalMs,
        onDrift,
        onReading: (outcome) => onReading(list.name, outcome),
        onIdle: () => void (observers.delete(topic) && all.delete(topic)),
      });
      observers.set(topic, observer);
      all.set(topic, observer);
      return observer;
    };
    return (caller, isWanted) => {
      const enter = (queue: EventQueue<Told<R> | Error>): Leave =>
        observerOf(caller).enter(watcherFor(queue, isWanted));
      const queue = createReaderQueue<Told<R> | Error>(caller, isClosed ? () => () => undefined : enter);
      if (isClosed) queue.end();
      return queue;
    };
  };
  return {
    queue: watchOf(watchedQueue),
    accountHealth: watchOf(watchedAccountHealth),
    hasten(holder) {
      for (const { name } of [watchedQueue, watchedAccountHealth]) {
        const topic = topicOf(name, holder);
        all.get(topic)?.hasten();
        peers.publish(topic, { kind: 'hasten' } satisfies ObserverMessage);
      }
    },
    get open() {
      return all.size;
    },
    close() {
      isClosed = true;
      for (const observer of all.values()) observer.close();
    },
  };
}

/** The name of a list of one credential among all processes. */
function topicOf(list: WatchedList<unknown>['name'], holder: string): string {
  return `${list} ${holder}`;
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
