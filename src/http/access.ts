import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Config } from '../config.ts';
import type { Credential, Credentials } from '../operation/credentials.ts';
import { isLoopback } from '../config/setting.ts';
import { Refusal } from './exchange.ts';

/** Decides who may use this server, and with whose credentials. */
export interface Access {
  /** Returns the credentials of an operation, or why it is denied. Each header is looked up in the bags in order. */
  grant(host: string | undefined, ...bags: readonly HeaderBag[]): Credentials | Refusal;
}

/** The header that authorises a caller to use a server with its own credentials. */
export const CLIENT_TOKEN_HEADER = 'x-client-token';

/**
 * By default, callers bring their own credentials, and a server without any has nothing to protect. If the operator
 * configures credentials, they are only for callers with a client token, or for callers on this machine.
 */
export function createAccess(config: Pick<Config, 'operator' | 'clientTokens' | 'host'>): Access {
  const { operator, clientTokens, host: listensOn } = config;
  const known = clientTokens.map(digest);
  const holdsCredentials = operator.apiKey !== null || operator.accessToken !== null;
  const refusalOf = (host: string | undefined, bags: readonly HeaderBag[]): Refusal | null => {
    if (known.length > 0) return refusalOfToken(readHeader(CLIENT_TOKEN_HEADER, bags), known);
    return holdsCredentials && isLoopback(listensOn) && !isOwnName(host) ? NOT_HERE : null;
  };
  return {
    grant(host, ...bags) {
      const refusal = refusalOf(host, bags);
      if (refusal) return refusal;
      const { current, legacy } = readCredentials(...bags);
      return { current: or(current, operator.apiKey), legacy: or(legacy, operator.accessToken) };
    },
  };
}

function or(own: Credential, operators: string | null): Credential {
  return own.state === 'missing' && operators !== null
    ? { state: 'given', value: operators, isOperators: true }
    : own;
}

function refusalOfToken(token: string | null, known: readonly Buffer[]): Refusal | null {
  if (token === null) return NO_TOKEN;
  const shown = digest(token);
  // All tokens are compared, so that the time does not depend on the one sent.
  const matches = known.filter((one) => timingSafeEqual(one, shown));
  return matches.length > 0 ? null : WRONG_TOKEN;
}

const NO_TOKEN = new Refusal(401, `Client token required: send the header "${CLIENT_TOKEN_HEADER}".`, {
  code: 'CREDENTIAL_MISSING',
});
const WRONG_TOKEN = new Refusal(401, `The token in "${CLIENT_TOKEN_HEADER}" is not valid.`, {
  code: 'CREDENTIAL_REJECTED',
});
const NOT_HERE = new Refusal(401, 'Only requests for localhost are accepted.', {
  code: 'CREDENTIAL_REJECTED',
});

// With DNS rebinding, a page of another site can make its own host name resolve to this machine, and could then use the
// operator's credentials. The name in its Host header reveals it.
function isOwnName(host: string | undefined): boolean {
  return (
    host !== undefined && URL.canParse(`http://${host}`) && isLoopback(new URL(`http://${host}`).hostname)
  );
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** Headers from any transport, by lower-case names. */
export type HeaderBag = Readonly<Record<string, unknown>>;

/** The headers that decide who a caller is. */
export type CallerHeaders = ReturnType<typeof callerHeaders>;

/** Returns the headers that decide who a caller is, without all others. */
export function callerHeaders(headers: IncomingHttpHeaders) {
  const { host, authorization, 'x-api-key': apiKey, [CLIENT_TOKEN_HEADER]: token } = headers;
  return { host, authorization, 'x-api-key': apiKey, [CLIENT_TOKEN_HEADER]: token };
}

/** Returns the headers in an object of a client, which may spell their names in any case; the last spelling counts. */
export function headersIn(value: unknown): HeaderBag {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name.toLowerCase(), one]));
}

/**
 * Reads the caller's credentials: `x-api-key: KEY` and `authorization: Bearer TOKEN`, each looked up in the given bags
 * in order. A value that cannot be a key, such as two headers joined by a comma and a space, is `unusable`.
 */
export function readCredentials(...bags: readonly HeaderBag[]): Credentials {
  const authorization = readHeader('authorization', bags);
  const [, token = null] = /^bearer\s+(.*)$/is.exec(authorization ?? '') ?? [];
  const isInOtherForm = authorization !== null && token === null;
  return {
    current: credentialOf(readHeader('x-api-key', bags)),
    legacy: isInOtherForm ? { state: 'missing', isInOtherForm } : credentialOf(token),
  };
}

/** Returns the first non-empty value of a header in the bags, in order; null if there is none. */
function readHeader(name: string, bags: readonly HeaderBag[]): string | null {
  for (const bag of bags) {
    const value = bag[name];
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
  }
  return null;
}

const USABLE = /^[\u0021-\u007e]{1,4096}$/;

function credentialOf(value: string | null): Credential {
  if (value === null) return { state: 'missing' };
  return USABLE.test(value) ? { state: 'given', value } : { state: 'unusable' };
}
