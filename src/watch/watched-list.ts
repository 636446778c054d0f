import type { Loaders } from '../loaders/loaders.ts';
import type { Origin } from '../sources/drift.ts';
import type { Item, Observation, ReadItems } from './observation.ts';

/** How a list is to be read. */
export interface ReadingRequest<R> {
  /** The calls of this reading. */
  readonly loaders: Loaders;
  readonly before: Observation<R> | null;
  /** True where a look at the ends of the list is not enough. */
  readonly isThorough: boolean;
}

/** A list that can be watched. */
export interface WatchedList<R> {
  readonly name: 'queue' | 'account health';
  /** Reads it; null where nothing has changed. Throws a SourceError, or a PagingError where it is too long or would not hold still. */
  read(request: ReadingRequest<R>): Promise<ReadItems<R> | null>;
  /** An item as JSON without secrets. */
  pack(item: Item<R>): unknown;
  /** The item behind what another process has packed; null where that is not understood. */
  unpack(packed: unknown, onDrift: Origin['onDrift']): Item<R> | null;
}
