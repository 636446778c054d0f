import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { ASSISTED, ownTools } from '../support/assistants.ts';
import { eachCase } from '../support/each-case.ts';
import { exchange, jsonOf, postJson, send, statusesIn, type HttpCall } from '../support/raw-http.ts';
import { LOCAL_QUERY, shareServer, startServer } from '../support/server.ts';

const server = shareServer();

test('/health says that the process lives, /ready which surfaces it has', async () => {
  const { url } = await startServer({ CURRENT_API_URL: 'https://api.example.com' });
  const health = await send(`${url}/health`);
  expect([health.status, jsonOf(health)]).toEqual([200, { status: 'ok' }]);
  const ready = await send(`${url}/ready`);
  expect([ready.status, jsonOf(ready)]).toEqual([
    200,
    {
      status: 'ready',
      surfaces: { current: 'configured', legacy: 'not configured' },
      redis: 'not configured',
    },
  ]);
  for (const { headers } of [health, ready]) {
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers['cache-control']).toBe('no-store');
  }
});

test('/health and /ready tell nothing of where the service is', async () => {
  const { url } = await startServer({ CURRENT_API_URL: 'https://api.example.com/inner' });
  for (const path of ['/health', '/ready']) {
    const { text, headers } = await send(url + path);
    expect(text + JSON.stringify(headers)).not.toMatch(/example|inner/);
  }
});

test.each([
  '/nothing',
  '/graphql//',
  '/GraphQL',
  '/graphql/x',
  '//graphql',
  '/.env',
  '/health/x',
  '/graphql%2f',
  '/%',
  '/..%2fgraphql',
])('%s is 404 with a code, without repeating the address', async (path) => {
  const { url, log } = server;
  const reply = await send(`${url}${path}?planted=1`);
  expect(reply.status).toBe(404);
  expect(jsonOf(reply).errors[0].extensions).toMatchObject({ requestId: reply.headers['x-request-id'] });
  expect(reply.text + log.join('')).not.toContain('planted');
});

describe('one slash at the end of a path makes no difference', async () => {
  const settings = { GET_QUERIES: 'on', METRICS: 'on', GRAPHIQL: 'on', ...ASSISTED } as const;
  const full = shareServer(settings, { mcp: await ownTools() });
  const page = { accept: 'text/html' };
  const json = { 'content-type': 'application/json', accept: '*/*' };
  const query = `?query=${encodeURIComponent(LOCAL_QUERY)}`;
  const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  test.each<[string, HttpCall]>([
    ['/graphql', { method: 'POST', headers: json, body: JSON.stringify({ query: LOCAL_QUERY }) }],
    [
      '/graphql',
      { method: 'POST', headers: { ...json, accept: 'text/event-stream' }, body: '{"query":"{ a }"}' },
    ],
    ['/graphql', { method: 'OPTIONS', headers: { origin: 'https://a.example' } }],
    ['/graphql', { headers: page }],
    [`/graphql${query}`, { headers: { 'graphql-require-preflight': '1' } }],
    ['/mcp', { method: 'POST', headers: json, body: list }],
    ['/health', {}],
    ['/ready', {}],
    ['/metrics', {}],
  ])('%s %j', async (path, call) => {
    const plain = await send(full.url + path, call);
    const slashed = await send(full.url + path.replace(/(?=\?|$)/, '/'), call);
    expect(plain.status).not.toBe(404);
    expect([slashed.status, slashed.headers['content-type']]).toEqual([
      plain.status,
      plain.headers['content-type'],
    ]);
  });

  test('a WebSocket', async () => {
    const socket = new WebSocket(`${full.url.replace('http', 'ws')}/graphql/`, 'graphql-transport-ws');
    await once(socket, 'open');
    socket.close();
    await once(socket, 'close');
  });
});

test('an unknown address is a page for people, and JSON for programs', async () => {
  const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  for (const [GRAPHIQL, shown] of [
    ['on', 'Open GraphiQL'],
    ['off', '<code>GRAPHIQL=on</code>'],
  ] as const) {
    const { url } = await startServer({ GRAPHIQL });
    const page = await send(`${url}/nothing?planted=1`, { headers });
    expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.text).toContain('Page not found');
    expect(page.text).toContain(shown);
    expect(page.text).not.toContain('planted');
    const json = await send(`${url}/nothing`, { headers: { accept: 'application/json' } });
    expect(jsonOf(json).errors[0].message).toContain('Not found');
  }
});

test('/ leads to GraphiQL where there is one, and is 404 where there is none', async () => {
  const withPage = await startServer({ GRAPHIQL: 'on' });
  const reply = await send(withPage.url);
  expect([reply.status, reply.headers['location']]).toEqual([302, '/graphql']);
  const without = await startServer({ GRAPHIQL: 'off' });
  expect((await send(without.url)).status).toBe(404);
});

/** Sends a request with as many headers as asked for. */
async function statusWithHeaders(
  url: string,
  headers: readonly (readonly [string, string])[],
): Promise<number> {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const body = JSON.stringify({ query: LOCAL_QUERY });
  const received = await exchange(
    url,
    `POST /graphql HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n${lines}\r\n${body}`,
  );
  return statusesIn(received)[0] ?? 0;
}

const many = (count: number): [string, string][] =>
  Array.from({ length: count }, (_, index) => [`x-header-${index}`, 'x']);

test('a request with as many headers as allowed is answered', async () => {
  const { url } = server;
  expect(await statusWithHeaders(url, many(90))).toBe(200);
});

test('a request with a header beyond 16 KiB is 431', async () => {
  const { url } = server;
  expect(await statusWithHeaders(url, [['x-long', 'x'.repeat(20 * 1024)]])).toBe(431);
});

test.each([101, 3_000])(
  'a request with %d headers is 431, not one with some of them dropped',
  async (count) => {
    const { url } = server;
    expect(await statusWithHeaders(url, many(count))).toBe(431);
  },
);

/** Requests that are no HTTP, or not of one meaning. */
const BROKEN: readonly (readonly [name: string, text: string])[] = [
  [
    'length and chunks',
    'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  [
    'two lengths',
    'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nabcdef',
  ],
  ['a negative length', 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n'],
  ['a length that is no number', 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: 0x10\r\n\r\n'],
  [
    'a chunk size that is no number',
    'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n-5\r\nabcde\r\n',
  ],
  [
    'a chunk beyond all measure',
    'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\nabc',
  ],
  ['a folded header', 'GET /health HTTP/1.1\r\nhost: x\r\nx-a: 1\r\n folded\r\n\r\n'],
  ['no host', 'GET /health HTTP/1.1\r\n\r\n'],
  ['a NUL in a header', 'GET /health HTTP/1.1\r\nhost: x\r\nx-a: a\u0000b\r\n\r\n'],
  ['a blank before a colon', 'GET /health HTTP/1.1\r\nhost: x\r\nx-a : 1\r\n\r\n'],
  ['a method in lower case', 'get /health HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['a method of 1 KiB', `${'G'.repeat(1_024)} /health HTTP/1.1\r\nhost: x\r\n\r\n`],
  ['no HTTP at all', 'hello\r\n\r\n'],
];

test('a malformed request is refused once, and its connection is closed', () =>
  eachCase(BROKEN, async ([, text]) => {
    const { url } = server;
    const statuses = statusesIn(await exchange(url, text));
    expect(statuses).toHaveLength(1);
    expect([400, 413, 415]).toContain(statuses[0]);
  }));

test('an absolute address in the request line leads nowhere else', async () => {
  const { url } = server;
  const received = await exchange(
    url,
    'GET http://169.254.169.254/latest/meta-data HTTP/1.1\r\nhost: 169.254.169.254\r\nconnection: close\r\n\r\n',
  );
  expect(statusesIn(received)).toEqual([404]);
});

test('two requests in one packet are answered in turn', async () => {
  const { url } = server;
  const received = await exchange(
    url,
    'GET /health HTTP/1.1\r\nhost: x\r\n\r\nGET /ready HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  );
  expect(statusesIn(received)).toEqual([200, 200]);
  expect(received.indexOf('"ok"')).toBeLessThan(received.indexOf('"ready"'));
});

test('a caller that leaves in the middle of its body harms nobody', async () => {
  const { endpoint, log } = server;
  const half = request(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': 100 },
  });
  const gone = new Promise((resolve) => half.on('error', resolve));
  half.write('{"query":', () => half.destroy());
  await gone;
  expect((await postJson(endpoint, { query: LOCAL_QUERY })).status).toBe(200);
  expect(log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
