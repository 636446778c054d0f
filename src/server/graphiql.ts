import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { EXAMPLE_TABS, TOKEN_TAB, type ExampleTab } from './graphiql-tabs.ts';

/** Credentials that the explorer fills in; only ever those of the sandbox. */
export interface ExplorerCredentials {
  readonly apiKey: string;
  readonly accessToken: string;
}

/**
 * Where another page of this server leaves the headers that the explorer is to open with, in the tab's own storage; the
 * explorer takes them away.
 */
export const GRAPHIQL_HANDOVER_KEY = 'graphiql-headers';

/** Serves the explorer's page. */
export type ServeGraphiql = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

// The page is one file whose script and styles stand inside it, with editor workers made from blobs; nothing else may
// load, and nothing may be asked but this server.
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval'",
  "style-src 'unsafe-inline'",
  'worker-src blob:',
  'img-src data:',
  'font-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Makes the explorer; its page of 9 MB is rendered and compressed once, when it is first asked for. */
export function createGraphiql(credentials: ExplorerCredentials | null): ServeGraphiql {
  let page: Promise<Page> | undefined;
  return async (request, response) => {
    page ??= renderPage(credentials);
    const { etag, gzipped, brotli } = await page;
    const acceptsBrotli = /\bbr\b/.test(request.headers['accept-encoding'] ?? '');
    const headers = {
      etag,
      'cache-control': 'no-cache',
      'content-security-policy': CONTENT_SECURITY_POLICY,
      vary: 'accept-encoding, accept',
    };
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, headers).end();
      return;
    }
    const body = acceptsBrotli ? brotli : gzipped;
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/html; charset=utf-8',
      'content-encoding': acceptsBrotli ? 'br' : 'gzip',
      'content-length': body.length,
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
}

interface Page {
  readonly etag: string;
  readonly gzipped: Buffer;
  readonly brotli: Buffer;
}

async function renderPage(credentials: ExplorerCredentials | null): Promise<Page> {
  // Loaded when it is needed: the package is as large as the page.
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const headers = headerText(credentials);
  const html = renderGraphiQL({
    title: 'Social Publishing GraphQL',
    endpoint: '/graphql',
    subscriptionsProtocol: 'WS',
    headers,
    defaultHeaders: headers,
    shouldPersistHeaders: false,
    defaultTabs: EXAMPLE_TABS.map((tab) => ({ ...toTab(tab), headers })),
    defaultEditorToolsVisibility: 'headers',
    schemaDescription: true,
    inputValueDeprecation: true,
  });
  const bytes = Buffer.from(withHandover(html));
  const [gzipped, brotli] = await Promise.all([
    promisify(gzip)(bytes),
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  ]);
  return {
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    gzipped,
    brotli,
  };
}

// The page's last statement renders the explorer with its options; headers that were handed over go before them, and
// before tabs that the browser remembers.
function withHandover(html: string): string {
  const call = html.lastIndexOf('YogaGraphiQL.renderYogaGraphiQL(');
  const takeOver = `
        const handedOver = sessionStorage.getItem('${GRAPHIQL_HANDOVER_KEY}');
        sessionStorage.removeItem('${GRAPHIQL_HANDOVER_KEY}');
        if (handedOver !== null) localStorage.removeItem('graphiql:tabState');
        const withHeaders = (options) => handedOver === null ? options : {
          ...options, headers: handedOver, defaultHeaders: handedOver,
          defaultTabs: [${JSON.stringify(toTab(TOKEN_TAB))}, ...options.defaultTabs].map((tab) => ({ ...tab, headers: handedOver })),
        };
        `;
  const render = html.slice(call).replace(/(#root'\),\s*)(\{.*\})(,\s*\);)/s, '$1withHeaders($2)$3');
  return html.slice(0, call) + takeOver + render;
}

function toTab({ query, variables }: ExampleTab) {
  return { query, variables: variables === undefined ? '' : JSON.stringify(variables, null, 2) };
}

function headerText(credentials: ExplorerCredentials | null): string {
  const headers = {
    'x-api-key': credentials?.apiKey ?? 'YOUR API KEY (current surface)',
    authorization: `Bearer ${credentials?.accessToken ?? 'YOUR ACCESS TOKEN (legacy surface)'}`,
  };
  return JSON.stringify(headers, null, 2);
}
