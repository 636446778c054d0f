import { fillPath, type Endpoint } from './endpoint.ts';
import { SourceError, type Surface } from './errors.ts';
import type { HttpAnswer, SurfaceHttp } from './http.ts';
import { parseJson } from './json.ts';
import { messageText } from './plain-text.ts';
import { blankSecrets, withoutSecrets } from './redact.ts';
import type { Drift, Origin } from './view.ts';

/** What a surface's client is made of; one client serves one operation of one caller. */
export interface ClientOptions {
  readonly http: SurfaceHttp;
  /** The caller's key or token; goes to this surface only. */
  readonly credential: string;
  /** Ends the client's reads. A call with an effect is left to finish: giving up would not undo it. */
  readonly signal?: AbortSignal;
  /** Told of fields that are not as the interface documents them. */
  readonly onDrift: (drift: Drift) => void;
  /** Told of each call, once it has ended. */
  readonly onCall: (call: FinishedCall) => void;
}

/** One call to the service, for logs and metrics; it holds nothing of the caller's or the service's data. */
export interface FinishedCall {
  readonly endpoint: string;
  readonly surface: Surface;
  /** HTTP status, or null where no answer came. */
  readonly status: number | null;
  readonly durationMs: number;
}

/** Sends one request and tells the observer, whatever comes of it. */
export async function observedSend(
  options: ClientOptions,
  request: Parameters<SurfaceHttp['send']>[0],
): Promise<HttpAnswer> {
  const { name: endpoint, surface } = request.endpoint;
  const startedAt = performance.now();
  let status: number | null = null;
  try {
    const { signal } = options;
    const answer = await options.http.send(
      signal && request.endpoint.repeatable ? { ...request, signal } : request,
    );
    status = answer.status;
    return answer;
  } finally {
    options.onCall({ endpoint, surface, status, durationMs: performance.now() - startedAt });
  }
}

/** The path of a call. An id that no path can hold came from the service itself, whose fault it then is. */
export function pathOf(endpoint: Endpoint, values: Readonly<Record<string, string>> = {}): string {
  try {
    return fillPath(endpoint.path, values);
  } catch {
    throw malformed(endpoint, 'an id that no path can hold');
  }
}

/** Where the records of an endpoint's answer come from. */
export function originIn(endpoint: Endpoint, options: ClientOptions): Origin {
  return { surface: endpoint.surface, endpoint: endpoint.name, onDrift: options.onDrift };
}

/** The body of an answer as JSON, or undefined where it is none. */
export function jsonOf(answer: HttpAnswer): unknown {
  try {
    return parseJson(answer.text);
  } catch {
    return undefined;
  }
}

/** Removes the secrets from each record of an answer, unless the caller asked for them. */
export function cleanRecords(endpoint: Endpoint, records: readonly unknown[]): unknown[] {
  return endpoint.answersSecrets ? [...records] : records.map(withoutSecrets);
}

/** An answer that the interface does not document. */
export function malformed(endpoint: Endpoint, what: string, status?: number): SourceError {
  return new SourceError('malformed', endpoint.surface, `${endpoint.name}: ${what}`, {
    endpoint: endpoint.name,
    ...(status === undefined ? {} : { status }),
  });
}

/** The failure that an answer with an error status stands for; `words` are the service's own, if any. */
export function failureOf(endpoint: Endpoint, answer: HttpAnswer, words: string | null): SourceError {
  const retryAfterMs = retryAfter(answer.headers['retry-after']);
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
  if (status === 429) return 'rate-limited';
  if (status >= 500) return 'unavailable';
  if (status >= 400) return 'rejected';
  return 'malformed';
}

/** More words than this are never looked at, in characters. */
const MAX_WORDS_CHARS = 16_384;

/** The service's words in a failed answer, as plain text without secrets, or null. */
export function serviceWords(answer: HttpAnswer, credential: string): string | null {
  const json = jsonOf(answer);
  // What looks like a record and can't be read is not passed on: nobody knows what is in it.
  const isDamaged = json === undefined && /^\s*[[{"]/.test(answer.text);
  const words = json === undefined ? answer.text : messageIn(withoutSecrets(json));
  if (words === null || isDamaged) return null;
  return messageText(blankSecrets(words.slice(0, MAX_WORDS_CHARS), [credential])) || null;
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

function retryAfter(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d+$/.test(header)) return Number(header) * 1_000;
  // Date.parse makes dates of almost anything; HTTP's own end in GMT.
  const at = header.endsWith('GMT') ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}
