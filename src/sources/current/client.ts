import {
  cleanWords,
  failureOf,
  isSuccess,
  jsonOf,
  malformed,
  originIn,
  pathOf,
  sendFor,
  serviceWords,
  type ClientOptions,
} from '../call.ts';
import type { Endpoint } from '../endpoint.ts';
import type { HttpAnswer } from '../http-answer.ts';
import type { Origin } from '../drift.ts';
import { inspected, type Fields, type View, type ViewOf } from '../view.ts';

/** Values of a query; what is undefined is not sent. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** The query of a paged list; `page` says which one is asked for, under whatever name it is sent. */
export interface PageQuery {
  readonly page: number;
  readonly parameters: Query;
}

/** What one call to the current surface takes beside its endpoint. */
export interface CurrentCall {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** The payload of a successful response, for views to read, and where it came from. */
export interface Payload {
  readonly response: unknown;
  /** The envelope's text. */
  readonly message: string | null;
  readonly origin: Origin;
}

/** One page of a list, with the numbers that the service counts it by. */
export interface Page<T> {
  /** Number of the page, from 1. */
  readonly page: number;
  /** The page size that the service used, which may be less than was asked for. */
  readonly size: number;
  /** How many records the whole list has. */
  readonly total: number;
  readonly rows: readonly T[];
}

/** Which page of a list to read. */
export interface PageRequest {
  readonly page: number;
  readonly size: number;
}

/** The current surface, with one caller's API key, for one operation. */
export interface CurrentClient {
  /**
   * Calls an endpoint and opens its envelope. Fails with a SourceError of kind `unauthenticated` (401), `rate-limited`
   * (429), `rejected` (other 4xx), `unavailable` (5xx), `malformed` (no documented envelope), or as `Upstream.send`.
   */
  call(endpoint: Endpoint, call?: CurrentCall): Promise<Payload>;
  /** As `call`, without the message. */
  read(endpoint: Endpoint, call: CurrentCall): Promise<Omit<Payload, 'message'>>;
}

/** How to reach the current surface for one caller. */
export interface CurrentClientOptions extends ClientOptions {
  /** The caller's access token, where it is sent beside the key. */
  readonly accessToken?: string | undefined;
}

/** Binds the current surface to one caller. The key travels in the header `x-api-key`, a token in `authorization`. */
export function createCurrentClient(options: CurrentClientOptions): CurrentClient {
  return new BoundCurrentClient(options);
}

class BoundCurrentClient implements CurrentClient {
  readonly #options: ClientOptions;
  readonly #headers: readonly string[];

  constructor(options: CurrentClientOptions) {
    const { credential, accessToken } = options;
    this.#options = options;
    this.#headers = ['x-api-key', credential];
    if (accessToken !== undefined)
      this.#headers = [...this.#headers, 'authorization', `Bearer ${accessToken}`];
  }

  async call(endpoint: Endpoint, call: CurrentCall = {}): Promise<Payload> {
    const answer = await this.#send(endpoint, call);
    const { response, words } = this.#open(endpoint, answer);
    return {
      response,
      message: cleanWords(words, answer, this.#options.credentials),
      origin: originIn(endpoint, answer, this.#options),
    };
  }

  async read(endpoint: Endpoint, call: CurrentCall): Promise<Omit<Payload, 'message'>> {
    const answer = await this.#send(endpoint, call);
    const { response } = this.#open(endpoint, answer);
    await answer.pause();
    return { response, origin: originIn(endpoint, answer, this.#options) };
  }

  #send(endpoint: Endpoint, { path, query, body }: CurrentCall): Promise<HttpAnswer> {
    const target = pathOf(endpoint, path) + queryText(query);
    if (body === undefined) return sendFor(this.#options, { endpoint, path: target, headers: this.#headers });
    const headers = [...this.#headers, 'content-type', 'application/json'];
    return sendFor(this.#options, { endpoint, path: target, headers, body: JSON.stringify(body) });
  }

  #open(endpoint: Endpoint, answer: HttpAnswer): Envelope {
    const { onJudged } = this.#options;
    if (isSuccess(answer)) {
      const envelope = openEnvelope(endpoint, answer);
      onJudged?.(true);
      return envelope;
    }
    if (answer.status === 401) onJudged?.(false);
    throw failureOf(endpoint, answer, serviceWords(answer, this.#options));
  }
}

/** What is answered, and the words around it. */
interface Envelope {
  readonly response: object;
  readonly words: string;
}

function openEnvelope(endpoint: Endpoint, answer: HttpAnswer): Envelope {
  const body = jsonOf(answer);
  if (typeof body !== 'object' || body === null || !('response' in body)) {
    throw malformed(endpoint, 'no envelope with a response', answer.status);
  }
  if (typeof body.response !== 'object' || body.response === null || Array.isArray(body.response)) {
    throw malformed(endpoint, 'a response that is no object', answer.status);
  }
  const words = 'message' in body && typeof body.message === 'string' ? body.message : '';
  return { response: body.response, words };
}

/**
 * Reads one page of a list.
 *
 * `rows` are made by `view`. Fails as `CurrentClient.call` does, and with `malformed` where the page's own numbers are
 * missing or contradict its rows.
 */
export async function readPage<F extends Fields>(
  client: CurrentClient,
  endpoint: Endpoint,
  query: PageQuery,
  view: ViewOf<F>,
): Promise<Page<View<F>>> {
  const { response, origin } = await client.read(endpoint, { query: query.parameters });
  const body = response as Readonly<Record<string, unknown>>;
  const page = count(endpoint, body, ['currentPage']);
  const size = count(endpoint, body, ['pageLimit']);
  const total = count(endpoint, body, TOTAL_NAMES);
  reportDisagreement(body, origin);
  const rows = body['list'];
  if (!Array.isArray(rows)) throw malformed(endpoint, 'a page without a list');
  if (!isConsistent({ page, size, total, rows }, query.page)) {
    throw malformed(endpoint, 'a page that contradicts its own numbers');
  }
  // The records of a page are of one kind: one that is looked at closely tells of them all.
  const seen = rows.map((row, index) => (index === 0 ? inspected(view, row, origin) : view(row, origin)));
  return { page, size, total, rows: seen };
}

// Beyond the end, the service may answer anything that it likes: an empty page, or its last one again.
function isConsistent({ page, size, total, rows }: Page<unknown>, asked: number): boolean {
  if (size < 1 || rows.length > size || page < 1) return false;
  const start = (page - 1) * size;
  if (start >= total) return (page === asked || total === 0) && (start > 0 || rows.length === 0);
  const isAsked = page === asked || (page < asked && page * size >= total);
  return isAsked && rows.length > 0 && start + rows.length <= total;
}

// The library's list is documented with one name and shown with others; the declared name counts first.
const TOTAL_NAMES = ['totalRecords', 'totalRecord', 'totalCount'] as const;

function reportDisagreement(
  body: Readonly<Record<string, unknown>>,
  { surface, endpoint, onDrift }: Origin,
): void {
  const totals = TOTAL_NAMES.filter((name) => body[name] != null).map((name) => Number(body[name]));
  if (totals.some((total) => !Object.is(total, totals[0])))
    onDrift({ surface, endpoint, field: 'totalRecords', expected: 'the same under all its names' });
}

/** The largest number that the graph's own counts can say. */
const MAX_COUNT = 2 ** 31 - 1;

function count(
  endpoint: Endpoint,
  body: Readonly<Record<string, unknown>>,
  names: readonly string[],
): number {
  const name = names.find((candidate) => body[candidate] != null) ?? names[0] ?? '';
  const value = body[name];
  // Echoed query parameters come back as text in some services.
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0 || number > MAX_COUNT) {
    throw malformed(endpoint, `a page without a usable ${name}`);
  }
  return number;
}

function queryText(query: Query = {}): string {
  let text = '';
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    // URLSearchParams costs ten times as much, and numbers are all that most queries hold.
    const pair =
      typeof value === 'number' ? `${name}=${value}` : String(new URLSearchParams([[name, value]]));
    text += (text === '' ? '?' : '&') + pair;
  }
  return text;
}
