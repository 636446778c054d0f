import type { Origin } from '../../../src/sources/drift.ts';
import type { WatchedList } from '../../../src/watch/watched-list.ts';
import { changesBetween, type Observation } from '../../../src/watch/observation.ts';
import type { WatchEvents } from '../../../src/watch/watches.ts';
import type { Describe } from './messages.ts';
import type { Outbox } from './outbox.ts';

/** Maximum number of pending messages; changes beyond it are recorded once there is room again. */
const MAX_PENDING = 10_000;

/** Thrown when too many messages are pending. */
export class OutboxFull extends Error {
  override readonly name = 'OutboxFull';

  constructor() {
    super(`${MAX_PENDING} messages are waiting to be delivered`);
  }
}

/** A list, and how its changes are watched and described. */
export interface Followed<R> {
  readonly list: WatchedList<R>;
  readonly describe: Describe<R>;
  /** Starts watching, given the last observation. */
  readonly watch: (seen: Observation<R> | null) => WatchEvents<R>;
}

/** The destination of changes, and callbacks. */
export interface FollowOptions {
  readonly outbox: Outbox;
  readonly onDrift: Origin['onDrift'];
  /** Called when messages have been added to the outbox. */
  readonly onAdded: () => void;
}

/**
 * Records each change of a list in the outbox, starting with changes since it was last followed. Ends when the
 * watching ends, and fails if an error ended it.
 */
export async function follow<R>(
  { list, describe, watch }: Followed<R>,
  options: FollowOptions,
): Promise<void> {
  const { outbox, onDrift, onAdded } = options;
  let seen = outbox.seen(list, onDrift);
  for await (const told of watch(seen)) {
    if (told instanceof Error) throw told;
    const { now } = told.event;
    // The events of one read arrive one by one, and each carries the whole observation.
    if (now === seen) continue;
    if (outbox.size >= MAX_PENDING) throw new OutboxFull();
    const lastSeenAt = told.event.lastSeenAt ?? seen?.observedAt ?? now.observedAt;
    const changes = seen === null ? [] : changesBetween(seen, now);
    const messages = changes.map((change) => ({
      record: `${list.name} ${('after' in change ? change.after : change.before).key}`,
      message: describe(change, { observedAt: now.observedAt, lastSeenAt }),
    }));
    await outbox.record(list, now, messages);
    seen = now;
    if (messages.length > 0) onAdded();
  }
}
