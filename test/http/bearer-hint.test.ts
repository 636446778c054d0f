import { expect, test } from 'vitest';
import { jsonOf, postJson, send } from '../support/raw-http.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { openTransport } from '../support/transports.ts';
import { connectSocket } from '../support/web-sockets.ts';
import { documentOf, EXAMPLES } from '../support/writes.ts';

// Somebody who sends `authorization: TOKEN` is told that `Bearer` is missing, whichever way the token came.

const graph = shareGraph({ environment: { GET_QUERIES: 'on' } });

const TOKEN = { authorization: 'demo-token-harbour' };
const HINT = 'header was ignored because its value does not begin with "Bearer "';

/** No surface is named, so that the hint comes with the surface that is asked first. */
const QUERY = '{ accounts { totalCount } }';
const SUBSCRIPTION = 'subscription { aiGenerationFinished { id } }';

const post = async (headers: object): Promise<unknown> =>
  jsonOf(await postJson(`${graph.url}/graphql`, { query: QUERY }, { ...headers }));

test('by POST, on the short path and on the other', async () => {
  expect(JSON.stringify(await post(TOKEN))).toContain(JSON.stringify(HINT).slice(1, -1));
  const stream = openTransport('server-sent events', graph.url, TOKEN);
  expect((await stream({ query: QUERY })).errors[0]?.message).toContain(HINT);
  expect((await stream({ query: SUBSCRIPTION })).errors[0]?.message).toContain(HINT);
});

test('by GET', async () => {
  const reply = await send(`${graph.url}/graphql?query=${encodeURIComponent(QUERY)}`, {
    headers: { ...TOKEN, 'graphql-require-preflight': '1' },
  });
  expect(jsonOf(reply).errors[0].message).toContain(HINT);
});

test.each([
  ['the parameters of the connection', { connectionParams: TOKEN }],
  ['the headers of the upgrade', { headers: TOKEN }],
])('over a WebSocket, in %s', async (_place, options) => {
  const socket = connectSocket(graph.url, options);
  for (const query of [QUERY, SUBSCRIPTION]) {
    const { errors } = await socket.run({ query });
    expect(errors?.[0]?.message).toContain(HINT);
  }
});

test('over a WebSocket, in the headers of one operation', async () => {
  const socket = connectSocket(graph.url);
  const { errors } = await socket.run({ query: QUERY, extensions: { headers: TOKEN } });
  expect(errors?.[0]?.message).toContain(HINT);
});

test('with a mutation of the current surface', async () => {
  const variables = { input: EXAMPLES.createPost };
  const reply = await postJson(`${graph.url}/graphql`, { query: documentOf('createPost'), variables }, TOKEN);
  expect(jsonOf(reply).data.createPost.userErrors[0].message).toContain(HINT);
});

test('nowhere else: without a token, with one that is read, and beside a key', async () => {
  for (const headers of [{}, { authorization: '' }, graph.caller.token, { ...graph.caller.key, ...TOKEN }])
    expect(JSON.stringify(await post(headers))).not.toContain('is ignored');
});
