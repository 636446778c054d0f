import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { EXAMPLE_TABS, TOKEN_TAB } from '../../packages/explorer/src/tabs.ts';
import type { Environment } from '../../src/config.ts';
import { FRESH_KEY, type ExplorerOptions } from '../../packages/explorer/src/options.ts';
import { BUILT_EXPLORER, LOCAL_QUERY, shareServer, startServer } from '../support/server.ts';
import { startGraph } from '../support/graph.ts';
import { exchange, send, statusesIn } from '../support/http.ts';

const server = shareServer({ GET_QUERIES: 'on' });

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const GZIP = { ...BROWSER, 'accept-encoding': 'gzip, deflate' };

const pageOf = async (endpoint: string): Promise<string> => (await send(endpoint, { headers: BROWSER })).text;

function optionsIn(page: string): ExplorerOptions {
  const json = /<script type="application\/json" id="options">(.*?)<\/script>/s.exec(page)?.[1] ?? '';
  return JSON.parse(json) as ExplorerOptions;
}

function addressesIn(page: string): string[] {
  return [...page.matchAll(/\s(?:src|href|srcset|data|action)="([^"]+)"/g)].map(([, value = '']) => value);
}

/** Checks that an address is sent compressed as a browser likes, and not again where it has it; gives the headers. */
async function expectCompressedOnce(url: string) {
  const [gzipped, brotli, plain] = await Promise.all(
    ['gzip, deflate', 'gzip, deflate, br', 'gzip;q=0, br;q=0.0'].map((encodings) =>
      send(url, { headers: { ...BROWSER, 'accept-encoding': encodings } }),
    ),
  );
  if (!gzipped || !brotli || !plain) throw new Error('no replies');
  const replies = [gzipped, brotli, plain];
  expect(replies.map(({ status, headers }) => [status, headers['content-encoding']])).toEqual([
    [200, 'gzip'],
    [200, 'br'],
    [200, undefined],
  ]);
  expect(gunzipSync(gzipped.body).equals(plain.body)).toBe(true);
  expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
  const { headers } = gzipped;
  expect(headers).toMatchObject({
    vary: expect.stringContaining('accept-encoding') as string,
    'content-length': String(gzipped.body.length),
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining("default-src 'none'") as string,
  });
  const again = await send(url, { headers: { ...GZIP, 'if-none-match': String(headers['etag']) } });
  expect([again.status, again.text]).toEqual([304, '']);
  const head = await send(url, { method: 'HEAD', headers: { ...GZIP, 'if-none-match': '"other"' } });
  expect([head.status, head.text]).toEqual([200, '']);
  expect(head.headers['content-length']).toBe(headers['content-length']);
  return headers;
}

test('the page and its files are compressed and sent once: the page is checked each time, and the files are kept for ever', async () => {
  expect(await expectCompressedOnce(server.endpoint)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    etag: expect.stringMatching(/^W\/"[\w-]{20,}"$/) as string,
  });
  const files = addressesIn(await pageOf(server.endpoint)).map((path) => server.url + path);
  for (const file of files)
    expect(await expectCompressedOnce(file)).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': expect.stringMatching(
        /^(?:text\/(?:css|javascript); charset=utf-8|image\/svg\+xml)$/,
      ) as string,
    });
  const [first = ''] = files;
  const posted = await send(first, { method: 'POST', headers: GZIP });
  expect([posted.status, posted.headers['allow']]).toEqual([405, 'GET, HEAD']);
  const { url } = await startServer({ GRAPHIQL: 'off' });
  expect((await send(url + new URL(first).pathname)).status).toBe(404);
});

test('the page loads nothing from elsewhere, is framed by nobody, asks this server alone, and runs nothing by itself', async () => {
  const { headers, text } = await send(server.endpoint, { headers: BROWSER });
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; worker-src 'self'; font-src 'self'; " +
      "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  expect(text).toContain('<title>Social Publishing GraphQL</title>');
  const scripts = [...text.matchAll(/<script([^>]*)>/g)].map(([, attributes = '']) => attributes);
  expect(scripts.length).toBeGreaterThan(1);
  for (const script of scripts) expect(script).toMatch(/ src="\/explorer\/| type="application\/json"/);
  expect(text).not.toMatch(/<style|\son\w+=|javascript:/i);
  const named = addressesIn(text);
  expect(named.length).toBeGreaterThan(2);
  expect(named.filter((address) => !address.startsWith('/explorer/'))).toEqual([]);
});

test.each([
  '',
  'nothing.js',
  'index.html',
  '__proto__',
  '..%2fmain.js',
  '..\\main.js',
  '/etc/hosts',
  'main.js%00.css',
])('the path /explorer/%s leads to no file', async (name) => {
  const head = `GET /explorer/${name} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
  expect(statusesIn(await exchange(server.url, head))).toEqual([404]);
});

test('what could not be read is read when it is asked for again', async () => {
  let isThere = false;
  const explorer = async () => {
    if (!isThere) throw new Error('not yet');
    return await BUILT_EXPLORER();
  };
  const { endpoint } = await startServer({}, { explorer });
  expect((await send(endpoint, { headers: GZIP })).status).toBe(500);
  isThere = true;
  expect((await send(endpoint, { headers: GZIP })).status).toBe(200);
});

test('nothing that is put into the page can end its script', async () => {
  const credentials = { apiKey: '</script><script>alert(1)</script>$&', accessToken: '<!--' };
  const { endpoint } = await startServer({}, { sandbox: { credentials, makeHappen: () => '' } });
  const page = await pageOf(endpoint);
  expect(page).not.toContain(credentials.apiKey);
  const { values } = optionsIn(page).headers;
  expect(values).toEqual({ 'x-api-key': credentials.apiKey, authorization: 'Bearer <!--' });
});

test.each<readonly [Environment, readonly string[]]>([
  [{}, ['x-api-key', 'authorization']],
  [{ API_KEY: 'operators-key' }, ['authorization']],
  [{ API_KEY: 'operators-key', ACCESS_TOKEN: 'operators-token' }, []],
  [{ CLIENT_TOKENS: 'a-token-of-a-client-that-is-long' }, ['x-client-token', 'x-api-key', 'authorization']],
])('with %j the page asks for %j, and tells nothing of what is set', async (environment, asked) => {
  const { endpoint } = await startServer(environment);
  const page = await pageOf(endpoint);
  const { values, toFillIn } = optionsIn(page).headers;
  expect([Object.keys(values), toFillIn]).toEqual([asked, asked.length > 0]);
  for (const secret of Object.values(environment)) expect(page).not.toContain(secret);
});

test('only a browser’s visit gets the page: a program gets an answer to its query', async () => {
  const query = `${server.endpoint}?query=${encodeURIComponent(LOCAL_QUERY)}`;
  for (const accept of ['application/json', '*/*', 'application/graphql-response+json']) {
    const reply = await send(query, { headers: { accept, 'graphql-require-preflight': '1' } });
    expect(reply.headers['content-type']).toContain('json');
  }
  expect((await send(query, { headers: BROWSER })).headers['content-type']).toContain('text/html');
  const posted = await send(server.endpoint, { method: 'POST', headers: BROWSER });
  expect(posted.headers['content-type']).toContain('json');
});

test('on the sandbox the page holds the credentials of its first owner and no others, and each example runs with them', async () => {
  const graph = await startGraph({ explorer: true });
  const page = await pageOf(`${graph.url}/graphql`);
  const [{ apiKey, accessToken }, other] = graph.sandbox.owners;
  const { headers, examples } = optionsIn(page);
  expect(headers.values).toEqual({ 'x-api-key': apiKey, authorization: `Bearer ${accessToken}` });
  for (const secret of [other.apiKey, other.accessToken, ...graph.sandbox.secrets.planted])
    expect(page).not.toContain(secret);
  expect(examples).toEqual(EXAMPLE_TABS);
  for (const [index, { query, variables: given }] of [...examples, TOKEN_TAB].entries()) {
    expect(validate(schema, parse(query))).toEqual([]);
    const comments = query.split('\n').filter((line) => line.startsWith('#'));
    // They fit a narrow editor, and lead to the variables.
    expect(comments.filter((line) => line.length > 48)).toEqual([]);
    expect(/\bunder\s(?:# )?"Variables"/.test(comments.join('\n'))).toBe(given !== undefined);
    if (/^subscription/m.test(query)) continue;
    // The page gives each run a key of its own.
    const text = JSON.stringify(given ?? {}).replace(`${FRESH_KEY}new`, `a-key-${index}`);
    const variables = JSON.parse(text) as Record<string, unknown>;
    const { data, errors } = await graph.query(query, { variables, headers: headers.values });
    expect(errors, query).toEqual([]);
    const fields = Object.values(data as object);
    expect(fields, query).not.toContain(null);
    if (/^mutation/m.test(query)) expect(fields, query).toMatchObject([{ userErrors: [] }]);
  }
});
