// @ts-check
// urql without React: a list page by page, a text that is asked for once because of its key, and its live result over
// WebSocket: `node examples/urql.js "A line about rain, slowly" rain-1`.
import { randomUUID } from 'node:crypto';
import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { headers, socketUrl, url } from './endpoint.js';
import './failure.js';
import { graphql } from './graphql.js';

const [prompt = 'A line about rain, slowly', idempotencyKey = randomUUID()] = process.argv.slice(2);

const socket = createClient({
  url: socketUrl,
  webSocketImpl: WebSocket,
  connectionParams: headers,
  shouldRetry: () => true,
});

const client = new Client({
  url,
  // The server takes queries by POST; urql would send short ones by GET.
  preferGetMethod: false,
  fetchOptions: { headers },
  exchanges: [
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: ({ query = '', variables }) => ({
        subscribe: (sink) => ({
          unsubscribe: socket.subscribe(
            { query, ...(variables && { variables }) },
            /** @type {import('graphql-ws').Sink} */ (sink),
          ),
        }),
      }),
    }),
  ],
});

const Accounts = graphql(`
  query Accounts($first: Int!, $after: String) {
    accounts(first: $first, after: $after) {
      nodes {
        id
        displayName
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

const GenerateText = graphql(`
  mutation GenerateText($input: GenerateAiTextInput!) {
    generateAiText(input: $input) {
      outcome
      replayed
      aiGeneration {
        id
      }
      userErrors {
        code
        message
      }
    }
  }
`);

const TextUpdated = graphql(`
  subscription TextUpdated($id: ID!) {
    aiGenerationUpdated(id: $id) {
      status
      text
    }
  }
`);

/**
 * The data of a result; throws its errors, those of the graph or of the network.
 *
 * @template Data
 * @param {import('@urql/core').OperationResult<Data, any>} result
 */
function dataOf({ data, error }) {
  if (error) throw error.networkError ?? new AggregateError(error.graphQLErrors);
  if (!data) throw new Error('a result without an error has data');
  return data;
}

/** @type {string | null} */
let after = null;
do {
  /** @type {import('gql.tada').ResultOf<typeof Accounts>} */
  const { accounts } = dataOf(await client.query(Accounts, { first: 5, after }));
  for (const account of accounts?.nodes ?? []) console.log(`${account?.id}  ${account?.displayName}`);
  after = accounts?.pageInfo.hasNextPage ? accounts.pageInfo.endCursor : null;
} while (after !== null);

// With the same key the text is written once, and the credit spent once, however often this runs.
const input = { prompt, tone: 'warm', idempotencyKey };
const { generateAiText } = dataOf(await client.mutation(GenerateText, { input }));
const { aiGeneration, outcome, replayed, userErrors = [] } = generateAiText ?? {};
if (!aiGeneration) throw new AggregateError(userErrors);
console.log({ outcome, replayed });

// The last event is COMPLETE with the text, or EXPIRED; then the stream ends, and urql repeats that event with `hasNext`
// false.
await new Promise((resolve, reject) => {
  client.subscription(TextUpdated, { id: aiGeneration.id }).subscribe((result) => {
    try {
      const { aiGenerationUpdated } = dataOf(result);
      if (result.hasNext) console.log(aiGenerationUpdated);
      else resolve(undefined);
    } catch (error) {
      reject(error instanceof Error ? error : new Error('not an error', { cause: error }));
    }
  });
});
await socket.dispose();
