// @ts-check
// Apollo Client without React: all accounts, page by page, in one list of its cache, then a live result in the same cache:
// `node examples/apollo.js`.
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client/core';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { relayStylePagination } from '@apollo/client/utilities';
import { OperationTypeNode } from 'graphql';
import { createClient } from 'graphql-ws';
import { filter, firstValueFrom } from 'rxjs';
import { WebSocket } from 'ws';
import { headers, socketUrl, url } from './endpoint.js';
import './failure.js';
import { graphql } from './graphql.js';

const socket = createClient({
  url: socketUrl,
  webSocketImpl: WebSocket,
  connectionParams: headers,
  shouldRetry: () => true,
});

const client = new ApolloClient({
  // Subscriptions go over the WebSocket, everything else over HTTP.
  link: ApolloLink.split(
    ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
    new GraphQLWsLink(socket),
    new HttpLink({ uri: url, headers }),
  ),
  cache: new InMemoryCache({
    typePolicies: {
      // Pages of one list grow together; lists with another filter or order are other lists.
      Query: { fields: { accounts: relayStylePagination(['surface', 'filter', 'orderBy']) } },
    },
  }),
});

const Accounts = graphql(`
  query Accounts($first: Int!, $after: String) {
    accounts(first: $first, after: $after) {
      edges {
        cursor
        node {
          id
          displayName
        }
      }
      pageInfo {
        hasNextPage
        hasPreviousPage
        startCursor
        endCursor
      }
    }
  }
`);

const GenerateText = graphql(`
  mutation GenerateText($input: GenerateAiTextInput!) {
    generateAiText(input: $input) {
      aiGeneration {
        id
        status
        text
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
      id
      status
      text
    }
  }
`);

const Text = graphql(`
  fragment Text on AiGeneration {
    status
    text
  }
`);

// The list as it is in the cache, however many pages of it have come.
const first = 5;
const inCache = () => client.readQuery({ query: Accounts, variables: { first } })?.accounts?.edges ?? [];

const list = client.watchQuery({ query: Accounts, variables: { first } });
const { data, error } = await firstValueFrom(list.pipe(filter(({ loading }) => !loading)));
if (error) throw error;
let page = data?.accounts?.pageInfo;
console.log(`The list in the cache has ${inCache().length} accounts.`);
while (page?.hasNextPage) {
  const more = await list.fetchMore({ variables: { after: page.endCursor ?? null } });
  page = more.data?.accounts?.pageInfo;
  console.log(`The list in the cache has ${inCache().length} accounts.`);
}
for (const { node } of inCache()) console.log(`${node?.id}  ${node?.displayName}`);

// A text that takes a while. It is one record of the cache: what the subscription brings is where the mutation put it, and
// whoever shows the record has the text by itself.
const [prompt = 'A line about rain, slowly'] = process.argv.slice(2);
const generated = await client.mutate({
  mutation: GenerateText,
  variables: { input: { prompt, tone: 'warm' } },
});
const { aiGeneration, userErrors = [] } = generated.data?.generateAiText ?? {};
if (!aiGeneration) throw new AggregateError(userErrors);
console.log(client.readFragment({ fragment: Text, from: aiGeneration }));
// The stream ends by itself after the text.
await client.subscribe({ query: TextUpdated, variables: { id: aiGeneration.id } }).forEach((event) => {
  if (event.error) throw event.error;
});
console.log(client.readFragment({ fragment: Text, from: aiGeneration }));

client.stop();
await socket.dispose();
