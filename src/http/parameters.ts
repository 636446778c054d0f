import type { IncomingMessage } from 'node:http';
import { acceptedBy, ANSWER_TYPES, type Accepted } from './accept.ts';
import type { Refusal } from './responses.ts';

/** Path of the GraphQL endpoint, over HTTP, server-sent events and WebSocket alike. */
export const GRAPHQL_PATH = '/graphql';
/** Where tools for assistants are served. */
export const MCP_PATH = '/mcp';

/** Largest body of a request, in bytes. */
export const MAX_REQUEST_BYTES = 512 * 1024;

/** The contents of a well-formed request to the GraphQL endpoint. */
export interface Admitted {
  readonly parameters: object;
  readonly accepted: Accepted;
}

const JSON_TYPE = 'application/json';
/** The same with parameters: any but a charset other than UTF-8. */
const JSON_WITH_PARAMETERS =
  /^application\/json\s*(?:;\s*(?:(?:charset\s*=\s*(?:utf-?8|"utf-?8")|(?!charset\s*=)[\w!#$%&'*+.^`|~-]+\s*=\s*(?:[\w!#$%&'*+.^`|~-]+|"[^"]*"))(?=[\s;]|$)\s*)?)*$/i;

function isJson(type: string): boolean {
  return type === JSON_TYPE || JSON_WITH_PARAMETERS.test(type);
}

/** Returns the path of a request, after removing one trailing slash from its URL. */
export function normalisePath(request: IncomingMessage): string {
  const { url = '' } = request;
  const [path = ''] = url.split('?');
  if (path.length < 3 || !path.endsWith('/')) return path;
  const normalised = path.slice(0, -1);
  request.url = normalised + url.slice(path.length);
  return normalised;
}

/**
 * Admits UTF-8 JSON sent by POST within the size limit, which is read and parsed only once; and, if `getQueries` allows
 * them, GET queries that require a preflight. A page of another site could send anything else without the user's
 * consent.
 */
export async function admit(request: IncomingMessage, getQueries: boolean): Promise<Admitted | Refusal> {
  if (holdsCredential(request.url ?? '')) return refuse(400, NOT_IN_ADDRESS);
  if (contradictsItself(request, 'authorization')) return refuse(400, TWO_CREDENTIALS);
  // An unacceptable response type is detected before the operation can take effect.
  const accepted = acceptedBy(request.headers.accept);
  if (accepted.header === '') return refuse(406, `Accept one of ${ANSWER_TYPES.join(', ')}.`);
  const parameters = await readParameters(request, getQueries);
  return 'message' in parameters ? parameters : { ...parameters, accepted };
}

function readParameters(request: IncomingMessage, getQueries: boolean): Parameters | Promise<Parameters> {
  if (request.method === 'GET' || request.method === 'HEAD')
    return getQueries ? readGet(request) : refuse(405, NOT_GET, POST);
  if (request.method !== 'POST') return refuse(405, NOT_POST, POST);
  return readPost(request, parseBody);
}

/** Reads the body of a POST with `parse`, if it is declared as UTF-8 JSON and within the size limit. */
export function readPost<T>(
  request: IncomingMessage,
  parse: (body: Body) => T,
): Refusal | Promise<Refusal | T> {
  return (
    refusalOfPost(request) ?? readBody(request).then((body) => (body === null ? TOO_LARGE : parse(body)))
  );
}

type Body = Buffer<ArrayBuffer>;

type Parameters = Refusal | { readonly parameters: object };

const CREDENTIAL_NAMES =
  /^(?:x[-_]?)?(?:(?:(?:api|access|auth|client|id|refresh)[-_]?)?(?:key|secret|token)|auth(?:orization)?|bearer|jwt|password)$/i;
/** The reason for rejecting a credential in a URL. */
export const NOT_IN_ADDRESS = 'Send credentials in headers, not in the URL, which is often logged.';

const TWO_CREDENTIALS = 'Send only one authorization header; two different ones were sent.';

// Node silently takes the first header and drops the others. Names and values alternate.
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

/** Whether a URL contains what looks like a credential. */
export function holdsCredential(address: string): boolean {
  const at = address.indexOf('?');
  return (
    at >= 0 && [...new URLSearchParams(address.slice(at)).keys()].some((name) => CREDENTIAL_NAMES.test(name))
  );
}

const POST = { allow: 'POST' } as const;
const NOT_POST = 'Send GraphQL by POST (graphql-sse: omit singleConnection).';
const NOT_GET =
  'Send GraphQL by POST (urql: preferGetMethod: false); GET queries are disabled on this server (GET_QUERIES=on enables them).';
const TOO_LARGE = refuse(413, `The body is too large (maximum ${MAX_REQUEST_BYTES} bytes).`, {
  connection: 'close',
});

function refuse(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Refusal {
  return { status, message, headers };
}

/** Headers that make a browser send a preflight; GET queries must include one of them, and it must not be empty. */
export const PREFLIGHT_HEADERS = [
  'graphql-require-preflight',
  'apollo-require-preflight',
  'x-apollo-operation-name',
] as const;

/** Whether a request has a header that a page of another site could not send without a preflight. */
export function hasPreflightHeader({ headers }: IncomingMessage): boolean {
  return PREFLIGHT_HEADERS.some((name) => (headers[name] ?? '') !== '');
}

function readGet(request: IncomingMessage): Parameters {
  const type = request.headers['content-type'];
  if (!hasPreflightHeader(request))
    return refuse(403, `A GET query requires one of the headers ${PREFLIGHT_HEADERS.join(', ')}.`);
  if (type !== undefined && !isJson(type)) return refuse(415, 'A GET query must not have a body.');
  return parametersOf(new URL(request.url ?? '', 'http://localhost').searchParams);
}

const JSON_PARAMETERS: ReadonlySet<string> = new Set(['variables', 'extensions']);

function parametersOf(address: URLSearchParams): Parameters {
  const parameters: Record<string, unknown> = {};
  for (const [name, text] of address) {
    if (Object.hasOwn(parameters, name)) return refuse(400, 'Each URL parameter may be given only once.');
    try {
      parameters[name] = JSON_PARAMETERS.has(name) ? JSON.parse(text) : text;
    } catch {
      return refuse(400, `The parameter ${name} is not valid JSON.`);
    }
  }
  return named(parameters);
}

// Some clients send an empty name instead of none.
function named(parameters: { readonly operationName?: unknown }): Parameters {
  const isUnnamed = parameters.operationName === '';
  return { parameters: isUnnamed ? { ...parameters, operationName: null } : parameters };
}

function refusalOfPost({ headers }: IncomingMessage): Refusal | null {
  if (!isJson(headers['content-type']?.trim() ?? ''))
    return refuse(415, 'Send the body as application/json in UTF-8.', { accept: JSON_TYPE });
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  if (encoding !== undefined && encoding !== 'identity')
    return refuse(415, 'Send the body uncompressed.', { 'accept-encoding': 'identity' });
  const length = headers['content-length'];
  if (length === undefined && headers['transfer-encoding'] === undefined)
    return refuse(411, 'Send a content-length header.');
  return Number(length ?? 0) > MAX_REQUEST_BYTES ? TOO_LARGE : null;
}

// Uses the events of the request, which cost less than its iterator.
function readBody(request: IncomingMessage): Promise<Body | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= MAX_REQUEST_BYTES) return void chunks.push(chunk);
      // The rest is discarded until the response has closed the connection.
      request.off('data', take).resume();
      resolve(null);
    };
    request.on('data', take);
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', reject);
    request.once('close', () => {
      if (!request.readableEnded) reject(new Error('the caller disconnected'));
    });
  });
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function parseBody(body: Body): Parameters {
  const parsed = objectIn(body);
  if (parsed === 'not JSON') return refuse(400, NOT_JSON);
  return parsed === null ? refuse(400, 'The body must be one JSON object with a "query".') : named(parsed);
}

/** The reason for rejecting a body that can't be parsed. */
export const NOT_JSON = 'The body is not valid JSON in UTF-8.';

// The parser's own message quotes the body, which may contain a credential.
/** Returns the JSON object of a body; null for any other JSON, such as an array. */
export function objectIn(body: Body): object | null | 'not JSON' {
  try {
    const json: unknown = JSON.parse(UTF8.decode(body));
    return typeof json === 'object' && !Array.isArray(json) ? json : null;
  } catch {
    return 'not JSON';
  }
}
