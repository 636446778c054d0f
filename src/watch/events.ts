import type { Change, Observation } from './observation.ts';

/** An event for a watcher of a list. */
export type WatchEvent<R> =
  | {
      /** `SNAPSHOT`: the contents when watching starts. `RESYNCED`: the contents after a gap. */
      readonly kind: 'SNAPSHOT' | 'RESYNCED';
      readonly now: Observation<R>;
      /** When the list was last read before the gap, in epoch milliseconds; null at the start. */
      readonly lastSeenAt: number | null;
      /** Whether the changes during the gap follow one by one after this event. */
      readonly isFollowedByChanges: boolean;
    }
  | (Change<R> & {
      readonly now: Observation<R>;
      /** When the observation compared with was made, in epoch milliseconds. */
      readonly lastSeenAt: number;
    });

/** With more differences than this between two readings, the whole list is reported again. */
const MAX_CHANGES = 500;
/** After this many failed readings in a row, the next successful one is reported as a gap. */
const GAP_READINGS = 3;

/** Returns the events of an observation for a watcher who knows the previous one, after so many failed readings. */
export function eventsOf<R>(
  before: Observation<R>,
  now: Observation<R>,
  { changes, failures }: { readonly changes: readonly Change<R>[]; readonly failures: number },
): WatchEvent<R>[] {
  const lastSeenAt = before.observedAt;
  const isTooMuch = changes.length > MAX_CHANGES;
  const told = isTooMuch ? [] : changes.map((change) => ({ ...change, now, lastSeenAt }));
  if (!isTooMuch && failures < GAP_READINGS) return told;
  return [{ kind: 'RESYNCED', now, lastSeenAt, isFollowedByChanges: !isTooMuch }, ...told];
}

/** Returns the first event of a new watcher. */
export function snapshotOf<R>(now: Observation<R>): WatchEvent<R> {
  return { kind: 'SNAPSHOT', now, lastSeenAt: null, isFollowedByChanges: false };
}
