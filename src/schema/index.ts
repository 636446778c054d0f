import './scalars.ts';
import './surface.ts';
import './viewer.ts';
import { readNodesDirectly } from './pagination.ts';
import './account-queries.ts';
import './account-group.ts';
import './queued-post-queries.ts';
import './account-queue.ts';
import './posting-slot.ts';
import './post.ts';
import './post-validation.ts';
import './text-limits.ts';
import './draft.ts';
import './status-update.ts';
import './library-item.ts';
import './library-item-create.ts';
import './account-actions.ts';
import './several-accounts.ts';
import './queue-changed.ts';
import './account-health-changed.ts';
import './ai-generation.ts';
import './known-write.ts';
import './membership.ts';
import './billing.ts';
import './authorization.ts';
import './node.ts';
import { lexicographicSortSchema, printSchema, type GraphQLSchema } from 'graphql';
import { refuseBrokenText } from './argument-text.ts';
import { builder } from './builder.ts';
import { tellEnumValues } from './enum-values.ts';
import { orderMembers } from './member-order.ts';
import { forgetAfterWrites } from './write.ts';
import { GUIDE } from './guide.ts';

builder.queryType({
  description:
    'All reads. Start with `surfaces`, which shows what is reachable and which credentials were sent, then `accounts`.',
});

builder.mutationType({
  description:
    'All writes. Every payload reports its `outcome`, and every write is sent at most once. With an `idempotencyKey`, a call can be repeated safely.',
});

builder.subscriptionType({
  description:
    'Live updates: AI texts, changes in the queue and changes in account health. Available over WebSocket (graphql-transport-ws) and as server-sent events.',
});

const declared = orderMembers(builder.toSchema({ sortSchema: false }));

/** The graph. */
export const schema: GraphQLSchema = Object.assign(
  refuseBrokenText(forgetAfterWrites(readNodesDirectly(tellEnumValues(declared)))),
  { description: GUIDE },
);

/** The graph as SDL, sorted, as it is committed in `schema.graphql`. */
export function printedSchema(): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
