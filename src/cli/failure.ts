import { ConfigError } from '../config.ts';
import type { SourceError, SourceErrorKind } from '../sources/errors.ts';

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

const NO_SUCH_ADDRESS = 'HOST is not an address of this machine. Set it to one of its addresses.';

const BY_CODE: readonly (readonly [code: RegExp, reason: string])[] = [
  [/SELF_SIGNED|UNABLE_TO_/, 'its certificate is not trusted (set NODE_EXTRA_CA_CERTS to add an authority)'],
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

/** Explains why a connection failed, by the first cause of the error; null if it has none. */
export function reasonOfConnection(error: Error): string | null {
  const root = rootOf(error);
  if (root === error) return null;
  const code = 'code' in root ? String(root.code) : '';
  return BY_CODE.find(([pattern]) => pattern.test(code))?.[1] ?? root.message;
}

function rootOf(error: Error): Error {
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  return cause instanceof Error ? rootOf(cause) : error;
}

/** Explains to the operator why a call failed. */
export function reasonOfCall(error: SourceError): string {
  const { kind, details } = error;
  const { status, serviceMessage, publicMessage } = details;
  if (kind === 'malformed' && publicMessage !== undefined) return publicMessage;
  // The error of what could not be read may quote it, and that of a timeout names a part of undici.
  const connection = kind === 'malformed' || kind === 'timeout' ? null : reasonOfConnection(error);
  return [
    connection ?? BY_KIND[kind] ?? kind,
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(serviceMessage ? [serviceMessage] : []),
  ].join('; ');
}
