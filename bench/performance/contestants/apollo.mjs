// Apollo Server as it comes: the GraphQL server that most people know.
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { contextOf, resolvers, typeDefs } from '../graph.mjs';

const server = new ApolloServer({ typeDefs, resolvers });
await startStandaloneServer(server, {
  listen: { host: '127.0.0.1', port: Number(process.env.PORT) },
  context: async ({ req }) => contextOf(req),
});
