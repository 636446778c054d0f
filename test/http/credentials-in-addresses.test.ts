import { expect, test } from 'vitest';
import { eachCase } from '../support/each-case.ts';
import { exchange, jsonOf, postJson, send, statusesIn } from '../support/raw-http.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { upgradeRequest } from '../support/raw-web-socket.ts';

const graph = shareGraph({ environment: { GET_QUERIES: 'on' } });

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

test('a credential in the address is refused, and logged nowhere', () =>
  eachCase(NAMES, async (name) => {
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
  }));

test('a WebSocket with a credential in its address is refused at the upgrade', () =>
  eachCase(NAMES, async (name) => {
    const request = upgradeRequest(graph.url).replace('/graphql', `/graphql?${name}=${SECRET}`);
    expect(statusesIn(await exchange(graph.url, request))).toEqual([400]);
    expect(graph.log.join('')).not.toContain(SECRET);
  }));

test('other names in the address are no credentials', async () => {
  const names = ['operationName', 'keyword', 'monkey', 'tokens', 'page', 'author', 'tokenizer'];
  for (const name of names) {
    const reply = await postJson(`${graph.url}/graphql?${name}=x`, QUERY, graph.caller.both);
    expect([name, reply.status]).toEqual([name, 200]);
  }
});
