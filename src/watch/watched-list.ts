import type { Loaders } from '../loaders/loaders.ts';
import type { Origin } from '../sources/drift.ts';
import type { Item, Observation, ReadItems } from './observation.ts';

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
