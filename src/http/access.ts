import { createHash, timingSafeEqual } from 'node:crypto';
import type { Config } from '../config.ts';
import type { Credential, Credentials } from '../operation/credentials.ts';
import { isLoopback } from '../config/setting.ts';
import { readCredentials, readHeader, type HeaderBag } from './credentials.ts';

/** Why an operation is denied access, with a code of the closed list. */
export interface AccessRefusal {
  readonly code: 'CREDENTIAL_MISSING' | 'CREDENTIAL_REJECTED';
  readonly message: string;
}

/** Decides who may use this server, and with whose credentials. */
export interface Access {
  /** Returns the credentials of an operation, or why it is denied. Each header is looked up in the bags in order. */
  grant(host: string | undefined, ...bags: readonly (HeaderBag | undefined)[]): Credentials | AccessRefusal;
}

/** Whether an operation was denied access. */
export function isRefused(granted: Credentials | AccessRefusal): granted is AccessRefusal {
  return 'code' in granted;
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
  const refusalOf = (
    host: string | undefined,
    bags: readonly (HeaderBag | undefined)[],
  ): AccessRefusal | null => {
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

function refusalOfToken(token: string | null, known: readonly Buffer[]): AccessRefusal | null {
  if (token === null) {
    const message = `Client token required: send the header "${CLIENT_TOKEN_HEADER}".`;
    return { code: 'CREDENTIAL_MISSING', message };
  }
  const shown = digest(token);
  // All tokens are compared, so that the time does not depend on the one sent.
  const matches = known.filter((one) => timingSafeEqual(one, shown));
  return matches.length > 0
    ? null
    : { code: 'CREDENTIAL_REJECTED', message: `The token in "${CLIENT_TOKEN_HEADER}" is not valid.` };
}

const NOT_HERE: AccessRefusal = {
  code: 'CREDENTIAL_REJECTED',
  message: 'Only requests for localhost are accepted.',
};

// With DNS rebinding, a page of another site can make its own host name resolve to this machine, and could then use the
// operator's credentials. The name in its Host header reveals it.
function isOwnName(host: string | undefined): boolean {
  return (
    host !== undefined && URL.canParse(`http://${host}`) && isLoopback(new URL(`http://${host}`).hostname)
  );
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
