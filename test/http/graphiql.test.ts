import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { buildSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { printedSchema } from '../../src/schema/index.ts';
import { EXAMPLE_TABS, TOKEN_TAB } from '../../packages/explorer/src/tabs.ts';
import type { Environment } from '../../src/config.ts';
import type { ExplorerOptions } from '../../packages/explorer/src/options.ts';
import { BUILT_EXPLORER, LOCAL_QUERY, shareServer, startServer } from '../support/server.ts';
import { startGraph } from '../support/graph.ts';
import { exchange, send, statusesIn } from '../support/http.ts';

const server = shareServer();

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const GZIP = { ...BROWSER, 'accept-encoding': 'gzip, deflate' };
const BROTLI = { ...BROWSER, 'accept-encoding': 'gzip, deflate, br' };

/** The page as a browser gets it, uncompressed. */
const pageOf = async (endpoint: string): Promise<string> => (await send(endpoint, { headers: BROWSER })).text;

/** Checks that an address is sent compressed as a browser likes; gives the reply in gzip and the text. */
async function expectCompressed(url: string) {
  const [gzipped, brotli, plain] = await Promise.all([
    send(url, { headers: GZIP }),
    send(url, { headers: BROTLI }),
    send(url, { headers: { ...BROWSER, 'accept-encoding': 'gzip;q=0, br;q=0.0' } }),
  ]);
  expect([gzipped.status, brotli.status, plain.status]).toEqual([200, 200, 200]);
  const encodings = [gzipped, brotli, plain].map(({ headers }) => headers['content-encoding']);
  expect(encodings).toEqual(['gzip', 'br', undefined]);
  expect(gunzipSync(gzipped.body).equals(plain.body)).toBe(true);
  expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
  expect(gzipped.headers).toMatchObject({
    vary: expect.stringContaining('accept-encoding') as string,
    'content-length': String(gzipped.body.length),
    'x-content-type-options': 'nosniff',
  });
  return { headers: gzipped.headers, text: plain.text };
}

/** Checks that what a browser has is not sent again, and that HEAD is answered without a body. */
async function expectOnce(url: string) {
  const first = await send(url, { headers: GZIP });
  const etag = String(first.headers['etag']);
  const again = await send(url, { headers: { ...GZIP, 'if-none-match': etag } });
  expect([again.status, again.text]).toEqual([304, '']);
  const head = await send(url, { method: 'HEAD', headers: { ...GZIP, 'if-none-match': '"other"' } });
  expect([head.status, head.text]).toEqual([200, '']);
  expect(head.headers['content-length']).toBe(first.headers['content-length']);
}

test('a browser that opens the endpoint gets the page once, compressed as it likes', async () => {
  const { headers, text } = await expectCompressed(server.endpoint);
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    etag: expect.stringMatching(/^W\/"[\w-]{20,}"$/) as string,
  });
  expect(text).toContain('<title>Social Publishing GraphQL</title>');
  await expectOnce(server.endpoint);
  const posted = await send(server.endpoint, { method: 'POST', headers: BROWSER });
  expect(posted.headers['content-type']).toContain('json');
});

test('the page may load nothing from elsewhere, be framed by nobody, and ask this server alone', async () => {
  const { headers } = await send(server.endpoint, { method: 'HEAD', headers: BROWSER });
  const policy = String(headers['content-security-policy']);
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "worker-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
});

test('the page names nothing to load but files of this server, and runs nothing by itself', async () => {
  const page = await pageOf(server.endpoint);
  const scripts = [...page.matchAll(/<script([^>]*)>/g)].map(([, attributes]) => attributes);
  expect(scripts.filter((text) => !/ src="\/explorer\/| type="application\/json"/.test(text ?? ''))).toEqual(
    [],
  );
  expect(page).not.toMatch(/<style|\son\w+=|javascript:/i);
  const named = addressesIn(page);
  expect(named.length).toBeGreaterThan(2);
  expect(named.filter((address) => !address.startsWith('/explorer/'))).toEqual([]);
});

/** What the markup of a page loads. */
function addressesIn(page: string): string[] {
  return [...page.matchAll(/\s(?:src|href|srcset|data|action)="([^"]+)"/g)].map(([, value = '']) => value);
}

/** Addresses of the files that the page names. */
const filesOf = async (): Promise<string[]> =>
  addressesIn(await pageOf(server.endpoint)).map((path) => server.url + path);

test('the files of the page are compressed, and kept by a browser for ever', async () => {
  const [first = '', ...others] = await filesOf();
  for (const file of [first, ...others]) {
    const { headers } = await expectCompressed(file);
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': expect.stringMatching(
        /^(?:text\/(?:css|javascript); charset=utf-8|image\/svg\+xml)$/,
      ) as string,
      'content-security-policy': expect.stringContaining("default-src 'none'") as string,
    });
  }
  await expectOnce(first);
  const posted = await send(first, { method: 'POST', headers: GZIP });
  expect([posted.status, posted.headers['allow']]).toEqual([405, 'GET, HEAD']);
  const { url } = await startServer({ GRAPHIQL: 'off' });
  expect((await send(url + new URL(first).pathname)).status).toBe(404);
});

test.each([
  '',
  'nothing.js',
  'index.html',
  'files.json',
  'constructor',
  '__proto__',
  '../main.js',
  '..%2fmain.js',
  '%2e%2e/main.js',
  '..\\main.js',
  '....//main.js',
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
  const { endpoint } = await startServer({}, { explorerCredentials: credentials });
  const page = await pageOf(endpoint);
  expect(page).not.toContain(credentials.apiKey);
  expect(optionsIn(page).headers.values).toEqual({
    'x-api-key': credentials.apiKey,
    authorization: 'Bearer <!--',
  });
});

/** The options that a page holds. */
function optionsIn(page: string): ExplorerOptions {
  const json = /<script type="application\/json" id="options">(.*?)<\/script>/s.exec(page)?.[1] ?? '';
  return JSON.parse(json) as ExplorerOptions;
}

const HEADERS_ASKED_FOR: readonly (readonly [Environment, readonly string[]])[] = [
  [{}, ['x-api-key', 'authorization']],
  [{ API_KEY: 'operators-key' }, ['authorization']],
  [{ API_KEY: 'operators-key', ACCESS_TOKEN: 'operators-token' }, []],
  [{ CLIENT_TOKENS: 'a-token-of-a-client-that-is-long' }, ['x-client-token', 'x-api-key', 'authorization']],
];

test.each(HEADERS_ASKED_FOR)(
  'with %j the page asks for %j, and tells nothing of what is set',
  async (environment, asked) => {
    const { endpoint } = await startServer(environment);
    const page = await pageOf(endpoint);
    const { values, toFillIn } = optionsIn(page).headers;
    expect([Object.keys(values), toFillIn]).toEqual([asked, asked.length > 0]);
    for (const secret of Object.values(environment)) expect(page).not.toContain(secret);
  },
);

test('the page holds no credential but those that it was given', async () => {
  const page = await pageOf(server.endpoint);
  expect(page).toContain('YOUR API KEY');
  const graph = await startGraph({ explorer: true });
  const filled = await pageOf(`${graph.url}/graphql`);
  const [{ apiKey }, other] = graph.sandbox.owners;
  expect(filled).toContain(apiKey);
  expect(filled).not.toContain(other.apiKey);
  for (const secret of graph.sandbox.secrets.planted) expect(filled).not.toContain(secret);
});

test('only a browser’s visit gets the page: a program gets an answer to its query', async () => {
  const { endpoint } = await startServer({ GET_QUERIES: 'on' });
  const query = `${endpoint}?query=${encodeURIComponent(LOCAL_QUERY)}`;
  for (const accept of ['application/json', '*/*', 'application/graphql-response+json']) {
    const reply = await send(query, { headers: { accept, 'graphql-require-preflight': '1' } });
    expect(reply.headers['content-type']).toContain('json');
  }
  const shared = await send(query, { headers: BROWSER });
  expect(shared.headers['content-type']).toBe('text/html; charset=utf-8');
});

const TABS = [...EXAMPLE_TABS, TOKEN_TAB].map((tab, index) => [index + 1, tab] as const);

test('each example tab fits the schema', () => {
  const schema = buildSchema(printedSchema());
  expect(
    TABS.flatMap(([index, { query }]) => validate(schema, parse(query)).map((error) => [index, error])),
  ).toEqual([]);
});

test.each(TABS)(
  'what example tab %d says fits a narrow editor, and leads to its variables',
  (_index, tab) => {
    const comments = tab.query.split('\n').filter((line) => line.startsWith('#'));
    expect(comments.filter((line) => line.length > 48)).toEqual([]);
    expect(/\bunder\s(?:# )?"Variables"/.test(comments.join('\n'))).toBe(tab.variables !== undefined);
  },
);
