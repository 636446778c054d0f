// @ts-check
// Walks the whole queue, page by page, to its end, and prints a line for each post: `node examples/walk.js`.
import { GraphQLClient } from 'graphql-request';
import { headers, url } from './endpoint.js';
import './failure.js';
import { graphql } from './graphql.js';

const client = new GraphQLClient(url, { headers });

const QueuedPosts = graphql(`
  query QueuedPosts($first: Int!, $after: String) {
    queuedPosts(first: $first, after: $after) {
      nodes {
        postId
        scheduledAtLocal
        text
      }
      pageInfo {
        hasNextPage
        endCursor
        drifted
      }
    }
  }
`);

/** Every post of the queue; the next page is asked for when the posts of the last one have been taken. */
async function* queuedPosts() {
  /** @type {string | null} */
  let after = null;
  do {
    /** @type {import('gql.tada').ResultOf<typeof QueuedPosts>} */
    const { queuedPosts: page } = await client.request(QueuedPosts, { first: 100, after });
    if (!page) throw new Error('the graph has no queue');
    // The queue drains while it is read, and cursors follow. When the place of a cursor is lost all the same, posts may
    // come twice, and some not at all: whoever needs them all begins again.
    if (page.pageInfo.drifted) console.error('The queue moved too far: some posts may be missing.');
    yield* page.nodes;
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after !== null);
}

for await (const post of queuedPosts()) {
  if (post) console.log(`${post.postId}  ${post.scheduledAtLocal ?? 'some time'}  ${post.text ?? ''}`);
}
