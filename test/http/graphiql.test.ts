import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { buildSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { printedSchema } from '../../src/schema/index.ts';
import { EXAMPLE_TABS, TOKEN_TAB } from '../../packages/explorer/src/tabs.ts';
import type { Environment } from '../../src/config.ts';
import type { ExplorerOptions } from '../../packages/explorer/src/options.ts';
import { eachCase } from '../support/each-case.ts';
import { BUILT_EXPLORER } from '../support/explorer.ts';
import { startGraph } from '../support/graph.ts';
import { exchange, jsonOf, send, statusesIn, type HttpReply } from '../support/raw-http.ts';
import { LOCAL_QUERY, shareServer, startServer } from '../support/server.ts';

const server = shareServer();

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const GZIP = { ...BROWSER, 'accept-encoding': 'gzip, deflate' };
const BROTLI = { ...BROWSER, 'accept-encoding': 'gzip, deflate, br' };

let visit: Promise<HttpReply> | undefined;

/** The page as a browser gets it that visits a server without credentials to fill in; made once, since it is large. */
function visitPage(): Promise<HttpReply> {
  visit ??= startServer().then(({ endpoint }) => send(endpoint, { headers: GZIP }));
  return visit;
}

test('a browser that opens the endpoint gets the page, compressed as it likes', async () => {
  const { endpoint } = server;
  const gzipped = await send(endpoint, { headers: GZIP });
  const brotli = await send(endpoint, { headers: BROTLI });
  const plain = await send(endpoint, { headers: { ...BROWSER, 'accept-encoding': 'gzip;q=0, br;q=0.0' } });
  expect([gzipped.status, gzipped.headers['content-encoding']]).toEqual([200, 'gzip']);
  expect([brotli.status, brotli.headers['content-encoding']]).toEqual([200, 'br']);
  expect([plain.status, plain.headers['content-encoding']]).toEqual([200, undefined]);
  expect(gzipped.headers['content-type']).toBe('text/html; charset=utf-8');
  const page = gunzipSync(gzipped.body);
  expect(page.equals(brotliDecompressSync(brotli.body))).toBe(true);
  expect(page.equals(plain.body)).toBe(true);
  expect(page.toString()).toContain('<title>Social Publishing GraphQL</title>');
});

test('the page is sent once: a browser that has it is told so', async () => {
  const { endpoint } = server;
  const first = await send(endpoint, { headers: GZIP });
  expect(first.headers['etag']).toMatch(/^W\/"[\w-]{20,}"$/);
  expect(first.headers['cache-control']).toBe('no-cache');
  expect(first.headers['vary']).toMatch(/accept-encoding/);
  const again = await send(endpoint, {
    headers: { ...GZIP, 'if-none-match': String(first.headers['etag']) },
  });
  expect([again.status, again.text]).toEqual([304, '']);
  const changed = await send(endpoint, { method: 'HEAD', headers: { ...GZIP, 'if-none-match': '"other"' } });
  expect([changed.status, changed.text]).toEqual([200, '']);
  expect(changed.headers['content-length']).toBe(first.headers['content-length']);
});

test('the page may load nothing from elsewhere, be framed by nobody, and ask this server alone', async () => {
  const { headers } = await visitPage();
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
  expect(headers['x-content-type-options']).toBe('nosniff');
});

test('the page names nothing to load but files of this server, and runs nothing by itself', async () => {
  const page = gunzipSync((await visitPage()).body).toString();
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

/** Addresses of the files that the page names, of a server that was just started. */
async function startWithFiles(): Promise<{ readonly url: string; readonly files: readonly string[] }> {
  const { url, endpoint } = server;
  const page = gunzipSync((await send(endpoint, { headers: GZIP })).body).toString();
  return { url, files: addressesIn(page).map((path) => url + path) };
}

test('the files of the page are compressed, and kept by a browser for ever', async () => {
  const { files } = await startWithFiles();
  for (const file of files) {
    const brotli = await send(file, { headers: { 'accept-encoding': 'gzip, deflate, br, zstd' } });
    const gzipped = await send(file, { headers: { 'accept-encoding': 'gzip' } });
    const plain = await send(file);
    expect([brotli, gzipped, plain].map(({ headers }) => headers['content-encoding'])).toEqual([
      'br',
      'gzip',
      undefined,
    ]);
    expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
    expect(gunzipSync(gzipped.body).equals(plain.body)).toBe(true);
    expect(brotli.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-length': String(brotli.body.length),
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    });
    expect(brotli.headers['content-type']).toMatch(
      /^(?:text\/(?:css|javascript); charset=utf-8|image\/svg\+xml)$/,
    );
    expect(brotli.headers['content-security-policy']).toContain("default-src 'none'");
  }
});

test('a file is not sent again to who has it, and only told of to who asks with HEAD', async () => {
  const [file = ''] = (await startWithFiles()).files;
  const first = await send(file, { headers: GZIP });
  const again = await send(file, { headers: { ...GZIP, 'if-none-match': String(first.headers['etag']) } });
  expect([again.status, again.text, again.headers['content-type']]).toEqual([304, '', undefined]);
  const head = await send(file, { method: 'HEAD', headers: GZIP });
  expect([head.status, head.text]).toEqual([200, '']);
  expect(head.headers['content-length']).toBe(first.headers['content-length']);
  const posted = await send(file, { method: 'POST', headers: GZIP });
  expect([posted.status, posted.headers['allow']]).toEqual([405, 'GET, HEAD']);
});

test('no path below /explorer leads to a file that is not of the page', () =>
  eachCase(
    [
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
      '..%2f..%2fpackage.json',
      'main.js%00.css',
    ],
    async (name) => {
      const { url } = server;
      const received = await exchange(
        url,
        `GET /explorer/${name} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
      );
      expect(statusesIn(received)).toEqual([404]);
    },
  ));

test('without the page there are no files of it', async () => {
  const [file = ''] = (await startWithFiles()).files;
  const { url } = await startServer({ GRAPHIQL: 'off' });
  expect((await send(url + new URL(file).pathname)).status).toBe(404);
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
  const page = gunzipSync((await send(endpoint, { headers: GZIP })).body).toString();
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
    const page = gunzipSync((await send(endpoint, { headers: GZIP })).body).toString();
    const { values, toFillIn } = optionsIn(page).headers;
    expect([Object.keys(values), toFillIn]).toEqual([asked, asked.length > 0]);
    for (const secret of Object.values(environment)) expect(page).not.toContain(secret);
  },
);

test('the page holds no credential but those that it was given', async () => {
  const page = gunzipSync((await visitPage()).body).toString();
  expect(page).toContain('YOUR API KEY');
  const graph = await startGraph({ explorer: true });
  const filled = gunzipSync((await send(`${graph.url}/graphql`, { headers: GZIP })).body).toString();
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

test('a POST is never answered with the page', async () => {
  const { endpoint } = server;
  const reply = await send(endpoint, { method: 'POST', headers: BROWSER });
  expect(reply.headers['content-type']).toContain('json');
});

test.each([
  [{ GRAPHIQL: 'off' }, false],
  [{ GRAPHIQL: 'on', HOST: '0.0.0.0' }, true],
  [{ GRAPHIQL: 'auto', HOST: '0.0.0.0' }, false],
  [{ HOST: '0.0.0.0' }, false],
  [{ HOST: '127.0.0.1' }, true],
])('with %j the page is there: %s', async (environment, isThere) => {
  const { endpoint } = await startServer(environment);
  const reply = await send(endpoint.replace('0.0.0.0', '127.0.0.1'), { headers: GZIP });
  expect(reply.status).toBe(isThere ? 200 : 405);
  expect(reply.headers['content-type']).toContain('text/html');
  // Where it is not, a person is told so in words, and a program as ever.
  expect(reply.text.includes('<code>GRAPHIQL=on</code>')).toBe(!isThere);
  const told = await send(endpoint.replace('0.0.0.0', '127.0.0.1'), { headers: { accept: '*/*' } });
  expect([told.status, jsonOf(told).errors.length]).toEqual([405, 1]);
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
