import './scalars.ts';
import './surface.ts';
import './pagination.ts';
import './node.ts';
import './account.ts';
import './account-group.ts';
import './queued-post.ts';
import './library-item.ts';
import './ai-generation.ts';
import './membership.ts';
import { lexicographicSortSchema, printSchema, type GraphQLSchema } from 'graphql';
import { builder } from './builder.ts';

builder.queryType({
  description:
    'Everything that can be read. Begin with `surfaces`, which tells what this server can reach and which credentials you sent, then `accounts`.',
});

/** The graph. */
export const schema: GraphQLSchema = builder.toSchema();

/** The graph as SDL, sorted, as it is committed in `schema.graphql`. */
export function printedSchema(): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
