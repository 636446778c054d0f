import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gunzip, gzip } from 'node:zlib';
import type { Exchange } from '../exchange.ts';

/** A file in the two encodings that browsers accept. */
export interface CompressedFile {
  readonly brotli: Buffer;
  readonly gzipped: Buffer;
}

/** The explorer as it was built. */
export interface BuiltExplorer {
  /** The page, with `"OPTIONS"` as a placeholder for its options. */
  readonly page: string;
  /** The files that the page loads, with names that change with their content; no others are ever sent. */
  readonly files: ReadonlyMap<string, CompressedFile>;
}

/** Reads the built explorer. */
export type ReadExplorer = () => Promise<BuiltExplorer>;

/** Compresses generated text. */
export async function compress(text: string): Promise<CompressedFile> {
  const bytes = Buffer.from(text);
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    promisify(gzip)(bytes),
  ]);
  return { brotli, gzipped };
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  ttf: 'font/ttf',
  woff: 'font/woff',
  woff2: 'font/woff2',
};

/** Returns the media type of a file, by its extension. */
export function typeOfFile(name: string): string {
  const ending = /[^.]*$/.exec(name)?.[0] ?? '';
  return TYPES[ending] ?? 'application/octet-stream';
}

/** The headers sent with a file; the tag identifies its content. */
export interface FileHeaders {
  readonly 'content-type': string;
  readonly 'cache-control': string;
  readonly etag: string;
  readonly vary: string;
}

/** Sends a file in an encoding that the browser accepts, or a 304 if the browser already has it. */
export async function sendFile(
  exchange: Exchange,
  file: CompressedFile,
  headers: FileHeaders,
): Promise<void> {
  const { request } = exchange;
  if (request.headers['if-none-match'] === headers.etag) {
    const { 'content-type': _type, ...kept } = headers;
    return exchange.send(304, kept);
  }
  const encoding = encodingFor(request);
  const body = await bodyOf(file, encoding);
  exchange.send(200, { ...headers, ...(encoding !== null && { 'content-encoding': encoding }) }, body);
}

type Encoding = 'br' | 'gzip' | null;

function encodingFor({ headers }: IncomingMessage): Encoding {
  const offered = (headers['accept-encoding'] ?? '')
    .split(',')
    .map((one) => one.replaceAll(' ', '').toLowerCase())
    .filter((one) => !/;q=0(?:\.0*)?$/.test(one))
    .map((one) => one.split(';')[0]);
  return (['br', 'gzip'] as const).find((encoding) => offered.includes(encoding)) ?? null;
}

// No browser requests a file uncompressed.
async function bodyOf({ brotli, gzipped }: CompressedFile, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'br') return brotli;
  return encoding === 'gzip' ? gzipped : await promisify(gunzip)(gzipped);
}
