import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { buildSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { printedSchema } from '../../src/schema/index.ts';
import { EXAMPLE_TABS } from '../../src/server/graphiql-tabs.ts';
import { startGraph } from '../support/graph.ts';
import { send, type HttpReply } from '../support/raw-http.ts';
import { LOCAL_QUERY, startServer } from '../support/server.ts';

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
  const { endpoint } = await startServer();
  const gzipped = await send(endpoint, { headers: GZIP });
  const brotli = await send(endpoint, { headers: BROTLI });
  expect([gzipped.status, gzipped.headers['content-encoding']]).toEqual([200, 'gzip']);
  expect([brotli.status, brotli.headers['content-encoding']]).toEqual([200, 'br']);
  expect(gzipped.headers['content-type']).toBe('text/html; charset=utf-8');
  const page = gunzipSync(gzipped.body);
  expect(page.equals(brotliDecompressSync(brotli.body))).toBe(true);
  expect(page.toString()).toContain('<title>Social Publishing GraphQL</title>');
});

test('the page is sent once: a browser that has it is told so', async () => {
  const { endpoint } = await startServer();
  const first = await send(endpoint, { headers: GZIP });
  expect(first.headers['etag']).toMatch(/^"[\w-]{20,}"$/);
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
  const directives = new Map(
    policy.split('; ').map((text) => [text.split(' ')[0], text.split(' ').slice(1).join(' ')]),
  );
  expect(directives.get('default-src')).toBe("'none'");
  expect(directives.get('connect-src')).toBe("'self'");
  expect(directives.get('frame-ancestors')).toBe("'none'");
  expect(directives.get('base-uri')).toBe("'none'");
  expect(directives.get('form-action')).toBe("'none'");
  expect(policy).not.toMatch(/https?:|\*/);
  expect(headers['x-content-type-options']).toBe('nosniff');
});

test('nothing in the page names an address to load from', async () => {
  const page = gunzipSync((await visitPage()).body).toString();
  const markup = page
    .replaceAll(/(<script[^>]*>)[\s\S]*?<\/script>/g, '$1')
    .replaceAll(/(<style[^>]*>)[\s\S]*?<\/style>/g, '$1');
  expect(markup.replaceAll(/"data:[^"]*"/g, '').length).toBeLessThan(2_000);
  for (const [, value = ''] of markup.matchAll(/\s(?:src|href|srcset|data|action)\s*=\s*["']?([^"'\s>]+)/g)) {
    expect(value).toMatch(/^data:/);
  }
  for (const [, style = ''] of page.matchAll(/<style[^>]*>([\s\S]*?)<\/style>/g)) {
    expect(style).not.toMatch(/@import|url\(\s*["']?(?:https?:)?\/\//);
  }
});

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
  const { endpoint } = await startServer();
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
  expect(reply.headers['content-type']).toContain(isThere ? 'text/html' : 'application/json');
});

test.each(EXAMPLE_TABS.map((tab, index) => [index + 1, tab] as const))(
  'example tab %d fits the schema',
  (_index, tab) => {
    expect(validate(buildSchema(printedSchema()), parse(tab.query))).toEqual([]);
  },
);
