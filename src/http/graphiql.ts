import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib';
import { EXPLORER_PATH, type ExplorerOptions } from '../../packages/explorer/src/options.ts';
import {
  CONTENT_SECURITY_POLICY,
  headersOfSandbox,
  headersToFillIn,
  typeOf,
} from '../../packages/explorer/src/served.ts';
import { EXAMPLE_TABS, TOKEN_TAB } from '../../packages/explorer/src/tabs.ts';
import type { Config } from '../config.ts';
import { CLIENT_TOKEN_HEADER } from './access.ts';
import { GRAPHQL_PATH, type Exchange } from './exchange.ts';

/** The explorer as it was built. */
export interface BuiltExplorer {
  /** The page, with `"OPTIONS"` as a placeholder for its options. */
  readonly page: string;
  /** The files that the page loads, compressed with Brotli, with names that change with their content; no others are ever sent. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/** Reads the built explorer. */
export type ReadExplorer = () => Promise<BuiltExplorer>;

/** Credentials that the explorer fills in; always those of the sandbox. */
export interface ExplorerCredentials {
  readonly apiKey: string;
  readonly accessToken: string;
}

const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Serves the explorer, which is read on first use. */
export class Graphiql {
  readonly #read: ReadExplorer;
  readonly #options: ExplorerOptions;
  #opened: Promise<OpenExplorer> | undefined;

  constructor(
    read: ReadExplorer,
    { clientTokens, operator }: Pick<Config, 'clientTokens' | 'operator'>,
    credentials: ExplorerCredentials | null,
  ) {
    this.#read = read;
    this.#options = {
      endpoint: GRAPHQL_PATH,
      headers:
        credentials === null
          ? headersToFillIn({
              clientToken: clientTokens.length > 0 ? CLIENT_TOKEN_HEADER : null,
              apiKey: operator.apiKey === null,
              accessToken: operator.accessToken === null,
            })
          : headersOfSandbox(credentials),
      examples: EXAMPLE_TABS,
      handoverTab: TOKEN_TAB,
      edition: digest(JSON.stringify(EXAMPLE_TABS)),
    };
  }

  /** Sends the page. */
  async sendPage(exchange: Exchange): Promise<void> {
    const { page, etag } = await this.#open();
    await send(exchange, page, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      etag,
      vary: 'origin, accept-encoding, accept',
    });
  }

  /** Sends a file that the page loads. Returns false if there is no such file. */
  async sendFile(path: string, exchange: Exchange): Promise<boolean> {
    const name = path.slice(EXPLORER_PATH.length);
    const file = (await this.#open()).files.get(name);
    if (file === undefined) return false;
    await send(exchange, file, {
      'content-type': typeOf(name),
      'cache-control': 'public, max-age=31536000, immutable',
      etag: `W/"${name}"`,
      vary: 'accept-encoding',
    });
    return true;
  }

  #open(): Promise<OpenExplorer> {
    this.#opened ??= this.#read().then(async ({ page, files }) => {
      // A `<` could end the enclosing script element.
      const json = JSON.stringify(this.#options).replaceAll('<', '\\u003c');
      const html = page.replace('"OPTIONS"', () => json);
      return { page: await promisify(brotliCompress)(html, QUALITY), etag: `W/"${digest(html)}"`, files };
    });
    // A failed read may succeed next time.
    this.#opened.catch(() => (this.#opened = undefined));
    return this.#opened;
  }
}

interface OpenExplorer {
  readonly page: Buffer;
  readonly etag: string;
  readonly files: BuiltExplorer['files'];
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** The headers sent with a file; the tag identifies its content. */
interface FileHeaders {
  readonly 'content-type': string;
  readonly 'cache-control': string;
  readonly etag: string;
  readonly vary: string;
}

/** Sends a file that is compressed with Brotli, or a 304 if the browser already has it. */
async function send(exchange: Exchange, file: Buffer, headers: FileHeaders): Promise<void> {
  const { request } = exchange;
  exchange.headers['content-security-policy'] = CONTENT_SECURITY_POLICY;
  exchange.headers['referrer-policy'] = 'same-origin';
  if (request.headers['if-none-match'] === headers.etag) {
    const { 'content-type': _type, ...kept } = headers;
    return exchange.send(304, kept);
  }
  const encoding = encodingFor(request.headers['accept-encoding']);
  if (encoding !== null) exchange.headers['content-encoding'] = encoding;
  exchange.send(200, { ...headers }, await encoded(file, encoding));
}

/** Returns the encoding that a browser accepts; over plain HTTP, few accept Brotli. */
function encodingFor(accepted = ''): 'br' | 'gzip' | null {
  const offered = accepted
    .split(',')
    .map((one) => one.replaceAll(' ', '').toLowerCase())
    .filter((one) => !/;q=0(?:\.0*)?$/.test(one))
    .map((one) => one.split(';')[0]);
  return (['br', 'gzip'] as const).find((encoding) => offered.includes(encoding)) ?? null;
}

async function encoded(file: Buffer, encoding: 'br' | 'gzip' | null): Promise<Buffer> {
  if (encoding === 'br') return file;
  const content = await promisify(brotliDecompress)(file);
  return encoding === null ? content : await promisify(gzip)(content);
}
