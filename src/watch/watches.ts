import { EventQueue, type Reader, type ReadingCaller } from '../live/event-queue.ts';
import type { Peers } from '../live/peers.ts';
import type { Loaders } from '../loaders/loaders.ts';
import type { Drift } from '../sources/drift.ts';
import { getOrInsertComputed } from '../remember.ts';
import { watchedAccountHealth } from './account-health.ts';
import type { Item, WatchEvent } from './observation.ts';
import { Observer, type ObserverMessage, type ReadingOutcome, type WatchedList } from './observer.ts';
import { watchedQueue } from './queue.ts';

/** A caller who watches a list. */
export interface WatchCaller extends ReadingCaller {
  /** Creates the loaders of one reading, whose calls end with the signal. */
  readonly loaders: (signal: AbortSignal) => Loaders;
}

/** Selects the records of a list that a watcher wants. */
export type IsWanted<R> = (item: Item<R>) => boolean;

/** An event for a watcher, and which records it wants. */
export interface Told<R> {
  readonly event: WatchEvent<R>;
  readonly isWanted: IsWanted<R>;
}

/** The dependencies of the watches. */
interface WatchesParts {
  readonly peers: Peers;
  readonly config: { readonly watchIntervalMs: number };
  readonly onDrift: (drift: Drift) => void;
  readonly onReading: (list: WatchedList<unknown>['name'], outcome: ReadingOutcome) => void;
}

/** Reports changes in the lists of the service; one per process. Nothing is read before somebody watches. */
export class Watches {
  readonly #parts: WatchesParts;
  /** By topic. */
  readonly #observers = new Map<string, Observer<unknown>>();
  #isClosed = false;

  constructor(parts: WatchesParts) {
    this.#parts = parts;
  }

  /** The number of watched lists. */
  get open(): number {
    return this.#observers.size;
  }

  /** Starts watching a list. An Error ends the events. */
  watch<R>(
    list: WatchedList<R>,
    caller: WatchCaller,
    isWanted: IsWanted<R>,
  ): AsyncIterableIterator<Told<R> | Error> {
    return new EventQueue<Told<R>>(
      caller,
      this.#isClosed ? null : (events) => this.#observerFor(list, caller).enter(watcherFor(events, isWanted)),
    );
  }

  /** Reads the holder's lists soon, because the holder has written something. */
  hasten(holder: string): void {
    for (const list of [watchedQueue, watchedAccountHealth]) {
      const topic = topicOf(list, holder);
      this.#observers.get(topic)?.hasten();
      this.#parts.peers.publish(topic, { kind: 'hasten' } satisfies ObserverMessage);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const observer of this.#observers.values()) observer.close();
  }

  #observerFor<R>(list: WatchedList<R>, { holder, loaders }: WatchCaller): Observer<R> {
    const { peers, config, onDrift, onReading } = this.#parts;
    const open = (topic: string): Observer<R> =>
      new Observer<R>({
        list,
        loaders,
        topic,
        peers,
        intervalMs: config.watchIntervalMs,
        onDrift,
        onReading: (outcome) => onReading(list.name, outcome),
        onIdle: () => void this.#observers.delete(topic),
      });
    // A topic has the observer of its list.
    const observers = this.#observers as Map<string, Observer<R>>;
    return getOrInsertComputed(observers, topicOf(list, holder), open);
  }
}

/** The name of the list of one credential among all processes. */
function topicOf({ name }: Pick<WatchedList<unknown>, 'name'>, holder: string): string {
  return `${name} ${holder}`;
}

function watcherFor<R>(queue: EventQueue<Told<R>>, isWanted: IsWanted<R>): Reader<WatchEvent<R>> {
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
