import {
  failureOf,
  isSuccess,
  jsonOf,
  originIn,
  pathOf,
  sendFor,
  serviceWords,
  unexpected,
} from '../call.ts';
import type { ClientOptions } from '../call.ts';
import type { Endpoint } from '../endpoint.ts';
import { SourceError } from '../errors.ts';
import type { HttpAnswer } from '../http-answer.ts';
import type { Origin } from '../drift.ts';
import { isNoList } from '../view.ts';
import { formEncoded } from './form.ts';

/** Where the access token is sent: in the `authorization` header, the form body or the query. */
export type TokenPlacement = 'header' | 'body' | 'query';

/** The inputs of one call to the legacy surface besides its endpoint. */
export interface LegacyCall {
  readonly path?: Readonly<Record<string, string>>;
  /** Sent form-encoded; arrays and objects become bracketed names, as in `account_id[0]`. */
  readonly form?: Readonly<Record<string, unknown>>;
}

/** Records or data of a successful response, and their origin. */
export interface LegacyPayload<T> {
  readonly data: T;
  readonly origin: Origin;
}

/** The legacy surface, with one caller's access token, for one operation. */
export interface LegacyClient {
  /**
   * Calls an endpoint that returns a list, bare or as the `data` of a success. Fails with a SourceError of kind
   * `unauthenticated` (401), `rejected` (a flagged failure, whatever its status, or other 4xx), `rate-limited`,
   * `unavailable`, `malformed`.
   */
  list(endpoint: Endpoint): Promise<LegacyPayload<unknown[]>>;
  /** Calls an endpoint that returns an error flag with or without data. Fails as `list` does. */
  call(endpoint: Endpoint, call?: LegacyCall): Promise<LegacyPayload<unknown>>;
}

/** How to reach the legacy surface for one caller. */
export interface LegacyClientOptions extends ClientOptions {
  readonly tokenPlacement: TokenPlacement;
}

/** Binds the legacy surface to one caller. */
export function createLegacyClient(options: LegacyClientOptions): LegacyClient {
  return {
    async list(endpoint) {
      const answer = await send(options, endpoint, {});
      const body = jsonOf(endpoint, answer);
      const listed = isSuccess(answer) ? listIn(body) : null;
      if (listed !== null) {
        options.onJudged?.(true);
        const pause = answer.pause();
        if (pause !== null) await pause;
        return { data: listed, origin: originIn(endpoint, options) };
      }
      if (answer.status === 401) {
        options.onJudged?.(false);
        throw failureOf(endpoint, answer, options);
      }
      throw (
        failureIn(body, { endpoint, answer, options }) ?? unexpected(endpoint, 'not a list', answer, options)
      );
    },
    async call(endpoint, call = {}) {
      const answer = await send(options, endpoint, call);
      const body = jsonOf(endpoint, answer);
      const failure = failureIn(body, { endpoint, answer, options });
      if (failure === null) options.onJudged?.(true);
      else if (failure.kind === 'unauthenticated') options.onJudged?.(false);
      if (failure) throw failure;
      const { data = null } = body as { readonly data?: unknown };
      return { data, origin: originIn(endpoint, options) };
    },
  };
}

// Lists are documented as bare arrays, all other results with a flag; a failed list is an object with its flag set.
/** Maximum number of records in a response. */
const MOST_ROWS = 100_000;

function listIn(body: unknown): unknown[] | null {
  const list = Array.isArray(body) ? body : flaggedList(body);
  return list !== null && list.length <= MOST_ROWS ? list : null;
}

function flaggedList(body: unknown): unknown[] | null {
  if (errorFlag(body) !== 'success') return null;
  const { data } = body as { readonly data?: unknown };
  if (Array.isArray(data)) return data;
  return data !== undefined && isNoList(data) ? [] : null;
}

function send(options: LegacyClientOptions, endpoint: Endpoint, call: LegacyCall): Promise<HttpAnswer> {
  const placement =
    options.tokenPlacement === 'body' && endpoint.method === 'GET' ? 'header' : options.tokenPlacement;
  const token = options.credential;
  const form = placement === 'body' ? { ...call.form, access_token: token } : call.form;
  const path = pathOf(endpoint, call.path);
  return sendFor(options, {
    endpoint,
    path: placement === 'query' ? `${path}?${new URLSearchParams({ access_token: token })}` : path,
    headers: [
      ...(placement === 'header' ? ['authorization', `Bearer ${token}`] : []),
      ...(form === undefined ? [] : ['content-type', 'application/x-www-form-urlencoded']),
    ],
    body: form && formEncoded(form),
  });
}

interface Judged {
  readonly endpoint: Endpoint;
  readonly answer: HttpAnswer;
  readonly options: ClientOptions;
}

// The flag takes precedence over the status: a failure may come with 200, and a validation failure with 401.
function failureIn(body: unknown, { endpoint, answer, options }: Judged): SourceError | null {
  const flag = errorFlag(body);
  if (flag === 'failure' && isRefusal(answer.status))
    return rejected(endpoint, answer, serviceWords(answer, options));
  if (!isSuccess(answer)) return failureOf(endpoint, answer, options);
  return flag === 'success' ? null : unexpected(endpoint, 'no error flag', answer, options);
}

/**
 * Whether a failure flagged in the body means that the call was rejected. A requested pause does not, and after a
 * timeout or a server error the call may have taken effect.
 */
export function isRefusal(status: number): boolean {
  return status < 500 && status !== 429 && status !== 408;
}

function rejected(endpoint: Endpoint, answer: HttpAnswer, words: string | null): SourceError {
  return new SourceError('rejected', endpoint.surface, `${endpoint.name}: flagged as failed`, {
    endpoint: endpoint.name,
    status: answer.status,
    ...(words === null ? {} : { serviceMessage: words }),
  });
}

/** Returns the meaning of the error flag in a response; it is a number, a string, or missing. */
export function errorFlag(body: unknown): 'success' | 'failure' | 'none' {
  if (typeof body !== 'object' || body === null || !('error' in body)) return 'none';
  const { error } = body;
  if (error === 0 || error === '0' || error === false) return 'success';
  return error === undefined || error === null || error === '' ? 'none' : 'failure';
}
