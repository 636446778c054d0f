import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '../schema/errors.ts';
import { acceptedBy, ANSWER_TYPES, type Accepted, type EVENTS_TYPE, type ResponseType } from './accept.ts';

/** Largest body of a request, in bytes. */
export const MAX_REQUEST_BYTES = 512 * 1024;

/** A request that is turned away before GraphQL sees it. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** A code of the closed list, where the status does not say it all. */
  readonly code?: ErrorCode;
  readonly headers?: Readonly<Record<string, string>>;
  /** Media type of the answer; an event always has status 200. `application/json` without. */
  readonly type?: ResponseType | typeof EVENTS_TYPE;
}

/** What a request to the GraphQL endpoint asks for, once its form is known to be right. */
export type Admission =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'admitted'; readonly parameters: object; readonly accepted: Accepted };

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/**
 * Lets pass what is JSON in UTF-8 by POST, within the size limit, read and parsed once; and, where `getQueries` allows
 * them, queries by GET that a browser would have had to ask leave for. Everything else could be sent by a page of
 * another site without the user's doing.
 */
export async function admit(request: IncomingMessage, getQueries: boolean): Promise<Admission> {
  if (holdsCredential(request.url ?? '')) return refuse(400, NOT_IN_ADDRESS);
  if (contradictsItself(request, 'authorization')) return refuse(400, TWO_CREDENTIALS);
  // An answer that the caller can't take is found out before the operation has had its effect.
  const accepted = acceptedBy(request.headers.accept);
  if (accepted.header === '') return refuse(406, `Take one of ${ANSWER_TYPES.join(', ')}.`);
  const parameters = await readParameters(request, getQueries);
  return 'refusal' in parameters ? parameters : { kind: 'admitted', ...parameters, accepted };
}

async function readParameters(request: IncomingMessage, getQueries: boolean): Promise<Parameters> {
  if (request.method === 'GET' || request.method === 'HEAD')
    return getQueries ? readGet(request) : refuse(405, NOT_GET, POST);
  if (request.method !== 'POST') return refuse(405, NOT_POST, POST);
  const read = await readPost(request);
  return 'refusal' in read ? read : parseBody(read.body);
}

/** Reads the body of a POST, where it is said to be JSON in UTF-8 and within the size limit; it is not parsed. */
export async function readPost(request: IncomingMessage): Promise<Refused | { readonly body: Body }> {
  const refusal = refusalOfPost(request);
  if (refusal) return { kind: 'refused', refusal };
  const body = await readBody(request);
  return body === null ? TOO_LARGE : { body };
}

type Body = Buffer<ArrayBuffer>;

type Refused = Extract<Admission, { readonly kind: 'refused' }>;
type Parameters = Refused | { readonly parameters: object };

const CREDENTIAL_NAMES =
  /^(?:x[-_]?)?(?:(?:(?:api|access|auth|client|id|refresh)[-_]?)?(?:key|secret|token)|auth(?:orization)?|bearer|jwt|password)$/i;
/** Says why a credential in an address is refused. */
export const NOT_IN_ADDRESS = 'Send credentials in headers: an address is written to logs on its way.';

const TWO_CREDENTIALS = 'There are two authorization headers that differ; send one.';

// Node takes the first and drops the others without a word. Names and values take turns.
function contradictsItself({ headers, rawHeaders }: IncomingMessage, name: string): boolean {
  const first = headers[name];
  return rawHeaders.some(
    (value, at) =>
      at % 2 === 1 &&
      rawHeaders[at - 1]?.length === name.length &&
      rawHeaders[at - 1]?.toLowerCase() === name &&
      value !== first,
  );
}

/** True where an address carries what looks like a credential. */
export function holdsCredential(address: string): boolean {
  const at = address.indexOf('?');
  return (
    at >= 0 && [...new URLSearchParams(address.slice(at)).keys()].some((name) => CREDENTIAL_NAMES.test(name))
  );
}

const POST = { allow: 'POST' } as const;
const NOT_POST = 'Send GraphQL by POST (graphql-sse: leave singleConnection out).';
const NOT_GET =
  'Send GraphQL by POST (urql: preferGetMethod: false); queries by GET are switched off here (GET_QUERIES=on).';
const TOO_LARGE = refuse(413, `The body may have ${MAX_REQUEST_BYTES} bytes.`, { connection: 'close' });

function refuse(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Refused {
  return { kind: 'refused', refusal: { status, message, headers } };
}

/** Headers that a browser has to ask leave for; callers of queries by GET send one, which may not be empty. */
export const PREFLIGHT_HEADERS = [
  'graphql-require-preflight',
  'apollo-require-preflight',
  'x-apollo-operation-name',
] as const;

/** Whether a request bears a header that a page of another site could not send without the server's leave. */
export function needsLeave({ headers }: IncomingMessage): boolean {
  return PREFLIGHT_HEADERS.some((name) => (headers[name] ?? '') !== '');
}

function readGet(request: IncomingMessage): Parameters {
  const type = request.headers['content-type'];
  if (!needsLeave(request))
    return refuse(403, `A query by GET needs one of the headers ${PREFLIGHT_HEADERS.join(', ')}.`);
  if (type !== undefined && !JSON_TYPE.test(type)) return refuse(415, 'A query by GET has no body.');
  return parametersOf(new URL(request.url ?? '', 'http://localhost').searchParams);
}

const JSON_PARAMETERS: ReadonlySet<string> = new Set(['variables', 'extensions']);

function parametersOf(address: URLSearchParams): Parameters {
  const parameters: Record<string, unknown> = {};
  for (const [name, text] of address) {
    if (Object.hasOwn(parameters, name)) return refuse(400, 'Each parameter may stand in the address once.');
    try {
      parameters[name] = JSON_PARAMETERS.has(name) ? JSON.parse(text) : text;
    } catch {
      return refuse(400, `The parameter ${name} is not JSON.`);
    }
  }
  return named(parameters);
}

// Some clients send an empty name for none.
function named(parameters: { readonly operationName?: unknown }): Parameters {
  const isUnnamed = parameters.operationName === '';
  return { parameters: isUnnamed ? { ...parameters, operationName: null } : parameters };
}

function refusalOfPost({ headers }: IncomingMessage): Refusal | null {
  if (!JSON_TYPE.test(headers['content-type']?.trim() ?? '')) {
    return {
      status: 415,
      message: 'Send the body as application/json in UTF-8.',
      headers: { accept: 'application/json' },
    };
  }
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  if (encoding !== undefined && encoding !== 'identity') {
    return {
      status: 415,
      message: 'Send the body as it is, not compressed.',
      headers: { 'accept-encoding': 'identity' },
    };
  }
  const length = headers['content-length'];
  if (length === undefined && headers['transfer-encoding'] === undefined) {
    return { status: 411, message: 'Say how long the body is.' };
  }
  return Number(length ?? 0) > MAX_REQUEST_BYTES ? TOO_LARGE.refusal : null;
}

// By its events, which cost less than an iterator over the request.
function readBody(request: IncomingMessage): Promise<Body | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= MAX_REQUEST_BYTES) return void chunks.push(chunk);
      // What else comes is dropped, until the answer has closed the connection.
      request.off('data', take).resume();
      resolve(null);
    };
    request.on('data', take);
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', reject);
    request.once('close', () => {
      if (!request.readableEnded) reject(new Error('the caller has left'));
    });
  });
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

// The parser's own message quotes the body, which may hold a credential.
function parseBody(body: Buffer): Parameters {
  try {
    const parameters: unknown = JSON.parse(UTF8.decode(body));
    if (typeof parameters === 'object' && parameters !== null && !Array.isArray(parameters)) {
      return named(parameters);
    }
    return refuse(400, 'The body must be one JSON object with a "query".');
  } catch {
    return refuse(400, 'The body is not JSON in UTF-8.');
  }
}
