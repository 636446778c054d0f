import './scalars.ts';
import './surface.ts';
import { readNodesDirectly } from './pagination.ts';
import './node.ts';
import './account.ts';
import './account-queries.ts';
import './account-group.ts';
import './queued-post-queries.ts';
import './account-queue.ts';
import './library-item.ts';
import './library-item-create.ts';
import './ai-generation.ts';
import './queue-changed.ts';
import './account-health-changed.ts';
import './membership.ts';
import './post.ts';
import './post-validation.ts';
import './status-update.ts';
import './draft.ts';
import './known-write.ts';
import './account-actions.ts';
import './several-accounts.ts';
import './billing.ts';
import './authorization.ts';
import { lexicographicSortSchema, printSchema, type GraphQLSchema } from 'graphql';
import { refuseBrokenText } from './argument-text.ts';
import { builder } from './builder.ts';
import { tellEnumValues } from './enum-values.ts';
import { forgetAfterWrites } from './write.ts';
import { GUIDE } from './guide.ts';

builder.queryType({
  description:
    'Everything that can be read. Begin with `surfaces`, which tells what this server can reach and which credentials you sent, then `accounts`.',
});

builder.mutationType({
  description:
    'Everything that changes something. Every payload says in `outcome` what became of it; nothing is ever sent twice. Send an `idempotencyKey` where there is one, and repeating a call is safe.',
});

builder.subscriptionType({
  description:
    'Live results: AI texts that are completed later, and changes in the queue and in the health of the accounts. Over WebSocket (graphql-transport-ws) or as server-sent events.',
});

/** The graph. */
export const schema: GraphQLSchema = Object.assign(
  refuseBrokenText(forgetAfterWrites(readNodesDirectly(tellEnumValues(builder.toSchema())))),
  { description: GUIDE },
);

/** The graph as SDL, sorted, as it is committed in `schema.graphql`. */
export function printedSchema(): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
