import type { Config } from './config.ts';
import {
  consentUrl,
  exchangeCode,
  type ExchangeReport,
  type GrantedToken,
} from './sources/legacy/authorization.ts';
import type { Upstream } from './sources/upstream/call.ts';

/** Lets owners authorise this server on the legacy surface. No code or token is stored or logged. */
export interface Authorization {
  /** Whether the redirect must return the state, or the browser's cookie suffices. */
  readonly state: 'strict' | 'cookie';
  /** The redirect URI used by `GET /connect`; null if no configured one has the path of its callback page. */
  readonly connectUri: string | null;
  /** Whether an address is configured, compared exactly. */
  allows(redirectUri: string): boolean;
  /** Builds the URL at which an owner logs in and consents. */
  consentUrl(redirectUri: string, state: string): string;
  /** Exchanges a code for a token, once. Fails as `exchangeCode` does. */
  exchange(code: string, redirectUri: string, report?: ExchangeReport): Promise<GrantedToken>;
}

/** Path of the page that completes an authorisation started with `GET /connect`. */
export const CALLBACK_PATH = '/connect/callback';

/** Length of an authorisation code of the service, in characters. */
const CODE_CHARS = 80;

/** Whether a text has the form of an authorisation code. */
export function isCode(code: string): boolean {
  return code.length === CODE_CHARS && /^[\u0021-\u007e]+$/.test(code);
}

/** Returns an authorisation whose exchanges are reported. */
export function reporting(authorization: Authorization, report: ExchangeReport): Authorization {
  return { ...authorization, exchange: (code, uri) => authorization.exchange(code, uri, report) };
}

/** Creates the authorisation that a configuration describes, or returns null. A shutdown waits for what `track` gets. */
export function openAuthorization(
  { oauth, legacyApiUrl }: Config,
  http: Upstream,
  track: <T>(write: Promise<T>) => Promise<T>,
): Authorization | null {
  if (oauth === null || legacyApiUrl === null) return null;
  const { clientId, clientSecret, redirectUris, state } = oauth;
  return {
    state,
    connectUri: redirectUris.find((uri) => new URL(uri).pathname === CALLBACK_PATH) ?? null,
    allows: (redirectUri) => redirectUris.includes(redirectUri),
    consentUrl: (redirectUri, ownState) =>
      consentUrl(legacyApiUrl, { clientId, redirectUri, state: ownState }),
    exchange: (code, redirectUri, report = {}) =>
      track(exchangeCode(http, { clientId, clientSecret, redirectUri, code }, report)),
  };
}
