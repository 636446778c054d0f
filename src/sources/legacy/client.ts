import { stringify } from 'qs';
import type { Config } from '../../config.ts';
import {
  failureOf,
  isSuccess,
  jsonOf,
  originIn,
  pathOf,
  sendFor,
  serviceWords,
  unexpected,
  type ClientOptions,
} from '../client.ts';
import { wholeNumber } from '../decode.ts';
import type { Endpoint } from '../endpoint.ts';
import { SourceError } from '../errors.ts';
import type { HttpAnswer } from '../http-answer.ts';
import type { Origin } from '../drift.ts';
import { isNoList } from '../view.ts';

/** The inputs of one call to the legacy surface besides its endpoint. */
export interface LegacyCall {
  readonly path?: Readonly<Record<string, string>>;
  /** Sent form-encoded; arrays and objects become bracketed names, as in `account_id[0]`. */
  readonly form?: Readonly<Record<string, unknown>>;
  readonly mayBeSent?: () => boolean;
}

/** Records or data of a successful response, and their origin. */
export interface LegacyPayload<T> {
  readonly data: T;
  readonly origin: Origin;
}

/** The legacy surface, with one caller's access token, for one operation. */
export interface LegacyClient {
  /** Calls an endpoint that returns a list, bare or as the `data` of a success. Fails as documented at `Endpoint`. */
  list(endpoint: Endpoint): Promise<LegacyPayload<unknown[]>>;
  /** Calls an endpoint that returns an error flag with or without data. Fails as `list` does. */
  call(endpoint: Endpoint, call?: LegacyCall): Promise<LegacyPayload<unknown>>;
}

/** How to reach the legacy surface for one caller. */
export interface LegacyClientOptions extends ClientOptions {
  /** Where the access token is sent: in the `authorization` header, the form body or the query. */
  readonly tokenPlacement: Config['legacyTokenPlacement'];
}

/** Binds the legacy surface to one caller. */
export function createLegacyClient(options: LegacyClientOptions): LegacyClient {
  return {
    async list(endpoint) {
      const answer = await send(options, endpoint, {});
      const data = isSuccess(answer) ? listIn(jsonOf(endpoint, answer)) : null;
      if (data === null) {
        if (answer.status === 401) throw failureOf(endpoint, answer, options);
        throw failureIn(endpoint, answer, options) ?? unexpected(endpoint, 'a list', answer, options);
      }
      options.onJudged?.(true);
      if (answer.isLarge) await answer.pause();
      return { data, origin: originIn(endpoint, options) };
    },
    async call(endpoint, call = {}) {
      const answer = await send(options, endpoint, call);
      const failure = failureIn(endpoint, answer, options);
      if (failure !== null) throw failure;
      const body = jsonOf(endpoint, answer);
      if (errorFlag(body) === 'none') throw unexpected(endpoint, 'an error flag', answer, options);
      options.onJudged?.(true);
      const { data = null } = body as { readonly data?: unknown };
      return { data, origin: originIn(endpoint, options) };
    },
  };
}

/** Maximum number of records in a response. */
const MOST_ROWS = 100_000;

// Lists are documented as bare arrays, all other results with a flag; a failed list is an object with its flag set.
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
  const { credential: token, tokenPlacement } = options;
  const placement = tokenPlacement === 'body' && endpoint.method === 'GET' ? 'header' : tokenPlacement;
  const form = placement === 'body' ? { ...call.form, access_token: token } : call.form;
  const path = pathOf(endpoint, call.path);
  return sendFor(options, {
    endpoint,
    path: placement === 'query' ? `${path}?${new URLSearchParams({ access_token: token })}` : path,
    headers: [
      ...(placement === 'header' ? ['authorization', `Bearer ${token}`] : []),
      ...(form === undefined ? [] : FORM_HEADERS),
    ],
    body: form && stringify(form),
    mayBeSent: call.mayBeSent,
  });
}

export const FORM_HEADERS = ['content-type', 'application/x-www-form-urlencoded'] as const;

/**
 * Returns the error of a response that is flagged as failed or has no success status; null for others. The flag takes
 * precedence over the status: a failure may come with 200, and a validation failure with 401. Without `options`, the
 * service's message is ignored.
 */
export function failureIn(
  endpoint: Endpoint,
  answer: HttpAnswer,
  options: ClientOptions | null,
): SourceError | null {
  const { name, surface } = endpoint;
  const { status } = answer;
  if (errorFlag(jsonOf(endpoint, answer)) === 'failure' && isRefusal(status))
    return new SourceError('rejected', surface, `${name}: flagged as failed`, {
      endpoint: name,
      status,
      serviceMessage: options === null ? undefined : serviceWords(answer, options.credentials),
    });
  return isSuccess(answer) ? null : failureOf(endpoint, answer, options);
}

/**
 * Whether a failure flagged in the body means that the call was rejected. A requested pause does not, and after a
 * timeout or a server error the call may have taken effect.
 */
function isRefusal(status: number): boolean {
  return status < 500 && status !== 429 && status !== 408;
}

/**
 * Returns the meaning of the error flag in a response: a number, which may come as text, or a boolean. Any other value may
 * mean that there was no error, such as an empty list or the text `none`, unless there are words instead of data.
 */
function errorFlag(body: unknown): 'success' | 'failure' | 'none' {
  if (typeof body !== 'object' || body === null || !('error' in body)) return 'none';
  const { error, msg, data }: { readonly error: unknown; readonly msg?: unknown; readonly data?: unknown } =
    body;
  if (error === false || wholeNumber(error) === 0) return 'success';
  if (error === true || wholeNumber(error) !== undefined) return 'failure';
  return !isNoList(error) && typeof msg === 'string' && data == null ? 'failure' : 'none';
}
