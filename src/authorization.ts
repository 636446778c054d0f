import type { Config } from './config.ts';
import type { OperationSpan } from './observability/tracing.ts';
import { consentUrl, exchangeCode, type GrantedToken } from './sources/legacy/authorization.ts';
import type { Upstream } from './sources/upstream.ts';

/** How owners authorise this server on the legacy surface. Nothing of it is stored or logged. */
export interface Authorization {
  /** Whether the state must come back in the address, or the browser's cookie will do. */
  readonly state: 'strict' | 'cookie';
  /** Where `GET /connect` lets the service lead back to; null where no configured address ends there. */
  readonly connectUri: string | null;
  /** True for an address that is configured, to the letter. */
  allows(redirectUri: string): boolean;
  /** The address at which an owner logs in and consents. */
  consentUrl(redirectUri: string, state: string): string;
  /** Trades a code for a token, once, for the operation of a span if there is one. Fails as `exchangeCode` does. */
  exchange(code: string, redirectUri: string, span?: OperationSpan | null): Promise<GrantedToken>;
}

/** Path of the page that ends an authorisation begun with `GET /connect`. */
export const CALLBACK_PATH = '/connect/callback';

/** Length of an authorisation code of the service, in characters. */
const CODE_CHARS = 80;

/** True for a text that can be an authorisation code. */
export function isCode(code: string): boolean {
  return code.length === CODE_CHARS && /^[\u0021-\u007e]+$/.test(code);
}

/** The authorisation that a configuration describes, or null. */
export function openAuthorization({ oauth, legacyApiUrl }: Config, http: Upstream): Authorization | null {
  if (oauth === null || legacyApiUrl === null) return null;
  const { clientId, clientSecret, redirectUris, state } = oauth;
  return {
    state,
    connectUri: redirectUris.find((uri) => new URL(uri).pathname === CALLBACK_PATH) ?? null,
    allows: (redirectUri) => redirectUris.includes(redirectUri),
    consentUrl: (redirectUri, ownState) =>
      consentUrl(legacyApiUrl, { clientId, redirectUri, state: ownState }),
    exchange: (code, redirectUri, span = null) =>
      exchangeCode(http, { clientId, clientSecret, redirectUri, code }, span),
  };
}
