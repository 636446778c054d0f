// @ts-check
// Where the graph is, and who is calling. Without any variables: the sandbox that `npm start` runs.

/** Address of the graph. */
export const url = process.env['GRAPHQL_URL'] ?? 'http://127.0.0.1:4000/graphql';

/** The same address over WebSocket. */
export const socketUrl = url.replace(/^http/, 'ws');

/** The API key of the service, as the graph wants it: with every request, or once for a whole WebSocket. */
export const headers = { 'x-api-key': process.env['SERVICE_API_KEY'] ?? 'demo-key-harbour' };
