import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { mayOpenSocket } from '../../src/http/origins.ts';
import { eachCase } from '../support/each-case.ts';
import { postJson, send, type HttpReply } from '../support/raw-http.ts';
import { upgradeStatus } from '../support/raw-web-socket.ts';
import { LOCAL_QUERY, shareServer, startServer } from '../support/server.ts';

const server = shareServer();
const withGet = shareServer({ GET_QUERIES: 'on' });

const LISTED = 'https://app.example';
const ALLOWED_ORIGINS = `${LISTED},https://xn--bcher-kva.example,http://127.0.0.1:8080`;

const listing = shareServer({ ALLOWED_ORIGINS });

/** Origins that are none of the listed ones, however they look. */
const STRANGERS = [
  'null',
  '',
  '*',
  'https://app.example.evil.example',
  'https://evil.example/https://app.example',
  'https://evilapp.example',
  'https://sub.app.example',
  'https://app.example:8443',
  'https://app.example:443',
  'https://app.example/',
  'https://app.example.',
  'https://APP.example',
  'HTTPS://app.example',
  'http://app.example',
  'wss://app.example',
  'app.example',
  'https://user@app.example',
  'https://app.example, https://evil.example',
  'https://bücher.example',
  'https://xn--bcher-kva.example.evil.example',
  'http://127.0.0.1:8081',
  'http://localhost:8080',
  'http://127.0.0.1',
  'file://',
];

function corsOf({ headers }: HttpReply): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));
}

const headersOf = (origin: string) => ({ origin: Buffer.from(origin).toString('latin1') });

test('an origin that is not listed is granted nothing over HTTP', () =>
  eachCase(STRANGERS, async (origin) => {
    const { endpoint } = listing;
    const asked = { ...headersOf(origin), 'access-control-request-method': 'POST' };
    const preflight = await send(endpoint, { method: 'OPTIONS', headers: asked });
    expect(preflight.status).toBe(403);
    const post = await postJson(endpoint, { query: LOCAL_QUERY }, headersOf(origin));
    for (const reply of [preflight, post]) {
      expect(corsOf(reply)).toEqual({});
      expect(reply.headers['vary']).toMatch(/\borigin\b/i);
    }
  }));

test('an origin that is not listed is refused a WebSocket with 403', () =>
  eachCase(STRANGERS, async (origin) => {
    const { url } = listing;
    expect(await upgradeStatus(url, { origin })).toBe(403);
  }));

test('a page of a listed origin may read answers, and none may send cookies', () =>
  eachCase(ALLOWED_ORIGINS.split(','), async (origin) => {
    const { endpoint } = listing;
    const reply = await postJson(endpoint, { query: LOCAL_QUERY }, { origin });
    expect(reply.status).toBe(200);
    expect(corsOf(reply)).toEqual({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'x-request-id, retry-after',
    });
    expect(reply.headers['vary']).toMatch(/\borigin\b/i);
  }));

test.each([
  ['off', 'POST'],
  ['on', 'GET, POST'],
])('a listed origin is told what it may send, with GET_QUERIES %s', async (GET_QUERIES, methods) => {
  const { endpoint } = await startServer({ ALLOWED_ORIGINS, GET_QUERIES });
  const headers = { origin: LISTED, 'access-control-request-method': 'POST' };
  const reply = await send(endpoint, { method: 'OPTIONS', headers });
  expect(reply.status).toBe(204);
  expect(reply.text).toBe('');
  expect(corsOf(reply)).toEqual({
    'access-control-allow-origin': LISTED,
    'access-control-expose-headers': 'x-request-id, retry-after',
    'access-control-allow-methods': methods,
    'access-control-allow-headers': [
      'content-type, x-api-key, authorization, x-client-token, graphql-require-preflight',
      'apollo-require-preflight, x-apollo-operation-name',
      'apollographql-client-name, apollographql-client-version',
      'x-apollo-operation-id, x-apollo-operation-type',
      'traceparent, tracestate, baggage',
    ].join(', '),
    'access-control-max-age': '600',
  });
});

test('the operator’s own headers are let through as well, each once', async () => {
  const { endpoint } = await startServer({ ALLOWED_ORIGINS, CORS_HEADERS: 'X-Team, x-team-2,baggage, ' });
  const headers = { origin: LISTED, 'access-control-request-method': 'POST' };
  const reply = await send(endpoint, { method: 'OPTIONS', headers });
  expect(corsOf(reply)['access-control-allow-headers']).toMatch(
    /^content-type, .*tracestate, baggage, x-team, x-team-2$/,
  );
  for (const CORS_HEADERS of ['*', 'x-team x-other', 'x:y', 'x-é', 'a;b'])
    expect(() => readConfig({ CORS_HEADERS }), CORS_HEADERS).toThrow(/CORS_HEADERS: .*invalid header name/);
});

test('OPTIONS that asks for no leave is a method like any other that is none', async () => {
  const { endpoint } = listing;
  const reply = await send(endpoint, { method: 'OPTIONS', headers: { origin: LISTED } });
  expect(reply.status).toBe(405);
});

test('refusals can be read by a listed origin, too', async () => {
  const { endpoint } = listing;
  const reply = await send(endpoint, { method: 'POST', headers: { origin: LISTED }, body: 'x' });
  expect(reply.status).toBe(415);
  expect(corsOf(reply)['access-control-allow-origin']).toBe(LISTED);
});

test('nothing is granted until an origin is configured', async () => {
  const { endpoint } = server;
  for (const origin of [LISTED, new URL(endpoint).origin, 'null']) {
    expect(corsOf(await postJson(endpoint, { query: LOCAL_QUERY }, { origin }))).toEqual({});
  }
});

test('every answer of the endpoint varies by origin, also without one', async () => {
  const { endpoint } = withGet;
  const replies = [
    await postJson(endpoint, { query: LOCAL_QUERY }),
    await postJson(endpoint, { query: '{ nothing }' }),
    await send(endpoint),
    await send(endpoint, { headers: { accept: 'text/html' } }),
    await send(endpoint, { method: 'PUT' }),
    await send(`${endpoint}?query=${encodeURIComponent(LOCAL_QUERY)}`, {
      headers: { 'graphql-require-preflight': '1' },
    }),
  ];
  for (const { headers } of replies) expect(headers['vary']).toMatch(/\borigin\b/i);
});

test('the answers to nobody’s page are those of before: other paths know no origins', async () => {
  const { url } = listing;
  for (const path of ['/health', '/ready', '/connect', '/nothing']) {
    expect(corsOf(await send(`${url}${path}`, { headers: { origin: LISTED } }))).toEqual({});
  }
});

test('a socket may be opened from a listed origin, from our own page, and by what is no browser', async () => {
  const { url } = listing;
  const { port } = new URL(url);
  expect(await upgradeStatus(url)).toBe(101);
  expect(await upgradeStatus(url, { origin: LISTED })).toBe(101);
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
    expect(await upgradeStatus(url, { host, origin: `http://${host}` }), host).toBe(101);
  }
});

test('a foreign name that leads to this machine does not make a page one of ours', async () => {
  const { url } = server;
  const { port } = new URL(url);
  for (const name of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.7']) {
    const host = `${name}:${port}`;
    expect(await upgradeStatus(url, { host, origin: `http://${host}` }), host).toBe(403);
  }
});

const upgrade = (headers: object) => ({ headers }) as IncomingMessage;

test.each(['127.0.0.1', '127.0.0.2', 'localhost', '::1'])(
  'nor does it where the server listens to this machine as %s',
  (HOST) => {
    const config = readConfig({ HOST });
    for (const [host, isAllowed] of [
      ['evil.example:4000', false],
      ['localhost:4000', true],
    ] as const)
      expect(mayOpenSocket(upgrade({ origin: `http://${host}`, host }), config), host).toBe(isAllowed);
  },
);

test('where others are listened to as well, our own pages bear whatever name we are called by', () => {
  const config = readConfig({ HOST: '0.0.0.0' });
  const cases: readonly (readonly [string | undefined, string | undefined, boolean])[] = [
    ['http://graph.example', 'graph.example', true],
    ['http://graph.example', 'graph.example:80', true],
    ['http://graph.example', 'GRAPH.example', true],
    ['http://graph.example:4000', 'graph.example:4000', true],
    ['http://[2001:db8::1]:4000', '[2001:db8::1]:4000', true],
    ['http://127.0.0.1:4000', '127.0.0.1:4000', true],
    [undefined, 'graph.example', true],
    ['https://graph.example', 'graph.example', false],
    ['http://graph.example:4001', 'graph.example:4000', false],
    ['http://other.example', 'graph.example', false],
    ['http://graph.example', undefined, false],
    ['null', 'null', false],
    ['http://graph.example', ':', false],
    ['', '', false],
  ];
  for (const [origin, host, isAllowed] of cases) {
    expect(mayOpenSocket(upgrade({ origin, host }), config), `${origin} at ${host}`).toBe(isAllowed);
  }
});
