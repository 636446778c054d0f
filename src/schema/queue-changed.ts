import type { QueuedPostRecord } from '../records/queued-post.ts';
import type { Told } from '../watch/watches.ts';
import { builder, defineEnum } from './builder.ts';
import { QueuedPost, queuedPostIdOf } from './queued-post.ts';
import { isWhole, itemOf, pollFields, told, wantedItems, WatchFilter, wantedBy } from './watch-event.ts';

// Live changes of the queue, detected by polling the list, since the service sends no notifications.

const QueueEventKind = defineEnum('QueueEventKind', 'Types of queue events.', {
  SNAPSHOT: 'All queued posts when the subscription starts; always the first event.',
  ADDED: 'A post appeared in the queue.',
  CHANGED: 'A queued post changed; see `changedFields`.',
  LEFT: 'A post left the queue. The service does not report whether it was published, deleted or failed.',
  RESYNCED: 'All queued posts, sent after failed polls or too many changes to report individually.',
});

const QueueEvent = builder.objectRef<Told<QueuedPostRecord>>('QueueEvent');

QueueEvent.implement({
  description:
    'A change in the queue, detected by comparing two polls. A post that is added and removed between two polls is not reported.',
  fields: (t) => ({
    kind: t.field({
      type: QueueEventKind,
      nullable: false,
      description: 'Type of the event.',
      resolve: ({ event }) => event.kind,
    }),
    ...pollFields(t, 'queued posts', 'a reading of the whole queue shows'),
    queuedPostIds: t.idList({
      description: 'IDs of all queued posts, in the service’s order. Only for `SNAPSHOT` and `RESYNCED`.',
      resolve: (one) => (isWhole(one) ? wantedItems(one).map(({ key }) => queuedPostIdOf(key)) : null),
    }),
    queuedPost: t.field({
      type: QueuedPost,
      description:
        'The post as it is now; for `LEFT`, as last seen, with its scheduled time. Null for `SNAPSHOT` and `RESYNCED`.',
      resolve: (one) => itemOf(one)?.record ?? null,
    }),
    changedFields: t.stringList({
      description:
        'Names of the `QueuedPost` fields that changed. Only for `CHANGED`. URLs are compared without their query string, which may contain a signature.',
      resolve: ({ event }) => (event.kind === 'CHANGED' ? event.fields : null),
    }),
    isFollowedByChanges: t.boolean({
      description:
        'Whether the changes since the last poll follow as separate events; if not, compare `queuedPostIds` with what you have. Only for `RESYNCED`.',
      resolve: ({ event }) => (event.kind === 'RESYNCED' ? event.isFollowedByChanges : null),
    }),
  }),
});

builder.subscriptionField('queueChanged', (t) =>
  t.field({
    type: QueueEvent,
    description:
      'The queue, followed by each change. The server polls the service every few seconds, less often while nothing changes (see the `WATCH_INTERVAL` setting). All subscribers with the same API key share one poll. A queue of more than 2,000 posts cannot be watched.',
    args: { filter: t.arg({ type: WatchFilter, description: 'Filters the posts.' }) },
    subscribe: (_root, { filter }, context) => context.watches.queue(wantedBy(filter)),
    resolve: told<Told<QueuedPostRecord>>,
  }),
);
