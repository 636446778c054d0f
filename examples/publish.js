// @ts-check
// Publishes one post, and publishes it once, whatever happens on the way.
//
//   node examples/publish.js "Doors at seven." order-7
//
// The second word is the key: a name of your own for this very post. A program takes the id that the post has in its own
// database, so that it finds the same key again after a crash. Without one, a new key is made up.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ClientError, GraphQLClient } from 'graphql-request';
import { headers, url } from './endpoint.js';
import './failure.js';
import { graphql } from './graphql.js';

const [text = 'Hello from GraphQL', idempotencyKey = randomUUID()] = process.argv.slice(2);
const client = new GraphQLClient(url, { headers });

const FirstAccount = graphql(`
  query FirstAccount {
    accounts(first: 1) {
      nodes {
        id
      }
    }
  }
`);

const CreatePost = graphql(`
  mutation CreatePost($input: CreatePostInput!) {
    createPost(input: $input) {
      outcome
      postIds
      replayed
      userErrors {
        code
        message
        path
        retryable
      }
    }
  }
`);

const LastQueued = graphql(`
  query LastQueued {
    queuedPosts(last: 20) {
      nodes {
        postId
        text
      }
    }
  }
`);

// The pauses are 0.5, 1, 2, … seconds, 31 together: longer than the graph works on one write, so that a call whose
// answer was lost has its answer ready by the last attempt.
const ATTEMPTS = 7;

/**
 * Sends the same call with the same key until there is an answer that another attempt would not change.
 *
 * @param {import('gql.tada').VariablesOf<typeof CreatePost>} variables
 */
async function createPost(variables) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const signal = AbortSignal.timeout(40_000);
      const { createPost: result } = await client.request({ document: CreatePost, variables, signal });
      if (!result) throw new Error('a payload is null only beside an error, which would have been thrown');
      // Retryable are for instance RATE_LIMITED, and IDEMPOTENCY_IN_PROGRESS: an earlier attempt is still under way.
      if (!result.userErrors.some(({ retryable }) => retryable) || attempt === ATTEMPTS) return result;
    } catch (error) {
      if (!mayPass(error) || attempt === ATTEMPTS) throw error;
    }
    console.error(`Attempt ${attempt} failed; the same call is sent again, with the same key.`);
    await pause(250 * 2 ** attempt);
  }
}

/**
 * Whether a failed call may succeed a little later. A lost connection tells nothing of what became of the call, but
 * because of the key it can be repeated all the same.
 *
 * @param {unknown} error
 */
function mayPass(error) {
  if (!(error instanceof ClientError)) return true;
  const { errors, status } = error.response;
  return errors ? errors.some(({ extensions }) => extensions?.['retryable'] === true) : status >= 500;
}

const { accounts } = await client.request(FirstAccount);
const accountIds = (accounts?.nodes ?? []).flatMap((account) => (account ? [account.id] : []));

const { outcome, postIds, replayed, userErrors } = await createPost({
  input: {
    idempotencyKey,
    accountIds,
    timing: { placement: 'QUEUE' },
    variants: [{ variant: 'ORIGINAL', text }],
  },
});
console.log({ outcome, postIds, replayed, userErrors });

// UNKNOWN: the service had the call and did not confirm it. The same call with the same key looks again and never sends;
// another key could make a second post. So look first: in the queue, and with NOW as its placement on the account itself.
if (outcome === 'UNKNOWN') {
  const { queuedPosts } = await client.request(LastQueued);
  const found = queuedPosts?.nodes.find((post) => post?.text === text);
  console.log(found ? `It waits in the queue as ${found.postId}.` : 'The end of the queue does not show it.');
}
if (outcome !== 'COMPLETED') process.exitCode = 1;
