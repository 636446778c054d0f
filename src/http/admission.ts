import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '../schema/errors.ts';

/** Largest body of a request, in bytes. */
export const MAX_REQUEST_BYTES = 512 * 1024;

/** A request that is turned away before GraphQL sees it. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** A code of the closed list, where the status does not say it all. */
  readonly code?: ErrorCode;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a request to the GraphQL endpoint asks for, once its form is known to be right. */
export type Admission =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'admitted'; readonly parameters: object };

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/**
 * Lets pass what is JSON in UTF-8 by POST, within the size limit, read and parsed once; and, where `getQueries` allows
 * them, queries by GET that a browser would have had to ask leave for. Everything else could be sent by a page of
 * another site without the user's doing.
 */
export async function admit(request: IncomingMessage, getQueries: boolean): Promise<Admission> {
  if (holdsCredential(request.url ?? '')) return refuse(400, NOT_IN_ADDRESS);
  // An answer that the caller can't take is found out before the operation has had its effect.
  if (!takesAnswer(request.headers.accept)) return refuse(406, `Take one of ${ANSWER_TYPES.join(', ')}.`);
  if (request.method === 'GET' || request.method === 'HEAD')
    return getQueries ? admitGet(request) : refuse(405, NOT_GET, POST);
  if (request.method !== 'POST') return refuse(405, 'Send GraphQL by POST.', POST);
  const refusal = refusalOfPost(request);
  if (refusal) return { kind: 'refused', refusal };
  const body = await readBody(request);
  return body === null ? TOO_LARGE : parseBody(body);
}

const CREDENTIAL_NAMES =
  /^(?:x[-_]?)?(?:(?:(?:api|access|auth|client|id|refresh)[-_]?)?(?:key|secret|token)|auth(?:orization)?|bearer|jwt|password)$/i;
const NOT_IN_ADDRESS = 'Send credentials in headers: an address is written to logs on its way.';

/** True where an address carries what looks like a credential. */
export function holdsCredential(address: string): boolean {
  const at = address.indexOf('?');
  return (
    at >= 0 && [...new URLSearchParams(address.slice(at)).keys()].some((name) => CREDENTIAL_NAMES.test(name))
  );
}

const ANSWER_TYPES = ['application/json', 'application/graphql-response+json', 'text/event-stream'];
const ACCEPTABLE: ReadonlySet<string> = new Set([...ANSWER_TYPES, 'application/*', 'text/*', '*/*', '']);

function takesAnswer(accept: string | undefined): boolean {
  const types = (accept ?? '').split(',').map((range) => range.split(';')[0]?.trim().toLowerCase() ?? '');
  return types.some((type) => ACCEPTABLE.has(type));
}

const POST = { allow: 'POST' } as const;
const NOT_GET = 'Send GraphQL by POST; queries by GET are switched off.';
const TOO_LARGE = refuse(413, `The body may have ${MAX_REQUEST_BYTES} bytes.`, { connection: 'close' });

function refuse(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Admission {
  return { kind: 'refused', refusal: { status, message, headers } };
}

function admitGet(request: IncomingMessage): Admission {
  const type = request.headers['content-type'];
  if (request.headers['graphql-require-preflight'] === undefined) {
    return refuse(403, 'A query by GET needs the header graphql-require-preflight.');
  }
  if (type !== undefined && !JSON_TYPE.test(type)) return refuse(415, 'A query by GET has no body.');
  return parametersOf(new URL(request.url ?? '', 'http://localhost').searchParams);
}

const JSON_PARAMETERS: ReadonlySet<string> = new Set(['variables', 'extensions']);

function parametersOf(address: URLSearchParams): Admission {
  const parameters: Record<string, unknown> = {};
  for (const [name, text] of address) {
    if (Object.hasOwn(parameters, name)) return refuse(400, 'Each parameter may stand in the address once.');
    try {
      parameters[name] = JSON_PARAMETERS.has(name) ? JSON.parse(text) : text;
    } catch {
      return refuse(400, `The parameter ${name} is not JSON.`);
    }
  }
  return { kind: 'admitted', parameters };
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
  return Number(length ?? 0) > MAX_REQUEST_BYTES && TOO_LARGE.kind === 'refused' ? TOO_LARGE.refusal : null;
}

// By its events, which cost less than an iterator over the request.
function readBody(request: IncomingMessage): Promise<Buffer | null> {
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
function parseBody(body: Buffer): Admission {
  try {
    const parameters: unknown = JSON.parse(UTF8.decode(body));
    if (typeof parameters === 'object' && parameters !== null && !Array.isArray(parameters)) {
      return { kind: 'admitted', parameters };
    }
    return refuse(400, 'The body must be one JSON object with a "query".');
  } catch {
    return refuse(400, 'The body is not JSON in UTF-8.');
  }
}
