import './scalars.ts';
import './surface.ts';
import './viewer.ts';
import { readNodesDirectly } from './pagination.ts';
import './account-list.ts';
import './account-group.ts';
import './queued-post-queries.ts';
import './posting-slot.ts';
import './post.ts';
import './post-validation.ts';
import './text-limits.ts';
import './draft.ts';
import './status-update.ts';
import './library-item.ts';
import './library-item-create.ts';
import './account-actions.ts';
import './queue-changed.ts';
import './account-health-changed.ts';
import './ai-generation.ts';
import './known-write.ts';
import './membership.ts';
import './billing.ts';
import './authorization.ts';
import './node.ts';
import { lexicographicSortSchema, printSchema, type GraphQLSchema } from 'graphql';
import { refuseBrokenText, tellEnumValues, orderMembers } from './transforms.ts';
import { builder } from './builder.ts';
import { forgetAfterWrites } from './write.ts';

/** The introduction to the graph, in Markdown: where to begin, and what applies everywhere. */
const GUIDE = `
One graph over both surfaces of a social publishing service: accounts, groups, queue, posts, library, AI texts and plan.

**Headers.** Send \`x-api-key: KEY\` for the current surface, which has full records, and \`authorization: Bearer TOKEN\` for
the legacy surface, which has its own lists with fewer fields. Send one or both with each operation.

**Where to begin.** \`surfaces\` shows which surfaces can be used and which credentials were sent. List \`accounts\` and use
their \`id\` in \`accountIds\`. \`createPost\` creates posts; \`queuedPosts\` lists those waiting in the queue.

**Lists** are paginated: \`first\` and \`after\`, or \`last\` and \`before\`, up to 100 records at a time. For the next page,
send \`pageInfo.endCursor\` as \`after\`. No record is skipped or repeated while the list changes,
unless \`pageInfo.drifted\` is true.

**Errors.** A field whose surface fails is null, with an error that has a \`code\`, whether it is \`retryable\`, and a
\`requestId\`; the other fields are unaffected.

**Writes** report their result in \`outcome\`, and problems in \`userErrors\`. Nothing is sent twice. With an
\`idempotencyKey\`, repeating a call is safe.

**Live results.** \`generateAiText\` may return \`PENDING\`. \`aiGenerationUpdated\` waits for that text, \`aiGenerationFinished\`
for all texts requested with your key, over WebSocket or as server-sent events.
`.trim();

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
