import { expect, test } from 'vitest';
import { eachCase } from '../support/each-case.ts';
import { startGraph } from '../support/graph.ts';
import { exchange, jsonOf, send, statusesIn } from '../support/raw-http.ts';
import { LOCAL_QUERY, shareServer, startServer } from '../support/server.ts';

const server = shareServer({ GET_QUERIES: 'on' });

const PREFLIGHT = { 'graphql-require-preflight': '1' };
const address = (endpoint: string, parameters: Record<string, string>): string =>
  `${endpoint}?${new URLSearchParams(parameters)}`;

test('a query by GET is switched off unless asked for', async () => {
  for (const environment of [{}, { GET_QUERIES: 'off' }]) {
    const { endpoint } = await startServer(environment);
    const reply = await send(address(endpoint, { query: LOCAL_QUERY }), { headers: PREFLIGHT });
    expect(reply.status).toBe(405);
    expect(reply.headers['allow']).toBe('POST');
    expect(jsonOf(reply).data).toBeUndefined();
    expect(jsonOf(reply).errors[0].message).toMatch(/preferGetMethod: false.*GET_QUERIES=on/);
  }
});

test('a query by GET needs the header that a browser asks leave for', async () => {
  const { endpoint } = server;
  const reply = await send(address(endpoint, { query: LOCAL_QUERY }));
  expect(reply.status).toBe(403);
  expect(jsonOf(reply).errors[0]).toMatchObject({
    message: expect.stringContaining('graphql-require-preflight') as string,
    extensions: { code: 'BAD_USER_INPUT', requestId: reply.headers['x-request-id'] },
  });
});

test('headers of Apollo’s clients count like our own, unless they are empty', async () => {
  const { endpoint } = server;
  const url = address(endpoint, { query: LOCAL_QUERY });
  await eachCase(
    ['graphql-require-preflight', 'apollo-require-preflight', 'x-apollo-operation-name'],
    async (name) => {
      expect((await send(url, { headers: { [name]: 'A' } })).status).toBe(200);
      // Also where a page could be meant.
      const asPage = await send(url, { headers: { [name]: 'A', accept: 'text/html, */*' } });
      expect(jsonOf(asPage).data.surfaces).toHaveLength(2);
      expect((await send(url, { headers: { [name]: '' } })).status).toBe(403);
    },
  );
  expect((await send(url, { headers: { 'x-apollo-operation-id': '1' } })).status).toBe(403);
});

test('a query by GET is answered like one by POST, with variables and operation name', async () => {
  const graph = await startGraph({ environment: { GET_QUERIES: 'on' } });
  const reply = await send(
    address(`${graph.url}/graphql`, {
      query:
        'query A { surfaces { surface } } query B($n: Int!) { accounts(first: $n) { nodes { loginId } } }',
      operationName: 'B',
      variables: '{"n":1}',
    }),
    { headers: { ...PREFLIGHT, ...graph.caller.both } },
  );
  expect(reply.status).toBe(200);
  expect(reply.headers['cache-control']).toBe('no-store');
  expect(jsonOf(reply).data).toEqual({ accounts: { nodes: [{ loginId: '410201' }] } });
});

test('HEAD is answered like GET, without a body', async () => {
  const { endpoint } = server;
  const reply = await send(address(endpoint, { query: LOCAL_QUERY }), { method: 'HEAD', headers: PREFLIGHT });
  expect(reply.text).toBe('');
  expect([200, 405]).toContain(reply.status);
});

test('a mutation is never executed over GET', () =>
  eachCase(
    [
      ['mutation { anything }', undefined],
      ['query A { surfaces { surface } } mutation B { anything }', 'B'],
    ],
    async ([query, operationName]) => {
      const { endpoint } = server;
      const parameters = { query, ...(operationName === undefined ? {} : { operationName }) };
      const reply = await send(address(endpoint, parameters), { headers: PREFLIGHT });
      expect(reply.status).toBe(405);
      expect(reply.headers['allow']).toBe('POST');
      expect(jsonOf(reply).data).toBeUndefined();
      expect(jsonOf(reply).errors[0].extensions).toMatchObject({
        code: 'BAD_USER_INPUT',
        requestId: reply.headers['x-request-id'],
      });
    },
  ));

test('the query beside a mutation is executed when it is the one that is named', async () => {
  const { endpoint } = server;
  const query = 'query A { surfaces { surface } } mutation B { __typename }';
  const reply = await send(address(endpoint, { query, operationName: 'A' }), { headers: PREFLIGHT });
  expect(jsonOf(reply).data?.surfaces).toHaveLength(2);
});

test('a malformed query string is refused with 400', () =>
  eachCase(
    [
      'query=%7Bx&variables={bad',
      'query=%7Bsurfaces%7Bsurface%7D%7D&variables={bad',
      'query=%7Bsurfaces%7Bsurface%7D%7D&variables=7',
      'query=%7Bsurfaces%7Bsurface%7D%7D&extensions=[',
      'query=%7Bsurfaces%7Bsurface%7D%7D&extensions=7',
      'query=',
      'variables={}',
      'query=%ff',
      '%',
    ],
    async (search) => {
      const { endpoint, log } = server;
      const headers = { ...PREFLIGHT, accept: 'application/graphql-response+json' };
      const reply = await send(`${endpoint}?${search}`, { headers });
      expect(reply.status).toBe(400);
      expect(jsonOf(reply).errors[0].extensions.requestId).toBe(reply.headers['x-request-id']);
      expect(log.join('')).not.toContain('unexpected');
    },
  ));

test('variables that are no JSON are repeated neither to the caller nor in the log', async () => {
  const { endpoint, log } = server;
  for (const name of ['variables', 'extensions']) {
    const reply = await send(address(endpoint, { query: LOCAL_QUERY, [name]: '{planted' }), {
      headers: PREFLIGHT,
    });
    expect(reply.text + log.join('')).not.toContain('planted');
  }
});

test('a repeated parameter and an endless address never end in an error of ours', async () => {
  const { endpoint } = server;
  const twice = await send(`${endpoint}?query=%7Bx%7D&query=${encodeURIComponent(LOCAL_QUERY)}`, {
    headers: PREFLIGHT,
  });
  expect(twice.status).toBeLessThan(500);
  const received = await exchange(
    endpoint,
    `GET /graphql?query=${'x'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
  );
  expect([414, 431]).toContain(statusesIn(received)[0]);
});
