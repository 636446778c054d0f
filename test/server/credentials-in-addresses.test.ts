import { expect, test } from 'vitest';
import { startGraph } from '../support/graph.ts';
import { exchange, jsonOf, postJson, send, statusesIn } from '../support/raw-http.ts';
import { upgradeRequest } from '../support/raw-web-socket.ts';

const SECRET = 'planted-credential';
const NAMES = [
  'api_key',
  'apikey',
  'x-api-key',
  'access_token',
  'accessToken',
  'authorization',
  'X-Client-Token',
  'token',
  'key',
  'auth_token',
  'client_secret',
  'password',
  '%61pi_key',
];
const QUERY = { query: '{ accounts(first: 1) { nodes { id } } }' };

test.each(NAMES)('the credential %s in the address is refused, and logged nowhere', async (name) => {
  const graph = await startGraph({ environment: { GET_QUERIES: 'on' } });
  const address = `${graph.url}/graphql?${name}=${SECRET}`;
  const get = await send(`${address}&query=${encodeURIComponent(QUERY.query)}`, {
    headers: { 'graphql-require-preflight': '1', ...graph.caller.both },
  });
  for (const reply of [await postJson(address, QUERY, graph.caller.both), get]) {
    expect(reply.status).toBe(400);
    expect(jsonOf(reply).errors[0].message).toContain('headers');
    expect(reply.text).not.toContain(SECRET);
  }
  expect(graph.sandbox.requests.count()).toBe(0);
  expect(graph.log.join('')).not.toContain(SECRET);
});

test.each(NAMES)('a socket with %s in its address is refused at the upgrade', async (name) => {
  const graph = await startGraph();
  const request = upgradeRequest(graph.url).replace('/graphql', `/graphql?${name}=${SECRET}`);
  expect(statusesIn(await exchange(graph.url, request))).toEqual([400]);
  expect(graph.log.join('')).not.toContain(SECRET);
});

test('other names in the address are no credentials', async () => {
  const graph = await startGraph();
  const names = ['operationName', 'keyword', 'monkey', 'tokens', 'page', 'author', 'tokenizer'];
  for (const name of names) {
    const reply = await postJson(`${graph.url}/graphql?${name}=x`, QUERY, graph.caller.both);
    expect([name, reply.status]).toEqual([name, 200]);
  }
});
