import { createHash } from 'node:crypto';
import type { Config } from '../../config.ts';
import { CLIENT_TOKEN_HEADER } from '../access.ts';
import {
  compress,
  sendFile,
  typeOfFile,
  type BuiltExplorer,
  type CompressedFile,
  type ReadExplorer,
} from './files.ts';
import {
  EXPLORER_PATH,
  type ExplorerOptions,
  type StartingHeaders,
} from '../../../packages/explorer/src/options.ts';
import { EXAMPLE_TABS, TOKEN_TAB } from '../../../packages/explorer/src/tabs.ts';
import { GRAPHQL_PATH, type Exchange } from '../exchange.ts';

/** Credentials that the explorer fills in; always those of the sandbox. */
export interface ExplorerCredentials {
  readonly apiKey: string;
  readonly accessToken: string;
}

/** Serves the explorer. */
export interface Graphiql {
  /** Sends the page. */
  sendPage(exchange: Exchange): Promise<void>;
  /** Sends a file that the page loads. Returns false if there is no such file. */
  sendFile(path: string, exchange: Exchange): Promise<boolean>;
}

// Everything is a file of this server, and nothing else may be contacted; 'self' includes its WebSocket. The editor
// sets its sizes and colours with inline styles, and draws its squiggles from data URLs.
const CONTENT_SECURITY_POLICY = [
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
].join('; ');

const SECURITY_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'referrer-policy': 'same-origin',
};

/** Creates the explorer, which is read on first use. */
export function createGraphiql(
  read: ReadExplorer,
  config: Pick<Config, 'clientTokens' | 'operator'>,
  credentials: ExplorerCredentials | null,
): Graphiql {
  const options = optionsOf(startingHeaders(config, credentials));
  let opened: Promise<OpenExplorer> | undefined;
  const open = async (): Promise<OpenExplorer> => {
    opened ??= openExplorer(read, options);
    // A failed read may succeed next time.
    opened.catch(() => (opened = undefined));
    return await opened;
  };
  return {
    sendPage: async (exchange) => {
      const { page, etag } = await open();
      Object.assign(exchange.headers, SECURITY_HEADERS);
      await sendFile(exchange, page, {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        etag,
        vary: 'origin, accept-encoding, accept',
      });
    },
    sendFile: async (path, exchange) => {
      const name = path.slice(EXPLORER_PATH.length);
      const file = (await open()).files.get(name);
      if (file === undefined) return false;
      Object.assign(exchange.headers, SECURITY_HEADERS);
      await sendFile(exchange, file, {
        'content-type': typeOfFile(name),
        'cache-control': 'public, max-age=31536000, immutable',
        etag: `W/"${name}"`,
        vary: 'accept-encoding',
      });
      return true;
    },
  };
}

interface OpenExplorer {
  readonly page: CompressedFile;
  readonly etag: string;
  readonly files: BuiltExplorer['files'];
}

async function openExplorer(read: ReadExplorer, options: ExplorerOptions): Promise<OpenExplorer> {
  const { page, files } = await read();
  // A `<` could end the enclosing script element.
  const json = JSON.stringify(options).replaceAll('<', '\\u003c');
  const html = page.replace('"OPTIONS"', () => json);
  return { page: await compress(html), etag: `W/"${digest(html)}"`, files };
}

function optionsOf(headers: StartingHeaders): ExplorerOptions {
  return {
    endpoint: GRAPHQL_PATH,
    headers,
    examples: EXAMPLE_TABS,
    handoverTab: TOKEN_TAB,
    edition: digest(JSON.stringify(EXAMPLE_TABS)),
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

// Headers for which the server has its own credential are left out: a placeholder would override it.
function startingHeaders(
  { clientTokens, operator }: Pick<Config, 'clientTokens' | 'operator'>,
  credentials: ExplorerCredentials | null,
): StartingHeaders {
  if (credentials !== null) {
    const { apiKey, accessToken } = credentials;
    const note = [
      'For the sandbox. The key gives access to the',
      'current surface, the token to the legacy',
      'surface.',
    ];
    return { note, values: { 'x-api-key': apiKey, authorization: `Bearer ${accessToken}` }, toFillIn: false };
  }
  const values = {
    ...(clientTokens.length > 0 ? { [CLIENT_TOKEN_HEADER]: 'YOUR-CLIENT-TOKEN' } : {}),
    ...(operator.apiKey === null ? { 'x-api-key': 'YOUR API KEY' } : {}),
    ...(operator.accessToken === null ? { authorization: 'Bearer YOUR ACCESS TOKEN' } : {}),
  };
  const toFillIn = Object.keys(values).length > 0;
  const note = toFillIn
    ? [
        'Fill in what you have, and delete the rest.',
        'The key gives access to the current surface,',
        'the token to the legacy surface.',
        'Nothing is stored: a reload clears this.',
      ]
    : ['This server supplies its own credentials.'];
  return { note, values, toFillIn };
}
