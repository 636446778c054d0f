import { expect, test } from 'vitest';
import { exchange, postJson, send } from '../support/http.ts';
import { shareGraph } from '../support/graph.ts';
import { connectSocket } from '../support/web-sockets.ts';

const graph = shareGraph({ environment: { GET_QUERIES: 'on' } });

const PLANTED = 'planted\r\n{"level":60}\u001b[31m';

test('nothing that a caller writes reaches the log', async () => {
  const endpoint = `${graph.url}/graphql`;
  const headers = {
    ...graph.caller.both,
    'user-agent': 'planted',
    referer: 'https://planted.example',
    'x-planted': 'planted',
  };
  const bodies: object[] = [
    {
      query: `{ accounts(filter: { displayName: ${JSON.stringify(PLANTED)} }) { totalCount } }`,
      operationName: 'planted',
    },
    { query: 'query ($id: ID!) { node(id: $id) { id } }', variables: { id: PLANTED, planted: PLANTED } },
    { query: `{ planted } # ${PLANTED}` },
    { query: `{ accounts(surface: ${PLANTED}) }` },
    { planted: PLANTED },
    { query: '{ accounts { nodes { settingId } } }', extensions: { planted: PLANTED } },
  ];
  for (const body of bodies) await postJson(endpoint, body, headers);
  await postJson(`${endpoint}?planted=planted`, { query: '{ surfaces { surface } }' }, headers);
  await send(`${graph.url}/planted?planted#planted`, { headers });
  await send(`${endpoint}?query=planted&variables={planted`, {
    headers: { ...headers, 'graphql-require-preflight': 'planted' },
  });
  await exchange(graph.url, 'PLANTED /planted HTTP/1.1\r\nhost: planted\r\nplanted\r\n\r\n');
  await connectSocket(graph.url, { headers, connectionParams: { planted: PLANTED, 'x-api-key': PLANTED } })
    .run({ query: '{ planted }', extensions: { planted: PLANTED } })
    .catch(() => undefined);
  expect(graph.log.length).toBeGreaterThan(5);
  expect(graph.log.filter((line) => /planted/i.test(line))).toEqual([]);
});

test('a call to the service is logged by its name, status and time, and by nothing that was asked or answered', async () => {
  await graph.query(
    '{ accounts(first: 1, filter: { displayName: "kelpgate" }) { nodes { displayName settingId } } }',
  );
  const calls = graph.log
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ endpoint }) => endpoint);
  expect(calls.map(({ endpoint, surface, status }) => [endpoint, surface, status])).toEqual([
    ['GET /accounts/list', 'current', 200],
    ['GET /accounts/view/{loginId}', 'current', 200],
  ]);
  const keys = 'durationMs endpoint failure level msg requestId status surface time'.split(' ');
  for (const call of calls) {
    expect(call['durationMs']).toBeTypeOf('number');
    expect(Object.keys(call).toSorted()).toEqual(keys);
  }
  for (const line of graph.log)
    expect(JSON.parse(line)).toMatchObject({ level: expect.stringMatching(/^(?:debug|info)$/) as string });
});

test('a request’s id is the server’s own, whatever the caller calls it', async () => {
  const headers = { 'x-request-id': 'planted', 'x-correlation-id': 'planted', ...graph.caller.both };
  const reply = await postJson(`${graph.url}/graphql`, { query: '{ node(id: "x") { id } }' }, headers);
  expect(reply.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
  expect(reply.text + graph.log.join('')).not.toContain('planted');
});

test('no header of the service reaches the caller', async () => {
  const headers = {
    'set-cookie': 'planted=1',
    'x-planted': '1',
    'www-authenticate': 'planted',
    location: '/planted',
    'cache-control': 'public',
  };
  for (const status of [200, 401, 500]) {
    graph.sandbox.faults.add({ kind: 'status', status, headers, body: [], endpoint: 'GET /oauth/accounts' });
    const reply = await postJson(
      `${graph.url}/graphql`,
      { query: '{ accounts(surface: LEGACY) { totalCount } }' },
      graph.caller.token,
    );
    expect(JSON.stringify(reply.headers)).not.toContain('planted');
    expect(reply.headers['cache-control']).toBe('no-store');
  }
});
