import { fillPath, type Endpoint } from './endpoint.ts';
import { SourceError } from './errors.ts';
import type { HttpAnswer } from './http-answer.ts';
import { parseAnswer, type ParsedAnswer } from './json.ts';
import { messageText } from './plain-text.ts';
import { blankSecrets, cleanJsonText } from './redact.ts';
import { retryAfterOf } from './retry-after.ts';
import { Secrets } from './secrets.ts';
import { blankTokens } from './token-shapes.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamCall } from './upstream/upstream-call.ts';
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
}

/** Sends a call for one caller. Reads end with the operation; writes are left to finish. */
export function sendFor(
  { http, caller, cancellation, endsAt, isFresh, onCall, span }: ClientOptions,
  { endpoint, path, headers, body }: Pick<UpstreamCall, 'endpoint' | 'path' | 'headers' | 'body'>,
): Promise<HttpAnswer> {
  return http.send({ endpoint, path, headers, body, caller, cancellation, endsAt, isFresh, onCall, span });
}

/** Returns the path of a call. An id that cannot be in a path came from the service, whose response is malformed. */
export function pathOf(endpoint: Endpoint, values: Readonly<Record<string, string>> = {}): string {
  try {
    return fillPath(endpoint.path, values);
  } catch {
    throw malformed(endpoint, 'an id that no path can hold');
  }
}

/** Returns the origin of the records in an endpoint's response. */
export function originIn(endpoint: Endpoint, answer: HttpAnswer, { onDrift }: ClientOptions): Origin {
  return { surface: endpoint.surface, endpoint: endpoint.name, onDrift, secrets: secretsOf(answer) };
}

/**
 * Parses the body of a response as JSON, secrets included; undefined if it is not JSON. All readers of the response
 * share the value, so it must not be changed.
 */
export function jsonOf(answer: HttpAnswer): unknown {
  return answer.once(parseBody)?.value;
}

function parseBody({ text }: HttpAnswer): ParsedAnswer | undefined {
  try {
    return parseAnswer(text);
  } catch {
    return undefined;
  }
}

function secretsOf(answer: HttpAnswer): () => Secrets {
  return answer.once(parseBody)?.secrets ?? (() => new Secrets([], []));
}

/** Creates the error for a response that the interface does not document. */
export function malformed(endpoint: Endpoint, what: string, status?: number): SourceError {
  return new SourceError('malformed', endpoint.surface, `${endpoint.name}: ${what}`, {
    endpoint: endpoint.name,
    ...(status === undefined ? {} : { status }),
  });
}

/** Whether the status of a response is a success. */
export function isSuccess({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300;
}

/** Creates the error for a response with an error status; `words` is the service's message, if any. */
export function failureOf(endpoint: Endpoint, answer: HttpAnswer, words: string | null): SourceError {
  const retryAfterMs = retryAfterOf(answer);
  const details = {
    endpoint: endpoint.name,
    status: answer.status,
    ...(words === null ? {} : { serviceMessage: words }),
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  };
  return new SourceError(
    kindOfStatus(answer.status),
    endpoint.surface,
    `${endpoint.name}: HTTP ${answer.status}`,
    details,
  );
}

function kindOfStatus(status: number): SourceError['kind'] {
  if (status === 401) return 'unauthenticated';
  if (status === 408) return 'timeout';
  if (status === 429) return 'rate-limited';
  if (status >= 500) return 'unavailable';
  if (status >= 400) return 'rejected';
  return 'malformed';
}

/** Maximum number of characters of a message that are examined. */
const MAX_WORDS_CHARS = 16_384;

/** Returns the service's message in a failed response without secrets, or null. */
export function serviceWords(answer: HttpAnswer, { credentials }: ClientOptions): string | null {
  const json = jsonOf(answer);
  // Something that looks like a record but cannot be parsed is dropped, because its contents are unknown.
  if (json === undefined && /^\s*[[{"]/.test(answer.text)) return null;
  const words = json === undefined ? answer.text : messageIn(json);
  return words === null ? null : cleanWords(words, answer, credentials);
}

/**
 * Formats words of the service as a one-line message; null if nothing is left. Removes the secrets of the response, the
 * caller's credentials, and whatever looks like a token.
 */
export function cleanWords(words: string, answer: HttpAnswer, credentials: readonly string[]): string | null {
  const secrets = secretsOf(answer)();
  const clean = (text: string): string =>
    blankTokens(blankSecrets(cleanJsonText(text, secrets), credentials));
  return messageText(words.slice(0, MAX_WORDS_CHARS), clean) || null;
}

function messageIn(body: unknown): string | null {
  if (typeof body === 'string') return body;
  if (typeof body !== 'object' || body === null) return null;
  const fields = body as Record<string, unknown>;
  for (const name of ['msg', 'message', 'error', 'errors', 'response']) {
    const words = messageIn(Array.isArray(fields[name]) ? fields[name][0] : fields[name]);
    if (words !== null) return words;
  }
  return null;
}
