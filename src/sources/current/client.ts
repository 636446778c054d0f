import {
  cleanWords,
  failureOf,
  isSuccess,
  jsonOf,
  malformed,
  originIn,
  pathOf,
  sendFor,
  unexpected,
  type ClientOptions,
} from '../client.ts';
import { wholeNumber } from '../decode.ts';
import type { Endpoint } from '../endpoint.ts';
import type { HttpAnswer } from '../http-answer.ts';
import type { Origin } from '../drift.ts';
import { isNoList, viewsOf, type Fields, type View, type ViewOf } from '../view.ts';

/** Query parameters; undefined values are not sent. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** The inputs of one call to the current surface besides its endpoint. */
export interface CurrentCall {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** The payload of a successful response, for views to read, and its origin. */
export interface Payload {
  readonly response: unknown;
  /** Returns the message of the envelope. Reads ignore it, and cleaning it takes time. */
  readonly message: () => string | null;
  readonly origin: Origin;
}

/** One page of a list, with the service's own numbers. */
export interface Page<T> {
  /** Number of the page, from 1. */
  readonly page: number;
  /** The page size that the service used, which may be smaller than requested. */
  readonly size: number;
  /** The total number of records in the list. */
  readonly total: number;
  readonly rows: readonly T[];
}

/** The page of a list to read. */
export interface PageRequest {
  readonly page: number;
  readonly size: number;
}

/** The current surface, with one caller's API key, for one operation. */
export interface CurrentClient {
  /** Calls an endpoint and unwraps its envelope. Fails as documented at `Endpoint`, or as `Upstream.send`. */
  call(endpoint: Endpoint, call?: CurrentCall): Promise<Payload>;
}

/** How to reach the current surface for one caller. */
export interface CurrentClientOptions extends ClientOptions {
  /** The caller's access token, if it is sent in addition to the key. */
  readonly accessToken?: string | undefined;
}

/** Binds the current surface to one caller. The key is sent in the `x-api-key` header, a token in `authorization`. */
export function createCurrentClient(options: CurrentClientOptions): CurrentClient {
  const { credential, accessToken, onJudged } = options;
  const token = accessToken === undefined ? [] : ['authorization', `Bearer ${accessToken}`];
  const headers = ['x-api-key', credential, ...token];
  const headersOfJson = [...headers, 'content-type', 'application/json'];
  return {
    async call(endpoint, { path, query, body } = {}) {
      const target = pathOf(endpoint, path) + queryText(query);
      const answer = await sendFor(
        options,
        body === undefined
          ? { endpoint, path: target, headers }
          : { endpoint, path: target, headers: headersOfJson, body: JSON.stringify(body) },
      );
      if (!isSuccess(answer)) throw failureOf(endpoint, answer, options);
      const payload = openEnvelope(endpoint, answer, options);
      onJudged?.(true);
      if (answer.isLarge) await answer.pause();
      return payload;
    },
  };
}

function openEnvelope(endpoint: Endpoint, answer: HttpAnswer, options: ClientOptions): Payload {
  const body = jsonOf(endpoint, answer);
  if (typeof body !== 'object' || body === null || !('response' in body))
    throw unexpected(endpoint, 'an envelope with a response', answer, options);
  const { response } = body;
  if (typeof response !== 'object' || response === null || Array.isArray(response))
    throw unexpected(endpoint, 'an object in the envelope', answer, options);
  // No call is documented to have an empty result; a failure with the status 200 has one.
  if (Object.keys(response).length === 0)
    throw unexpected(endpoint, 'a result that is not empty', answer, options);
  const words = 'message' in body && typeof body.message === 'string' ? body.message : '';
  const message = (): string | null => cleanWords(words, answer, options.credentials) ?? null;
  return { response, message, origin: originIn(endpoint, options) };
}

/**
 * Reads one page of a list, whose `rows` are created by `view`. Fails as `CurrentClient.call` does, and with
 * `malformed` if the page's own numbers are missing or contradict its rows.
 *
 * @param asked - number of the requested page, whatever parameter name it is sent under
 */
export async function readPage<F extends Fields>(
  client: CurrentClient,
  endpoint: Endpoint,
  view: ViewOf<F>,
  asked: number,
  query: Query,
): Promise<Page<View<F>>> {
  const { response, origin } = await client.call(endpoint, { query });
  const body = response as Readonly<Record<string, unknown>>;
  const total = count(endpoint, body, TOTAL_NAMES, origin);
  reportDisagreement(body, origin);
  const rows = isNoList(body['list']) ? [] : body['list'];
  if (!Array.isArray(rows)) throw malformed(endpoint, 'a page with a list', origin);
  // An empty list may be page 0 of 0 with a size of 0.
  if (total === 0 && rows.length === 0) {
    const size = countIn(body['pageLimit']) || Number(query['limit'] ?? 1);
    return { page: asked, size, total, rows: [] };
  }
  const page = count(endpoint, body, ['currentPage'], origin);
  const size = count(endpoint, body, ['pageLimit'], origin);
  if (!isConsistent({ page, size, total, rows }, asked)) {
    throw malformed(endpoint, 'a page with consistent counts', origin);
  }
  return { page, size, total, rows: viewsOf(view, rows, origin) };
}

// Beyond the end, the service may return anything: an empty page, or its last page again.
function isConsistent({ page, size, total, rows }: Page<unknown>, asked: number): boolean {
  if (size < 1 || rows.length > size || page < 1) return false;
  const start = (page - 1) * size;
  if (start >= total) return (page === asked || total === 0) && (start > 0 || rows.length === 0);
  const isAsked = page === asked || (page < asked && page * size >= total);
  return isAsked && rows.length > 0 && start + rows.length <= total;
}

// The library's list is documented with one name and shown with others; the declared name takes precedence.
const TOTAL_NAMES = ['totalRecords', 'totalRecord', 'totalCount'] as const;

function reportDisagreement(
  body: Readonly<Record<string, unknown>>,
  { surface, endpoint, onDrift }: Origin,
): void {
  const totals = TOTAL_NAMES.filter((name) => body[name] != null).map((name) => Number(body[name]));
  if (totals.some((total) => !Object.is(total, totals[0])))
    onDrift({ surface, endpoint, field: 'totalRecords', expected: 'the same value under each of its names' });
}

function count(
  endpoint: Endpoint,
  body: Readonly<Record<string, unknown>>,
  names: readonly string[],
  origin: Origin,
): number {
  const name = names.find((candidate) => body[candidate] != null) ?? names[0] ?? '';
  const number = countIn(body[name]);
  if (number === null) throw malformed(endpoint, `a page with a usable ${name}`, origin);
  return number;
}

function countIn(value: unknown): number | null {
  const number = wholeNumber(value);
  return number !== undefined && number >= 0 ? number : null;
}

function queryText(query: Query = {}): string {
  let text = '';
  for (const name in query) {
    const value = query[name];
    if (value === undefined) continue;
    // URLSearchParams costs ten times as much, and most queries only contain numbers.
    const pair =
      typeof value === 'number' ? `${name}=${value}` : String(new URLSearchParams([[name, value]]));
    text += (text === '' ? '?' : '&') + pair;
  }
  return text;
}
