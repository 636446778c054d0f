import { randomUUID } from 'node:crypto';
import { healthOfFlags, type HealthFlags } from '../../../src/records/account.ts';
import { encodeGlobalId, type NodeType } from '../../../src/records/global-id.ts';
import type { QueuedPostRecord } from '../../../src/records/queued-post.ts';
import { readable } from '../../../src/sources/view.ts';
import type { ObservedAccount } from '../../../src/watch/account-health.ts';
import { valuesOf } from '../../../src/watch/facts.ts';
import type { Change, Item } from '../../../src/watch/observation.ts';

/** One change, as sent to a receiver. Fields have the same names as in the graph. */
export interface Message {
  /** The same in each delivery attempt. */
  readonly id: string;
  readonly type: string;
  /** ISO 8601: when the read that showed the change began. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** When a change was seen, in epoch milliseconds. */
export interface Seen {
  readonly observedAt: number;
  /** When the previous read began: the change happened between the two. */
  readonly lastSeenAt: number;
}

/** Describes a change of one list as a message. */
export type Describe<R> = (change: Change<R>, seen: Seen) => Message;

/** Describes a change in the queue. */
export const describeQueueChange: Describe<QueuedPostRecord> = (change, seen) => {
  const item = 'after' in change ? change.after : change.before;
  const changedFields = change.kind === 'CHANGED' ? { changedFields: change.fields } : {};
  return message(`queue.${change.kind.toLowerCase()}`, seen, { ...changedFields, queuedPost: postIn(item) });
};

/** Describes a change in the health of the accounts. */
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
  return {
    id: idOf('QueuedPost', key),
    postId: key,
    account: loginId === null ? null : { id: idOf('Account', loginId), loginId },
    ...valuesOf(facts),
  };
}

function healthIn(flags: HealthFlags): Readonly<Record<string, unknown>> {
  return { state: healthOfFlags(flags), ...flags };
}
