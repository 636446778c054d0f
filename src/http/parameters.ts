import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Refusal } from './exchange.ts';

/** Largest body of a request, in bytes. */
const MAX_REQUEST_BYTES = 512 * 1024;

const CREDENTIAL_NAMES =
  /^(?:x[-_]?)?(?:(?:(?:api|access|auth|client|id|refresh)[-_]?)?(?:key|secret|token)|auth(?:orization)?|bearer|jwt|password)$/i;

/** Rejects a URL that contains what looks like a credential; null if it contains none. */
export function refusalOfAddress({ url = '' }: IncomingMessage): Refusal | null {
  const at = url.indexOf('?');
  if (at < 0) return null;
  const names = [...new URLSearchParams(url.slice(at)).keys()];
  return names.some((name) => CREDENTIAL_NAMES.test(name)) ? NOT_IN_ADDRESS : null;
}

const NOT_IN_ADDRESS = new Refusal(
  400,
  'Send credentials in headers, not in the URL, which is often logged.',
);

const JSON_TYPE = 'application/json';
/** The same with parameters: any but a charset other than UTF-8. */
const JSON_WITH_PARAMETERS =
  /^application\/json\s*(?:;\s*(?:(?:charset\s*=\s*(?:utf-?8|"utf-?8")|(?!charset\s*=)[\w!#$%&'*+.^`|~-]+\s*=\s*(?:[\w!#$%&'*+.^`|~-]+|"[^"]*"))(?=[\s;]|$)\s*)?)*$/i;

function isJson(type: string | undefined): boolean {
  return type === JSON_TYPE || JSON_WITH_PARAMETERS.test(type?.trim() ?? '');
}

/**
 * Reads the body of a POST that is declared as UTF-8 JSON and within the size limit; a page of another site could send
 * anything else without the user's consent. `done` is not called if the caller disconnects before the end.
 */
export function readBody(request: IncomingMessage, done: (body: Buffer | Refusal) => void): void {
  const refusal = refusalOfBody(request);
  if (refusal !== null) return done(refusal);
  const chunks: Buffer[] = [];
  let size = 0;
  const take = (chunk: Buffer): void => {
    size += chunk.length;
    if (size <= MAX_REQUEST_BYTES) return void chunks.push(chunk);
    // The rest is discarded until the response has closed the connection.
    request.off('data', take).off('end', finish).resume();
    done(TOO_LARGE);
  };
  const finish = (): void => {
    const [first] = chunks;
    done(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks));
  };
  // Without a listener for errors, Node reports none.
  request.on('data', take).on('end', finish);
}

function refusalOfBody({ headers }: IncomingMessage): Refusal | null {
  if (!isJson(headers['content-type'])) return NOT_DECLARED;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') return COMPRESSED;
  const length = headers['content-length'];
  if (length === undefined && headers['transfer-encoding'] === undefined) return NO_LENGTH;
  return Number(length ?? 0) > MAX_REQUEST_BYTES ? TOO_LARGE : null;
}

const NOT_DECLARED = new Refusal(415, 'Send the body as application/json in UTF-8.', {
  headers: { accept: JSON_TYPE },
});
const COMPRESSED = new Refusal(415, 'Send the body uncompressed.', {
  headers: { 'accept-encoding': 'identity' },
});
const NO_LENGTH = new Refusal(411, 'Send a content-length header.');
const TOO_LARGE = new Refusal(413, `The body is too large (maximum ${MAX_REQUEST_BYTES} bytes).`, {
  headers: { connection: 'close' },
});

const BYTE_ORDER_MARK = '\uFEFF';

/** Returns the JSON object of a body; null for any other JSON, such as an array. */
export function objectIn(body: Buffer): object | Refusal | null {
  if (!isUtf8(body)) return NOT_JSON;
  const text = body.toString();
  try {
    const json: unknown = JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
    return typeof json === 'object' && !Array.isArray(json) ? json : null;
  } catch {
    // The parser's own message quotes the body, which may contain a credential.
    return NOT_JSON;
  }
}

/** The rejection of a body that cannot be parsed. */
export const NOT_JSON = new Refusal(400, 'The body is not valid JSON in UTF-8.');
const NOT_AN_OBJECT = new Refusal(400, 'The body must be one JSON object with a "query".');

/** Returns the parameters in the body of a POST. */
export function parametersIn(body: Buffer): object | Refusal {
  const json = objectIn(body);
  if (json === null) return NOT_AN_OBJECT;
  return json instanceof Refusal ? json : named(json);
}

/** Headers that make a browser send a preflight; GET queries must include one of them, and it must not be empty. */
const PREFLIGHT_HEADERS = [
  'graphql-require-preflight',
  'apollo-require-preflight',
  'x-apollo-operation-name',
] as const;

/** Whether a request has a header that a page of another site could not send without a preflight. */
export function hasPreflightHeader({ headers }: IncomingMessage): boolean {
  return PREFLIGHT_HEADERS.some((name) => (headers[name] ?? '') !== '');
}

const JSON_PARAMETERS: ReadonlySet<string> = new Set(['variables', 'extensions']);

/** Returns the parameters in the URL of a GET query that a page of another site could not have sent. */
export function parametersInAddress(request: IncomingMessage): object | Refusal {
  if (!hasPreflightHeader(request)) return NO_PREFLIGHT;
  const type = request.headers['content-type'];
  if (type !== undefined && !isJson(type)) return new Refusal(415, 'A GET query must not have a body.');
  const parameters: Record<string, unknown> = {};
  for (const [name, text] of new URL(request.url ?? '', 'http://localhost').searchParams) {
    if (Object.hasOwn(parameters, name))
      return new Refusal(400, 'Each URL parameter may be given only once.');
    try {
      parameters[name] = JSON_PARAMETERS.has(name) ? JSON.parse(text) : text;
    } catch {
      return new Refusal(400, `The parameter ${name} is not valid JSON.`);
    }
  }
  return named(parameters);
}

const NO_PREFLIGHT = new Refusal(
  403,
  `A GET query requires one of the headers ${PREFLIGHT_HEADERS.join(', ')}.`,
);

// Some clients send an empty name instead of none.
function named(parameters: { readonly operationName?: unknown }): object {
  return parameters.operationName === '' ? { ...parameters, operationName: null } : parameters;
}
