import { encodeGlobalId } from '../records/global-id.ts';
import type { QueuedPostRecord } from '../records/queued-post.ts';
import { readable } from '../sources/view.ts';
import type { Told } from '../watch/watches.ts';
import { builder } from './builder.ts';
import { costs } from './cost.ts';
import { addScan } from './list-cost.ts';
import { QueuedPost } from './queued-post.ts';
import { isWhole, itemOf, lastSeenAt, observedAt, told, wantedItems } from './watch-event.ts';
import { WatchFilter, wantedBy } from './watch-filter.ts';

// Live changes of the queue, detected by polling the list, since the service sends no notifications.

const QueueEventKind = builder.enumType('QueueEventKind', {
  description: 'What an event of the queue tells.',
  values: {
    SNAPSHOT: { description: 'What waits in the queue when the watching begins; always the first event.' },
    ADDED: { description: 'A post that was not in the queue before.' },
    CHANGED: { description: 'A post of which something is different; `changedFields` says what.' },
    LEFT: {
      description:
        'A post that is not in the queue any more. Whether it was published, deleted or failed, the service does not tell.',
    },
    RESYNCED: {
      description:
        'What waits in the queue after a time in which it could not be read, or in which more changed than is told one by one.',
    },
  } as const,
});

const QueueEvent = builder.objectRef<Told<QueuedPostRecord>>('QueueEvent');

QueueEvent.implement({
  description:
    'A change in the queue, seen by comparing two readings of it. What came and went between them is not told.',
  fields: (t) => ({
    kind: t.field({
      type: QueueEventKind,
      nullable: false,
      description: 'What the event tells.',
      resolve: ({ event }) => event.kind,
    }),
    observedAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the reading began that showed it.',
      resolve: observedAt,
    }),
    lastSeenAt: t.field({
      type: 'DateTime',
      description:
        'When the reading before began: the change happened between the two. Of `RESYNCED`, the last reading that succeeded; of `SNAPSHOT`, null.',
      resolve: lastSeenAt,
    }),
    totalCount: t.int({
      nullable: false,
      description: 'How many posts wait now, of those that the filter lets through.',
      resolve: (one) => wantedItems(one).length,
    }),
    queuedPostIds: t.idList({
      nullable: { list: true, items: false },
      description:
        'Of `SNAPSHOT` and `RESYNCED`: the ids of all that wait, in the service’s order; otherwise null.',
      resolve: (one) => (isWhole(one) ? wantedItems(one).map(({ key }) => idOf(key)) : null),
    }),
    queuedPost: t.field({
      type: QueuedPost,
      description:
        'The post as it is now; of `LEFT`, as it was last seen, with the time it was due. Null in `SNAPSHOT` and `RESYNCED`.',
      resolve: (one) => itemOf(one)?.record ?? null,
      ...costs(() => [{ type: 'QueuedPost', part: 'whole', name: 'event', count: 1 }]),
    }),
    changedFields: t.stringList({
      nullable: { list: true, items: false },
      description:
        'Of `CHANGED`: the names of the fields of `QueuedPost` that are different; otherwise null. Addresses are compared without their query, which may hold a signature.',
      resolve: ({ event }) => (event.kind === 'CHANGED' ? event.fields : null),
    }),
    isFollowedByChanges: t.boolean({
      description:
        'Of `RESYNCED`: whether the differences to what was last seen follow one by one. If not, compare `queuedPostIds` with what you have. Otherwise null.',
      resolve: ({ event }) => (event.kind === 'RESYNCED' ? event.isFollowedByChanges : null),
    }),
  }),
});

function idOf(postId: string): string {
  return encodeGlobalId({ type: 'QueuedPost', surface: 'current', rawId: postId });
}

interface WatchArguments {
  readonly filter?: typeof WatchFilter.$inferInput | null | undefined;
}

const wantedPosts = ({ filter }: WatchArguments) =>
  wantedBy<QueuedPostRecord>(filter, ({ view }) => readable(() => view.account?.loginId ?? null));

builder.subscriptionField('queueChanged', (t) =>
  t.field({
    type: QueueEvent,
    description:
      'What waits in the queue, and then each change, until you leave. The service pushes nothing: its queue is read every few seconds, once for all who watch with the same API key, and less often while nothing changes (see the setting `WATCH_INTERVAL`). A queue of more than 2,000 posts can’t be watched.',
    args: { filter: t.arg({ type: WatchFilter, description: 'Which posts to hear of.' }) },
    subscribe: (_root, args, context) => context.watches.queue(wantedPosts(args)),
    resolve: told<QueuedPostRecord>,
    ...costs(({ tally }) => addScan(tally, 'queue')),
  }),
);
