import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { mayOpenSocket, RefusedOrigins } from '../../src/http/origins.ts';
import { jsonOf, postJson, send, type HttpReply } from '../support/http.ts';
import { upgradeAnswer, upgradeStatus } from '../support/web-sockets.ts';
import { LOCAL_QUERY, shareServer, startServer } from '../support/server.ts';

const LISTED = 'https://app.example';
const ALLOWED_ORIGINS = `${LISTED},https://xn--bcher-kva.example,http://127.0.0.1:8080`;

const server = shareServer();
const listing = shareServer({ ALLOWED_ORIGINS, GET_QUERIES: 'on' });

function corsOf({ headers }: HttpReply): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));
}

const ASKED = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'content-type,x-team',
};
const preflight = (endpoint: string, origin: string) =>
  send(endpoint, { method: 'OPTIONS', headers: { origin, ...ASKED } });

test.each([
  'null',
  '',
  'https://app.example.evil.example',
  'https://evilapp.example',
  'https://app.example:8443',
  'https://app.example/',
  'https://APP.example',
  'http://app.example',
  'app.example',
  'https://user@app.example',
  'https://app.example, https://evil.example',
  'https://bücher.example',
  'http://127.0.0.1:8081',
])('the origin “%s”, which is not listed, is granted nothing, and refused a WebSocket', async (origin) => {
  const sent = Buffer.from(origin).toString('latin1');
  const asked = await preflight(listing.endpoint, sent);
  expect(asked.status).toBe(403);
  for (const reply of [asked, await postJson(listing.endpoint, { query: LOCAL_QUERY }, { origin: sent })]) {
    expect(corsOf(reply)).toEqual({});
    expect(reply.headers['vary']).toMatch(/\borigin\b/i);
  }
  expect(await upgradeStatus(listing.url, { origin })).toBe(403);
});

test.each(ALLOWED_ORIGINS.split(','))(
  'a page of %s may send, read answers and refusals, and open a WebSocket, without cookies',
  async (origin) => {
    const granted = {
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'x-request-id, retry-after',
    };
    const answered = await postJson(listing.endpoint, { query: LOCAL_QUERY }, { origin });
    const refused = await send(listing.endpoint, { method: 'POST', headers: { origin }, body: 'x' });
    expect([answered, refused].map(({ status }) => status)).toEqual([200, 415]);
    for (const reply of [answered, refused]) expect(corsOf(reply)).toEqual(granted);
    const asked = await preflight(listing.endpoint, origin);
    expect([asked.status, asked.text]).toEqual([204, '']);
    expect(corsOf(asked)).toEqual({
      ...granted,
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'content-type,x-team',
      'access-control-max-age': '600',
    });
    expect(await upgradeStatus(listing.url, { origin })).toBe(101);
    expect(listing.log.join('')).not.toContain('"level":"warn"');
  },
);

test('without GET queries a page is told of POST alone', async () => {
  const { endpoint } = await startServer({ ALLOWED_ORIGINS, GET_QUERIES: 'off' });
  expect(corsOf(await preflight(endpoint, LISTED))['access-control-allow-methods']).toBe('POST');
});

test('OPTIONS without a preflight is a method like any other', async () => {
  const reply = await send(listing.endpoint, { method: 'OPTIONS', headers: { origin: LISTED } });
  expect(reply.status).toBe(405);
});

test('nothing is granted until an origin is configured, nor on other paths', async () => {
  for (const origin of [LISTED, new URL(server.endpoint).origin, 'null']) {
    expect(corsOf(await preflight(server.endpoint, origin))).toEqual({});
    expect(corsOf(await postJson(server.endpoint, { query: LOCAL_QUERY }, { origin }))).toEqual({});
  }
  for (const path of ['/health', '/ready', '/connect', '/nothing'])
    expect(corsOf(await send(listing.url + path, { headers: { origin: LISTED } }))).toEqual({});
});

test('every answer of the endpoint varies by origin, also without one', async () => {
  const { endpoint } = listing;
  const query = `${endpoint}?query=${encodeURIComponent(LOCAL_QUERY)}`;
  for (const { headers } of [
    await postJson(endpoint, { query: LOCAL_QUERY }),
    await postJson(endpoint, { query: '{ nothing }' }),
    await send(endpoint, { headers: { accept: 'text/html' } }),
    await send(endpoint, { method: 'PUT' }),
    await send(query, { headers: { 'graphql-require-preflight': '1' } }),
  ])
    expect(headers['vary']).toMatch(/\borigin\b/i);
});

// A page of our own, under a name that leads to this machine; a page under a foreign one may have been made to.
test.each<readonly [listensOn: string, origin: string | undefined, host: string | undefined, boolean]>([
  ['127.0.0.1', undefined, 'localhost:4000', true],
  ...['127.0.0.1', '127.0.0.2', 'localhost', '::1'].flatMap((HOST) =>
    ['localhost', '127.0.0.1', '[::1]', 'evil.example', 'localhost.evil.example', '10.0.0.7'].map(
      (name, at) => [HOST, `http://${name}:4000`, `${name}:4000`, at < 3] as const,
    ),
  ),
  ['0.0.0.0', 'http://graph.example', 'graph.example', true],
  ['0.0.0.0', 'http://graph.example', 'graph.example:80', true],
  ['0.0.0.0', 'http://graph.example', 'GRAPH.example', true],
  ['0.0.0.0', 'http://[2001:db8::1]:4000', '[2001:db8::1]:4000', true],
  ['0.0.0.0', undefined, 'graph.example', true],
  ['0.0.0.0', 'https://graph.example', 'graph.example', false],
  ['0.0.0.0', 'http://graph.example:4001', 'graph.example:4000', false],
  ['0.0.0.0', 'http://graph.example', undefined, false],
  ['0.0.0.0', 'null', 'null', false],
  ['0.0.0.0', 'http://graph.example', ':', false],
])('on %s, a page of %s at %s may open a WebSocket: %s', (HOST, origin, host, isAllowed) => {
  const upgrade = { headers: { origin, host } } as IncomingMessage;
  expect(mayOpenSocket(upgrade, readConfig({ HOST }))).toBe(isAllowed);
});

const warningsIn = (log: readonly string[]): unknown[] =>
  log.map((line): unknown => JSON.parse(line)).filter((line) => (line as { level: string }).level === 'warn');

// A browser tells its page nothing of a refusal: who looks into the answer or into the log is told what to set.
test('a refusal names the origin and the setting that allows it, and so does the log, once', async () => {
  const own = await startServer();
  const app = 'https://other.example';
  const remedy = `To allow it, add ${app} to ALLOWED_ORIGINS.`;
  const refusalTo = (act: string) => `A page from ${app} is not allowed to ${act} here. ${remedy}`;
  for (const _ of [1, 2]) {
    const asked = await preflight(own.endpoint, app);
    expect(jsonOf(asked).errors[0].message).toBe(refusalTo('send requests'));
    const upgraded = await upgradeAnswer(own.url, { origin: app });
    expect(upgraded.split('\r\n\r\n')[1]).toBe(refusalTo('open a WebSocket'));
  }
  expect(warningsIn(own.log)).toMatchObject([
    { origin: app, setting: 'ALLOWED_ORIGINS', msg: expect.stringContaining(remedy) as string },
  ]);
});

test.each(['null', 'file://', 'https://user:secret@app.example', `https://${'a'.repeat(300)}.example`])(
  '%s is no origin of a page on the web, and is not repeated',
  async (origin) => {
    const reply = await preflight(server.endpoint, origin);
    const { message } = jsonOf(reply).errors[0];
    expect(message).toMatch(/A page without an origin.*ALLOWED_ORIGINS/);
    expect(message).not.toContain(origin);
    expect(JSON.stringify(warningsIn(server.log))).not.toContain('secret');
  },
);

test('made-up origins do not fill the log', () => {
  const lines: unknown[] = [];
  const origins = new RefusedOrigins({ warn: (...line: unknown[]) => void lines.push(line) });
  for (let index = 0; index < 1_000; index += 1)
    origins.refuse({ origin: `https://${index}.example` }, 'open a WebSocket');
  expect(lines).toHaveLength(101);
});
