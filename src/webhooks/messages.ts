import { randomUUID } from 'node:crypto';
import { healthOfFlags, type HealthFlags } from '../records/account.ts';
import { encodeGlobalId, type NodeType } from '../records/global-id.ts';
import type { QueuedPostRecord } from '../records/queued-post.ts';
import { readable } from '../sources/view.ts';
import type { ObservedAccount } from '../watch/account-health.ts';
import type { Change, Item } from '../watch/observation.ts';

/** One change, as a receiver is told of it. Fields have the names that they have in the graph. */
export interface Message {
  /** The same in each attempt to deliver it. */
  readonly id: string;
  readonly type: string;
  /** ISO 8601: when the reading began that showed it. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** When a change was seen, in epoch milliseconds. */
export interface Seen {
  readonly observedAt: number;
  /** When the reading before began: the change happened between the two. */
  readonly lastSeenAt: number;
}

/** Tells of changes of one list. */
export type Describe<R> = (change: Change<R>, seen: Seen) => Message;

/** A change in the queue. */
export const describeQueueChange: Describe<QueuedPostRecord> = (change, seen) => {
  const item = 'after' in change ? change.after : change.before;
  const changedFields = change.kind === 'CHANGED' ? { changedFields: change.fields } : {};
  return message(`queue.${change.kind.toLowerCase()}`, seen, { ...changedFields, queuedPost: postIn(item) });
};

/** A change in the health of the accounts. */
export const describeHealthChange: Describe<ObservedAccount> = (change, seen) => {
  const { account } = ('after' in change ? change.after : change.before).record;
  return message(`account_health.${change.kind.toLowerCase()}`, seen, {
    account: {
      id: idOf('Account', account.loginId),
      loginId: account.loginId,
      displayName: readable(() => account.part.displayName),
    },
    before: 'before' in change ? healthIn(change.before.record.flags) : null,
    after: 'after' in change ? healthIn(change.after.record.flags) : null,
  });
};

function message(type: string, { observedAt, lastSeenAt }: Seen, data: Message['data']): Message {
  return {
    id: `msg_${randomUUID()}`,
    type,
    timestamp: timeOf(observedAt),
    data: { observedAt: timeOf(observedAt), lastSeenAt: timeOf(lastSeenAt), ...data },
  };
}

const timeOf = (epochMs: number): string => new Date(epochMs).toISOString();
const idOf = (type: NodeType, rawId: string): string => encodeGlobalId({ type, surface: 'current', rawId });

function postIn({ key, record, facts }: Item<QueuedPostRecord>): Readonly<Record<string, unknown>> {
  const loginId = readable(() => record.view.account?.loginId ?? null);
  const fields = Object.entries(facts).map(([name, json]) => [name, JSON.parse(json) as unknown]);
  return {
    id: idOf('QueuedPost', key),
    postId: key,
    account: loginId === null ? null : { id: idOf('Account', loginId), loginId },
    ...Object.fromEntries(fields),
  };
}

function healthIn(flags: HealthFlags): Readonly<Record<string, unknown>> {
  return { state: healthOfFlags(flags), ...flags };
}
