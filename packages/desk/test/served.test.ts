import { gzipSync, brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { BUILT_DESK, startServer } from '../../../test/support/server.ts';
import { pagesSandboxOf, startGraph } from '../../../test/support/graph.ts';
import { jsonOf, send } from '../../../test/support/http.ts';

const PAGE = { accept: 'text/html' };
const MOST_BYTES = 40_000;

test('all of Desk takes at most 40 KB, compressed with gzip', async () => {
  const { page, files } = await BUILT_DESK();
  const sizes = [...files.values()].map((file) => gzipSync(brotliDecompressSync(file)).length);
  const total = sizes.reduce((sum, size) => sum + size, gzipSync(page).length);
  expect(total).toBeGreaterThan(MOST_BYTES / 2);
  expect(total).toBeLessThan(MOST_BYTES);
});

test('the page may load only its own files, run nothing inline, and contact nobody else', async () => {
  const { url } = await startServer({}, { desk: BUILT_DESK });
  const { status, headers, text } = await send(`${url}/`, { headers: PAGE });
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(String(headers['content-security-policy']).split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
  expect(text).not.toMatch(/<style|style=|<script(?![^>]*(?: src="\/desk\/|type="application\/json"))/);
  for (const [, path] of text.matchAll(/(?:src|href)="([^"]+)"/g)) {
    const file = await send(url + path);
    expect([path, file.status]).toEqual([expect.stringMatching(/^\/desk\//), 200]);
  }
});

test.each([
  [{ DESK: 'off' }, 302],
  [{ DESK: 'off', GRAPHIQL: 'off' }, 404],
  [{ DESK: 'on', HOST: '0.0.0.0' }, 200],
])('with %j the path / is answered with %i', async (environment, status) => {
  const { url } = await startServer(environment, { desk: BUILT_DESK });
  const reply = await send(url.replace('0.0.0.0', '127.0.0.1'), { headers: PAGE });
  expect(reply.status).toBe(status);
});

test('no credential of an operator is in the page, and only what is missing is asked for', async () => {
  const { url } = await startServer({ API_KEY: 'operators-own-key' }, { desk: BUILT_DESK });
  const { text } = await send(`${url}/`, { headers: PAGE });
  expect(text).not.toContain('operators-own-key');
  expect(text).toContain('"missing":{"clientToken":null,"apiKey":false,"accessToken":true}');
});

test('events of the sandbox can be requested from its own page only, and from no other server', async () => {
  const { sandbox } = await startGraph();
  const { url } = await startServer({}, { desk: BUILT_DESK, sandbox: pagesSandboxOf(sandbox) });
  const path = '/desk/sandbox/publish';
  const happened = await send(url + path, { method: 'POST', headers: { origin: url } });
  expect(happened.status).toBe(200);
  expect(jsonOf(happened).message).toContain('has published');
  const foreign = await send(url + path, { method: 'POST', headers: { origin: 'http://evil.example' } });
  expect(foreign.status).toBe(403);
  expect((await send(url + path)).status).toBe(405);
  expect((await send(`${url}/desk/sandbox/advance`, { method: 'POST' })).status).toBe(404);
  const real = await startServer({}, { desk: BUILT_DESK });
  expect((await send(real.url + path, { method: 'POST' })).status).toBe(404);
  expect((await send(real.url + path)).status).toBe(404);
});
