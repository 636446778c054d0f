import { once } from 'node:events';
import { getIntrospectionQuery } from 'graphql';
import { describe, expect, test } from 'vitest';
import { ASSISTED, ownTools } from '../support/assistants.ts';
import {
  exchange,
  jsonOf,
  openConnection,
  postJson,
  send,
  statusesIn,
  type HttpCall,
} from '../support/http.ts';
import { LOCAL_QUERY, shareServer, startServer } from '../support/server.ts';
import { upgradeRequest } from '../support/web-sockets.ts';

const server = shareServer({ CURRENT_API_URL: 'https://api.example.com/inner' });
const closed = shareServer({ GRAPHIQL: 'off', INTROSPECTION: 'off', METRICS: 'off' });
const page = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test('/health says that the process lives, /ready which surfaces it has, and neither where they are', async () => {
  const surfaces = { current: 'configured', legacy: 'not configured' };
  const ready = { status: 'ready', surfaces, redis: 'not configured' };
  const answers = { '/health': { status: 'ok' }, '/ready': ready };
  for (const [path, answer] of Object.entries(answers)) {
    const reply = await send(server.url + path);
    expect([reply.status, jsonOf(reply)]).toEqual([200, answer]);
    expect(reply.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(reply.text + JSON.stringify(reply.headers)).not.toMatch(/example|inner/);
  }
});

const UNKNOWN = '/nothing /graphql// /GraphQL //graphql /.env /health/x /graphql%2f /% /..%2fgraphql';

test.each(UNKNOWN.split(' '))('%s is 404 with a code, without repeating the address', async (path) => {
  const reply = await send(`${server.url}${path}?planted=1`);
  expect(reply.status).toBe(404);
  expect(jsonOf(reply).errors[0].extensions).toMatchObject({ requestId: reply.headers['x-request-id'] });
  expect(reply.text + server.log.join('')).not.toContain('planted');
});

test.each(['//', '///health', '//127.0.0.1:9/x', 'http://127.0.0.1:9/x', 'http://[', '//[', '/\\', '*'])(
  'the target %s, which no client sends, is no fault of ours',
  async (target) => {
    const head = `GET ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`;
    expect([400, 404]).toContain(statusesIn(await exchange(server.url, head))[0]);
  },
);

describe('one slash at the end of a path makes no difference', async () => {
  const settings = { GET_QUERIES: 'on', METRICS: 'on', GRAPHIQL: 'on', ...ASSISTED } as const;
  const full = shareServer(settings, { mcp: await ownTools() });
  const headers = { 'content-type': 'application/json', accept: '*/*' };
  const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  test.each<[string, HttpCall]>([
    ['/graphql', { method: 'POST', headers, body: JSON.stringify({ query: LOCAL_QUERY }) }],
    ['/graphql', { method: 'OPTIONS', headers: { origin: 'https://a.example' } }],
    ['/graphql', { headers: page }],
    ['/graphql?query=%7B__typename%7D', { headers: { 'graphql-require-preflight': '1' } }],
    ['/mcp', { method: 'POST', headers, body: list }],
    ['/health', {}],
    ['/ready', {}],
    ['/metrics', {}],
  ])('%s %j', async (path, call) => {
    const plain = await send(full.url + path, call);
    const slashed = await send(full.url + path.replace(/(?=\?|$)/, '/'), call);
    expect(plain.status).not.toBe(404);
    const type = 'content-type';
    expect([slashed.status, slashed.headers[type]]).toEqual([plain.status, plain.headers[type]]);
  });

  test('a WebSocket', async () => {
    const upgrade = upgradeRequest(full.url).replace('/graphql', '/graphql/');
    const socket = openConnection(full.url);
    socket.write(upgrade);
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 101 /);
  });
});

test('an unknown address says where the endpoint is; / leads to GraphiQL where it is served', async () => {
  for (const [{ url }, root] of [
    [server, [302, '/graphql']],
    [closed, [404, undefined]],
  ] as const) {
    const reply = await send(`${url}/nothing?planted=1`, { headers: page });
    expect(reply.status).toBe(404);
    expect(jsonOf(reply).errors[0].message).toBe('Not found; the GraphQL endpoint is /graphql.');
    expect(reply.text).not.toContain('planted');
    const { status, headers } = await send(url);
    expect([status, headers['location']]).toEqual(root);
  }
});

test.each([
  [{ HOST: '127.0.0.1' }, true],
  [{ HOST: '0.0.0.0' }, false],
  [{ HOST: '0.0.0.0', GRAPHIQL: 'auto', INTROSPECTION: 'auto', METRICS: 'auto' }, false],
  [{ HOST: '0.0.0.0', GRAPHIQL: 'on', INTROSPECTION: 'on', METRICS: 'on' }, true],
  [{ GRAPHIQL: 'off', INTROSPECTION: 'off', METRICS: 'off' }, false],
])('with %j, GraphiQL, the schema and /metrics are served: %s', async (environment, isServed) => {
  const started = await startServer(environment);
  const endpoint = started.endpoint.replace('0.0.0.0', '127.0.0.1');
  const visit = await send(endpoint, { headers: page });
  expect([visit.status, visit.text.startsWith('<!doctype html>')]).toEqual([isServed ? 200 : 405, isServed]);
  const byProgram = await send(endpoint, { headers: { accept: '*/*' } });
  expect([byProgram.status, jsonOf(byProgram).errors.length]).toEqual([405, 1]);
  const { data } = jsonOf(await postJson(endpoint, { query: getIntrospectionQuery() }));
  expect(data !== undefined).toBe(isServed);
  const metrics = await send(endpoint.replace('/graphql', '/metrics'));
  expect(metrics.status).toBe(isServed ? 200 : 404);
  expect(metrics.text.includes('process_resident_memory_bytes')).toBe(isServed);
});

test('where introspection is off, __typename still answers', async () => {
  const reply = await postJson(closed.endpoint, { query: '{ __typename surfaces { __typename } }' });
  const surface = { __typename: 'SurfaceStatus' };
  expect(jsonOf(reply).data).toEqual({ __typename: 'Query', surfaces: [surface, surface] });
});
