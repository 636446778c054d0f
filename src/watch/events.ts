import type { Change, Observation } from './observation.ts';

/** What somebody who watches a list is told. */
export type WatchEvent<R> =
  | {
      /** `SNAPSHOT`: what there is when the watching begins. `RESYNCED`: what there is after a gap. */
      readonly kind: 'SNAPSHOT' | 'RESYNCED';
      readonly now: Observation<R>;
      /** When the list was last read before the gap, in epoch milliseconds; null at the beginning. */
      readonly lastSeenAt: number | null;
      /** Whether what changed in the gap is told as well, one by one, after this event. */
      readonly isFollowedByChanges: boolean;
    }
  | (Change<R> & {
      readonly now: Observation<R>;
      /** When the observation that this one was compared with was made, in epoch milliseconds. */
      readonly lastSeenAt: number;
    });

/** Beyond so many differences between two readings, the whole is told anew. */
export const MAX_CHANGES = 500;
/** After so many readings in a row that failed, the next one that succeeds is told as a new beginning. */
export const GAP_READINGS = 3;

/** What happened before a reading succeeded. */
export interface Gap {
  /** Readings that failed in a row. */
  readonly failures: number;
}

/** What is told of an observation to somebody who knows the one before it. */
export function eventsOf<R>(
  before: Observation<R>,
  now: Observation<R>,
  { changes, failures }: Gap & { readonly changes: readonly Change<R>[] },
): WatchEvent<R>[] {
  const lastSeenAt = before.observedAt;
  const isTooMuch = changes.length > MAX_CHANGES;
  const told = isTooMuch ? [] : changes.map((change) => ({ ...change, now, lastSeenAt }));
  if (!isTooMuch && failures < GAP_READINGS) return told;
  return [{ kind: 'RESYNCED', now, lastSeenAt, isFollowedByChanges: !isTooMuch }, ...told];
}

/** What somebody is told who begins to watch. */
export function snapshotOf<R>(now: Observation<R>): WatchEvent<R> {
  return { kind: 'SNAPSHOT', now, lastSeenAt: null, isFollowedByChanges: false };
}
