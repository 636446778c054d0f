import { cutText } from '../cut-text.ts';
import type { Endpoint } from './endpoint.ts';
import { SourceError, type SourceErrorDetails, type Surface } from './errors.ts';
import { retryAfterOf, type HttpAnswer } from './http-answer.ts';
import { MAX_JSON_DEPTH, parseJson } from './json.ts';
import { messageText } from './plain-text.ts';
import { blankAssignments, blankTokens, KnownSecrets } from './secret-texts.ts';
import { MAX_SECRETS, removeCredentials, secretsIn } from './secrets.ts';
import type { Upstream, UpstreamCall } from './upstream/call.ts';
import type { Request } from './upstream/transport.ts';
import type { Drift, Origin } from './drift.ts';

/** The options of a surface's client. One client serves one operation of one caller. */
export interface ClientOptions extends Pick<
  UpstreamCall,
  'caller' | 'cancellation' | 'endsAt' | 'isFresh' | 'onCall' | 'span'
> {
  readonly http: Pick<Upstream, 'send'>;
  /** The caller's key or token. */
  readonly credential: string;
  /** All credentials of the caller, including for the other surface: the service's messages must not reveal them. */
  readonly credentials: readonly string[];
  /** Called when a response shows whether the service accepts the credential: on success, and on a 401. */
  readonly onJudged?: (isAccepted: boolean) => void;
  /** Called for fields that deviate from the documented interface. */
  readonly onDrift: (drift: Drift) => void;
  /** Called for server errors that come with a message. */
  readonly onServerError: (error: ServerError) => void;
}

/** The message of a response with a 5xx status. It is for the log only, because it may quote a database or a stack. */
export interface ServerError {
  readonly surface: Surface;
  readonly endpoint: string;
  readonly status: number;
  /** Plain text of at most 300 characters, without secrets. */
  readonly words: string;
}

/**
 * Returns the path of a call, with encoded values. Throws a SourceError `malformed` for an id that would address another
 * resource even when encoded: it came from the service.
 */
export function pathOf(endpoint: Endpoint, values: Readonly<Record<string, string>> = {}): string {
  let { path } = endpoint;
  for (const name in values) {
    const value = values[name] ?? '';
    if (value === '' || value === '.' || value === '..')
      throw malformed(endpoint, 'an id that can be part of a path', null);
    path = path.replace(`{${name}}`, encodeURIComponent(value));
  }
  return path;
}

/** Returns the origin of the records in an endpoint's response. */
export function originIn({ surface, name }: Endpoint, { onDrift }: ClientOptions): Origin {
  return { surface, endpoint: name, onDrift };
}

/** Sends a call for one caller. Reads end with the operation; writes are left to finish. */
export function sendFor(
  { http, caller, cancellation, endsAt, isFresh, onCall, span }: ClientOptions,
  { endpoint, path, headers, body, mayBeSent }: Request,
): Promise<HttpAnswer> {
  // Written out, so that all calls have one shape.
  return http.send({
    endpoint,
    path,
    headers,
    body,
    mayBeSent,
    caller,
    cancellation,
    endsAt,
    isFresh,
    onCall,
    span,
  });
}

/**
 * Parses the body of a response as JSON, without the credentials of connected accounts; undefined if it is not JSON. All
 * readers of the response share the value, so it must not be changed.
 */
export function jsonOf(endpoint: Endpoint, answer: HttpAnswer): unknown {
  return answer.once(endpoint.answersAccounts === true ? parseAccounts : parseBody);
}

function parseAccounts(answer: HttpAnswer): unknown {
  const body = parseBody(answer);
  removeCredentials(body);
  return body;
}

/** Parses the body of a response, credentials included: they must not be in the service's message either. */
function parseBody({ body }: HttpAnswer): unknown {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}

/** Stands for the name of a field if a response as a whole deviates from its documentation. */
const WHOLE = '(response)';

/** Creates the error for a response that the interface does not document, and reports it to `origin`. */
export function malformed(
  { name, surface }: Endpoint,
  expected: string,
  origin: Pick<Origin, 'onDrift'> | null,
  details?: Pick<SourceErrorDetails, 'status' | 'serviceMessage'>,
): SourceError {
  origin?.onDrift({ surface, endpoint: name, field: WHOLE, expected });
  return new SourceError('malformed', surface, `${name}: expected ${expected}`, {
    endpoint: name,
    ...details,
  });
}

/** Creates the error for a response without an error status that the interface does not document. */
export function unexpected(
  endpoint: Endpoint,
  expected: string,
  answer: HttpAnswer,
  options: ClientOptions,
): SourceError {
  const words = serviceWords(answer, options.credentials);
  // Text that is not JSON is no message of the service: it may be the page of a login form.
  const serviceMessage = words === undefined || answer.once(parseBody) === undefined ? undefined : words;
  return malformed(endpoint, expected, options, { status: answer.status, serviceMessage });
}

/** Whether the status of a response is a success. */
export function isSuccess({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300;
}

/**
 * Creates the error for a response without a success status, and reports a rejected credential or a server error.
 * Without `options`, the service's message is ignored.
 */
export function failureOf(
  { name, surface }: Endpoint,
  answer: HttpAnswer,
  options: ClientOptions | null,
): SourceError {
  const { status } = answer;
  const kind = kindOfStatus(status);
  const target = redirectTarget(answer, options?.credentials);
  const words =
    options === null || target !== undefined ? undefined : serviceWords(answer, options.credentials);
  if (status === 401) options?.onJudged?.(false);
  if (status >= 500 && words !== undefined)
    options?.onServerError({ surface, endpoint: name, status, words });
  if (kind === 'malformed')
    options?.onDrift({ surface, endpoint: name, field: WHOLE, expected: 'no redirect' });
  return new SourceError(kind, surface, `${name}: HTTP ${status}`, {
    endpoint: name,
    status,
    serviceMessage: status < 500 ? words : undefined,
    retryAfterMs: retryAfterOf(answer) ?? undefined,
    publicMessage: target && redirected(surface, status, target),
  });
}

function kindOfStatus(status: number): SourceError['kind'] {
  if (status === 401) return 'unauthenticated';
  if (status === 408) return 'timeout';
  if (status === 429) return 'rate-limited';
  if (status >= 500) return 'unavailable';
  if (status >= 400) return 'rejected';
  return 'malformed';
}

const MAX_TARGET_CHARS = 120;

/** Stands for the origin of the call in a relative location. */
const NO_ORIGIN = 'https://origin.invalid';

/** Returns where a redirect leads, without credentials, query and fragment. */
function redirectTarget(answer: HttpAnswer, credentials: readonly string[] = []): string | undefined {
  const { status, headers } = answer;
  const location = headers['location'];
  if (status < 300 || status >= 400 || typeof location !== 'string') return undefined;
  if (!URL.canParse(location, NO_ORIGIN)) return undefined;
  const { protocol, origin, pathname } = new URL(location, NO_ORIGIN);
  if (!/^https?:$/.test(protocol)) return undefined;
  const target = cleanWords(origin === NO_ORIGIN ? pathname : `${origin}${pathname}`, answer, credentials);
  return target && cutText(target, MAX_TARGET_CHARS);
}

function redirected(surface: Surface, status: number, target: string): string {
  return `The ${surface} surface redirects to ${target} (HTTP ${status}); correct its base URL in this server’s settings.`;
}

/** Returns the service's message in a failed response without secrets. A large one has none that is worth parsing it again. */
export function serviceWords(answer: HttpAnswer, credentials: readonly string[]): string | undefined {
  if (answer.isLarge) return undefined;
  const json = answer.once(parseBody);
  // Something that looks like a record but cannot be parsed is dropped, because its contents are unknown.
  const text = json === undefined ? answer.text : null;
  if (text !== null && /^\s*[[{"]/.test(text)) return undefined;
  const words = text ?? messageIn(json);
  return words === null ? undefined : cleanWords(words, answer, credentials);
}

/** All characters of an error's body; of longer words, only the beginning is told. */
const MAX_WORDS_CHARS = 64 * 1024;

/**
 * Formats words of the service as a one-line message; undefined if nothing is left, or if the response has too many
 * secrets to search for. Removes these, the caller's credentials, and whatever looks like a token.
 */
export function cleanWords(
  words: string,
  answer: HttpAnswer,
  credentials: readonly string[],
): string | undefined {
  const secrets = secretsIn(answer.once(parseBody));
  if (secrets.size > MAX_SECRETS) return undefined;
  const known = new KnownSecrets([...secrets, ...credentials]);
  const clean = (text: string): string => blankTokens(blankAssignments(known.blankIn(text)));
  // Also before the rest is cut, which could leave half of a value.
  return messageText(known.blankIn(words.slice(0, MAX_WORDS_CHARS)), clean) || undefined;
}

// Looks no deeper than allowed: the stack does not suffice for whatever depth the parser accepts.
function messageIn(body: unknown, depth = MAX_JSON_DEPTH): string | null {
  if (typeof body === 'string') return body.trim() === '' ? null : body;
  if (typeof body !== 'object' || body === null || depth === 0) return null;
  const fields = body as Record<string, unknown>;
  for (const name of ['msg', 'message', 'error', 'errors', 'response']) {
    const words = messageIn(Array.isArray(fields[name]) ? fields[name][0] : fields[name], depth - 1);
    if (words !== null) return words;
  }
  return null;
}
