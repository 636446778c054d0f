// Mercurius on Fastify, with its compiled queries: the quickest GraphQL server in JavaScript that is in wide use.
import fastify from 'fastify';
import mercurius from 'mercurius';
import { contextOf, resolvers, typeDefs } from '../graph.mjs';

const app = fastify();
await app.register(mercurius, { schema: typeDefs, resolvers, jit: 1, context: contextOf });
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
