// @ts-check
// Has a text written, and waits for it over WebSocket: `node examples/live.js "A line about rain, slowly"`. (The sandbox
// takes its time when it is asked for something "slowly".)
import { randomUUID } from 'node:crypto';
import { print } from 'graphql';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { headers, socketUrl } from './endpoint.js';
import './failure.js';
import { graphql } from './graphql.js';

const [prompt = 'A line about rain, slowly', idempotencyKey = randomUUID()] = process.argv.slice(2);

// When the connection is lost, the client makes another one and sends again what has not ended. Both are safe here: the
// mutation has a key, and the subscription begins with the present state. Unless told to, the client does not try again
// when there is no connection to be had, such as while the server restarts.
const client = createClient({
  url: socketUrl,
  webSocketImpl: WebSocket,
  connectionParams: headers,
  retryAttempts: 5,
  shouldRetry: () => true,
});

const GenerateText = graphql(`
  mutation GenerateText($input: GenerateAiTextInput!) {
    generateAiText(input: $input) {
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
 * What a document answers: one result of a mutation, each event of a subscription.
 *
 * @template Result
 * @template {Record<string, unknown>} Variables
 * @param {import('gql.tada').TadaDocumentNode<Result, Variables>} document
 * @param {Variables} variables
 * @returns {AsyncGenerator<Result, void>}
 */
async function* resultsOf(document, variables) {
  for await (const { data, errors } of client.iterate({ query: print(document), variables })) {
    if (errors) throw new AggregateError(errors);
    yield /** @type {Result} */ (data);
  }
}

const input = { prompt, tone: 'warm', idempotencyKey };
for await (const { generateAiText } of resultsOf(GenerateText, { input })) {
  const { aiGeneration, userErrors } = generateAiText ?? {};
  if (!aiGeneration) throw new AggregateError(userErrors ?? []);
  // The last event is COMPLETE with the text, or EXPIRED; then the loop ends by itself.
  for await (const { aiGenerationUpdated } of resultsOf(TextUpdated, { id: aiGeneration.id })) {
    console.log(aiGenerationUpdated);
  }
}
await client.dispose();
