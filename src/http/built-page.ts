import { hash } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib';
import { parseAccept } from 'hono/utils/accept';
import { typeOf } from '../../packages/explorer/src/served.ts';
import { isRead, Refusal, type Exchange } from './exchange.ts';

/** A page as it was built. */
export interface BuiltPage {
  /** The page, with `"OPTIONS"` as a placeholder for its options. */
  readonly page: string;
  /** The files that the page loads, compressed with Brotli, with names that change with their content; no others are ever sent. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/** Reads a built page. */
export type ReadPage = () => Promise<BuiltPage>;

/** How a built page is served. */
export interface ServedPageOptions {
  readonly read: ReadPage;
  /** Path of its files, with a slash at the end. */
  readonly filesPath: string;
  readonly contentSecurityPolicy: string;
  /** Embedded in the page as JSON. It contains nothing from the request. */
  readonly options: object;
}

const ONLY_READ = new Refusal(405, 'Use GET or HEAD.', { headers: { allow: 'GET, HEAD' } });
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Serves a page and its files, which are read on first use. */
export class ServedPage {
  readonly #served: ServedPageOptions;
  #opened: Promise<OpenPage> | undefined;

  constructor(served: ServedPageOptions) {
    this.#served = served;
  }

  /** Sends the page. */
  async sendPage(exchange: Exchange): Promise<void> {
    const { page, etag } = await this.#open();
    await this.#send(exchange, page, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      etag,
      vary: 'origin, accept-encoding, accept',
    });
  }

  /** Sends a file that the page loads. Returns false if there is no such file. */
  async sendFile(path: string, exchange: Exchange): Promise<boolean> {
    const name = path.slice(this.#served.filesPath.length);
    const file = (await this.#open()).files.get(name);
    if (file === undefined) return false;
    await this.#send(exchange, file, {
      'content-type': typeOf(name),
      'cache-control': 'public, max-age=31536000, immutable',
      etag: `W/"${name}"`,
      vary: 'accept-encoding',
    });
    return true;
  }

  #open(): Promise<OpenPage> {
    this.#opened ??= this.#served.read().then(async ({ page, files }) => {
      // A `<` could end the enclosing script element.
      const json = JSON.stringify(this.#served.options).replaceAll('<', '\\u003c');
      const html = page.replace('"OPTIONS"', () => json);
      return { page: await promisify(brotliCompress)(html, QUALITY), etag: `W/"${digest(html)}"`, files };
    });
    // A failed read may succeed next time.
    this.#opened.catch(() => (this.#opened = undefined));
    return this.#opened;
  }

  // Sends a file that is compressed with Brotli, or a 304 if the browser already has it.
  async #send(exchange: Exchange, file: Buffer, headers: OutgoingHttpHeaders): Promise<void> {
    const { request } = exchange;
    if (!isRead(request)) return exchange.refuse(ONLY_READ);
    exchange.headers['content-security-policy'] = this.#served.contentSecurityPolicy;
    exchange.headers['referrer-policy'] = 'same-origin';
    if (request.headers['if-none-match'] === headers.etag) {
      const { 'content-type': _type, ...kept } = headers;
      return exchange.send(304, kept);
    }
    const encoding = encodingFor(request.headers['accept-encoding']);
    if (encoding !== null) exchange.headers['content-encoding'] = encoding;
    exchange.send(200, headers, await encoded(file, encoding));
  }
}

interface OpenPage {
  readonly page: Buffer;
  readonly etag: string;
  readonly files: BuiltPage['files'];
}

/** Returns a short text that changes with another. */
export function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}

/** Returns the encoding that a browser accepts; over plain HTTP, few accept Brotli. */
function encodingFor(accepted = ''): 'br' | 'gzip' | null {
  const offered = parseAccept(accepted).map(({ type, q }) => (q > 0 ? type.toLowerCase() : null));
  return (['br', 'gzip'] as const).find((encoding) => offered.includes(encoding)) ?? null;
}

async function encoded(file: Buffer, encoding: 'br' | 'gzip' | null): Promise<Buffer> {
  if (encoding === 'br') return file;
  const content = await promisify(brotliDecompress)(file);
  return encoding === null ? content : await promisify(gzip)(content);
}
