import { expect, test } from 'vitest';
import { eachCase } from '../support/each-case.ts';
import { startGraph } from '../support/graph.ts';
import { jsonOf, postJson, send } from '../support/raw-http.ts';
import { LOCAL_QUERY, shareServer } from '../support/server.ts';

const server = shareServer();

const JSON_TYPE = { 'content-type': 'application/json' };
const NODE = 'query ($id: ID!) { node(id: $id) { id } }';

/** Requests that fail before anything is executed. */
const REQUEST_ERRORS: readonly object[] = [
  {},
  { query: null },
  { query: '' },
  { query: 7 },
  { query: {} },
  { query: [] },
  { query: LOCAL_QUERY, variables: [] },
  { query: LOCAL_QUERY, variables: 'x' },
  { query: LOCAL_QUERY, operationName: 7 },
  { query: LOCAL_QUERY, operationName: 'Missing' },
  { query: LOCAL_QUERY, extensions: 'x' },
  { query: 'query A { surfaces { surface } } query B { surfaces { surface } }' },
  { query: '{' },
  { query: '{ nothing }' },
  { query: NODE },
  { query: NODE, variables: { id: null } },
  { query: NODE, variables: { id: {} } },
  { query: 'fragment F on Query { surfaces { surface } }' },
];

test('a request that cannot be executed is refused with a code and the request’s id', () =>
  eachCase(REQUEST_ERRORS, async (body) => {
    const { endpoint, log } = server;
    const reply = await postJson(endpoint, body);
    const { data, errors } = jsonOf(reply);
    expect(data).toBeUndefined();
    expect(errors.length).toBeGreaterThan(0);
    for (const { extensions } of errors) {
      expect(['BAD_USER_INPUT', 'GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED']).toContain(
        extensions.code,
      );
      expect(extensions.requestId).toBe(reply.headers['x-request-id']);
    }
    expect(log.join('')).not.toContain('unexpected');
  }));

test('a request that cannot be executed is HTTP 400 for application/graphql-response+json', () =>
  eachCase(REQUEST_ERRORS, async (body) => {
    const { endpoint } = server;
    const reply = await postJson(endpoint, body, { accept: 'application/graphql-response+json' });
    expect(reply.status).toBe(400);
    expect(reply.headers['content-type']).toBe('application/graphql-response+json; charset=utf-8');
  }));

test('an error while executing is HTTP 200, whatever the answer is called', async () => {
  const { endpoint } = server;
  for (const accept of ['application/json', 'application/graphql-response+json', '*/*']) {
    const reply = await postJson(endpoint, { query: '{ accounts { totalCount } }' }, { accept });
    expect(reply.status).toBe(200);
    expect(jsonOf(reply)).toMatchObject({ data: { accounts: null }, errors: [{ path: ['accounts'] }] });
  }
});

test('a caller that accepts no JSON gets 406, and the service is not called', () =>
  eachCase(['image/png', 'text/html', 'application/xml'], async (accept) => {
    const graph = await startGraph();
    const headers = { ...graph.caller.both, accept };
    const reply = await postJson(`${graph.url}/graphql`, { query: '{ accounts { totalCount } }' }, headers);
    expect(reply.status).toBe(406);
    expect(graph.sandbox.requests.count()).toBe(0);
    expect(jsonOf(reply).errors[0].extensions).toEqual({
      code: 'BAD_USER_INPUT',
      retryable: false,
      requestId: reply.headers['x-request-id'],
    });
  }));

test('answers stand in the order of the query', async () => {
  const graph = await startGraph();
  graph.sandbox.faults.add({ kind: 'delay', ms: 60, endpoint: 'GET /accounts/list' });
  const { data } = await graph.query(
    `{ b: accounts(surface: CURRENT) { totalCount } a: accounts(surface: LEGACY) { totalCount } surfaces { surface } c: accountGroups { totalCount } }`,
  );
  expect(Object.keys(data)).toEqual(['b', 'a', 'surfaces', 'c']);
});

test('null for variables, operation name and extensions counts as nothing', async () => {
  const { endpoint } = server;
  const body = { query: LOCAL_QUERY, variables: null, operationName: null, extensions: null };
  expect((await postJson(endpoint, body)).status).toBe(200);
});

test('names that change prototypes do nothing in variables', async () => {
  const { endpoint } = server;
  const body = `{"query":"query ($id: ID!) { node(id: $id) { id } }","variables":{"__proto__":{"id":"x"},"constructor":{"id":"x"}}}`;
  const reply = await send(endpoint, { method: 'POST', headers: JSON_TYPE, body });
  expect(jsonOf(reply).errors[0].extensions.code).toBe('BAD_USER_INPUT');
  expect(Object.keys(Object.prototype)).toEqual([]);
});
