import { ConfigError } from '../config.ts';
import { assertSourceError, type SourceError, type SourceErrorKind } from '../sources/errors.ts';

/** Explains what the operator can do about a failure of the process; null if it is not theirs to fix. */
export function adviceOn(error: unknown): string | null {
  if (error instanceof ConfigError) return error.message;
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return null;
  const where = 'port' in error ? ` ${String(error.port)}` : '';
  const setting = 'setting' in error ? String(error.setting) : 'PORT';
  if (error.syscall === 'getaddrinfo') return NO_SUCH_ADDRESS;
  if (error.syscall !== 'listen') return null;
  if (error.code === 'EADDRINUSE')
    return `Port${where} is already in use. Set ${setting} to another port, or to 0 for any free port.`;
  if (error.code === 'EACCES')
    return `Permission denied to listen on port${where}. Set ${setting} to a port above 1023.`;
  return error.code === 'EADDRNOTAVAIL' ? NO_SUCH_ADDRESS : null;
}

/** Starts listening, and adds the name of the setting of the port to any error. */
export async function listening<T>(setting: string, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen();
  } catch (error) {
    throw error instanceof Error ? Object.assign(error, { setting }) : error;
  }
}

const NO_SUCH_ADDRESS = 'HOST is not an address of this machine. Set it to one of its addresses.';

/** Explains to the operator why a call failed. */
export interface CallFailure {
  readonly kind: SourceErrorKind;
  readonly reason: string;
}

/** Converts the error of a call; rethrows any other error. */
export function callFailureOf(error: unknown): CallFailure {
  assertSourceError(error);
  return { kind: error.kind, reason: reasonOf(error) };
}

const BY_CODE: readonly (readonly [code: RegExp, reason: string])[] = [
  [/^ERR_PROXY_UNREACHABLE$/, 'the proxy is unreachable'],
  [/^ERR_PROXY_REFUSED$/, 'the proxy refused the connection'],
  [/^ENOTFOUND$|^EAI_/, 'the host name was not found'],
  [/^ECONNREFUSED$/, 'the connection was refused: nothing is listening at this address'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'the connection was reset'],
  [/^(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'the connection timed out'],
  [/^(?:EHOSTUNREACH|ENETUNREACH|ENETDOWN)$/, 'there is no route to this address'],
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for another host name'],
  [
    /SELF_SIGNED|UNABLE_TO_|^CERT_/,
    'its certificate is not trusted (set NODE_EXTRA_CA_CERTS to add an authority)',
  ],
  [/^(?:EPROTO|ERR_SSL_)/, 'it does not speak TLS at this address'],
];

const BY_KIND: Partial<Record<SourceErrorKind, string>> = {
  unauthenticated: 'the credential was rejected',
  unreachable: 'it is unreachable',
  timeout: 'the request timed out',
  malformed: 'the response does not match the documentation',
  unavailable: 'it is failing',
  'rate-limited': 'the rate limit was reached',
  rejected: 'it rejected the request',
};

/** Explains why a connection failed, by the codes of its causes; null if they do not tell. */
export function reasonOfConnection(error: Error): string | null {
  const code = codesOf(error).find((one) => BY_CODE.some(([pattern]) => pattern.test(one)));
  return BY_CODE.find(([pattern]) => code !== undefined && pattern.test(code))?.[1] ?? null;
}

function reasonOf(error: SourceError): string {
  const { status, serviceMessage, publicMessage } = error.details;
  if (error.kind === 'malformed' && publicMessage !== undefined) return publicMessage;
  const words = reasonOfConnection(error) ?? BY_KIND[error.kind] ?? error.kind;
  return [
    words,
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(serviceMessage ? [serviceMessage] : []),
  ].join('; ');
}

const MOST_CAUSES = 5;

function codesOf(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > MOST_CAUSES) return [];
  const own = 'code' in error && typeof error.code === 'string' ? [error.code] : [];
  const several = error instanceof AggregateError ? error.errors : [];
  return [...own, ...[error.cause, ...several].flatMap((cause) => codesOf(cause, depth + 1))];
}
