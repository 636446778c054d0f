import { expect, test } from 'vitest';
import { exchange, jsonOf, send, statusesIn } from '../support/http.ts';
import { LOCAL_QUERY, shareServer, startServer } from '../support/server.ts';
import { shareGraph } from '../support/graph.ts';

const server = shareServer({ GET_QUERIES: 'on' });
const graph = shareGraph({ environment: { GET_QUERIES: 'on' } });

const PREFLIGHT = { 'graphql-require-preflight': '1' };
const get = (parameters: Record<string, string>, headers: Record<string, string> = PREFLIGHT) =>
  send(`${server.endpoint}?${new URLSearchParams(parameters)}`, { headers });

test('a query by GET is switched off unless asked for', async () => {
  for (const environment of [{}, { GET_QUERIES: 'off' }]) {
    const { endpoint } = await startServer(environment);
    const reply = await send(`${endpoint}?query=${encodeURIComponent(LOCAL_QUERY)}`, { headers: PREFLIGHT });
    expect([reply.status, reply.headers['allow']]).toEqual([405, 'POST']);
    expect(jsonOf(reply).data).toBeUndefined();
    expect(jsonOf(reply).errors[0].message).toMatch(/preferGetMethod: false.*GET_QUERIES=on/);
  }
});

test.each(['graphql-require-preflight', 'apollo-require-preflight', 'x-apollo-operation-name'])(
  'a query by GET needs a header for which a browser asks leave, such as %s',
  async (name) => {
    for (const headers of [{ [name]: 'A' }, { [name]: 'A', accept: 'text/html, */*' }])
      expect(jsonOf(await get({ query: LOCAL_QUERY }, headers)).data.surfaces).toHaveLength(2);
    for (const headers of [{}, { [name]: '' }, { 'x-apollo-operation-id': '1' }]) {
      const reply = await get({ query: LOCAL_QUERY }, headers);
      expect(reply.status).toBe(403);
      expect(jsonOf(reply).errors[0]).toMatchObject({
        message: expect.stringContaining(name) as string,
        extensions: { code: 'BAD_USER_INPUT', requestId: reply.headers['x-request-id'] },
      });
    }
  },
);

test('a query by GET is answered like one by POST, with variables and operation name', async () => {
  const query = 'query A { __typename } query B($n: Int!) { accounts(first: $n) { nodes { loginId } } }';
  const parameters = new URLSearchParams({ query, operationName: 'B', variables: '{"n":1}' });
  const headers = { ...PREFLIGHT, ...graph.caller.both };
  const reply = await send(`${graph.url}/graphql?${parameters}`, { headers });
  expect([reply.status, reply.headers['cache-control']]).toEqual([200, 'no-store']);
  expect(jsonOf(reply).data).toEqual({ accounts: { nodes: [{ loginId: '410201' }] } });
  const head = await send(`${graph.url}/graphql?${parameters}`, { method: 'HEAD', headers });
  expect(head.text).toBe('');
});

test.each([
  { query: 'mutation { anything }' },
  { query: 'mutation { anything }', operationName: '' },
  { query: 'query A { surfaces { surface } } mutation B { anything }', operationName: 'B' },
])('a mutation is never executed by GET: %j', async (parameters) => {
  const reply = await get(parameters);
  expect([reply.status, reply.headers['allow']]).toEqual([405, 'POST']);
  expect(jsonOf(reply).data).toBeUndefined();
  expect(jsonOf(reply).errors[0].extensions).toMatchObject({
    code: 'BAD_USER_INPUT',
    requestId: reply.headers['x-request-id'],
  });
});

test.each([
  { query: LOCAL_QUERY, operationName: '' },
  { query: 'query A { surfaces { surface } } mutation B { __typename }', operationName: 'A' },
])('the query of %j is executed', async (parameters) => {
  expect(jsonOf(await get(parameters)).data.surfaces).toHaveLength(2);
});

test.each([
  ['application/json; charset=utf-8', 200],
  ['application/json; charset=utf-16', 415],
  ['text/plain', 415],
])('a query by GET with the content type %s is %i', async (type, status) => {
  expect((await get({ query: LOCAL_QUERY }, { ...PREFLIGHT, 'content-type': type })).status).toBe(status);
});

test.each([
  'query=%7Bx&variables={planted',
  'query=%7Bsurfaces%7Bsurface%7D%7D&variables={planted',
  'query=%7Bsurfaces%7Bsurface%7D%7D&variables=7',
  'query=%7Bsurfaces%7Bsurface%7D%7D&extensions=[planted',
  'query=%7Bsurfaces%7Bsurface%7D%7D&extensions=7',
  'query=',
  'variables={}',
  'query=%ff',
  '%',
  'query=%7Bx%7D&query=%7Bsurfaces%7Bsurface%7D%7D',
])('the query string %s is refused with 400, and not repeated', async (search) => {
  const headers = { ...PREFLIGHT, accept: 'application/graphql-response+json' };
  const reply = await send(`${server.endpoint}?${search}`, { headers });
  expect(reply.status).toBe(400);
  expect(jsonOf(reply).errors[0].extensions.requestId).toBe(reply.headers['x-request-id']);
  expect(reply.text + server.log.join('')).not.toMatch(/planted|unexpected/);
});

test('an endless address is refused', async () => {
  const line = `GET /graphql?query=${'x'.repeat(20_000)} HTTP/1.1`;
  const received = await exchange(server.url, `${line}\r\nhost: x\r\nconnection: close\r\n\r\n`);
  expect([414, 431]).toContain(statusesIn(received)[0]);
});
