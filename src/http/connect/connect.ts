import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { CALLBACK_PATH, isCode, reporting, type Authorization } from '../../authorization.ts';
import { createBoundedCache } from '../../bounded-cache.ts';
import { seal, unseal } from '../../journal/sealing.ts';
import type { Services } from '../../services.ts';
import { exchangeAuthorizationCode } from '../../writes/exchange-code.ts';
import { Refusal, type Exchange } from '../exchange.ts';
import { sendMessagePage, sendTokenPage } from './pages.ts';

/** Path that starts an authorisation in a browser. */
export const CONNECT_PATH = '/connect';

const STATE_BYTES = 32;
/** How long an authorisation may take, in milliseconds. */
const AUTHORIZATION_MS = 10 * 60 * 1_000;
const COOKIE = 'connect_state';
/** Maximum number of completed states that are remembered; the service accepts a code only once in any case. */
const MAX_COMPLETED = 10_000;
/** Query parameter of a request that was redirected to the configured host. */
const REDIRECTED = 'redirected';

/** Whether a path belongs to the authorisation of an owner. */
export function isConnectPath(path: string): boolean {
  return path === CONNECT_PATH || path === CALLBACK_PATH;
}

/** Answers a request for `/connect` or `/connect/callback`. */
export type ServeConnect = (exchange: Exchange) => Promise<void>;

/** Returns what answers authorisations in a browser; without an OAuth app, a page that says so. */
export function createConnect(services: Services): ServeConnect {
  const { authorization } = services;
  const flow = authorization?.connectUri
    ? new ConnectFlow(services, authorization, authorization.connectUri)
    : null;
  return async (exchange) => {
    if (exchange.request.method === 'GET')
      return await (flow?.answer(exchange) ?? sendMessagePage(exchange, 'notConfigured'));
    exchange.refuse(NOT_GET);
  };
}

const NOT_GET = new Refusal(405, 'Use GET, in a browser.', { headers: { allow: 'GET' } });

/**
 * The authorisation of an owner in a browser. A random state, valid for ten minutes, is sent in the URL, and sealed in a
 * cookie that ties the return to the browser that started; the server stores nothing, so any process with the same
 * secret can complete what another started. The flow starts and ends on the host that the service redirects back to.
 */
class ConnectFlow {
  readonly #services: Services;
  readonly #authorization: Authorization;
  /** Where the service redirects back to, exactly as it is registered there. */
  readonly #redirectUri: string;
  readonly #own: URL;
  readonly #cookieName: string;
  readonly #cookieAttributes: string;
  /** The states that were returned to this process. */
  readonly #completed = createBoundedCache<true>({ maxEntries: MAX_COMPLETED, ttl: AUTHORIZATION_MS });

  constructor(services: Services, authorization: Authorization, redirectUri: string) {
    this.#services = services;
    this.#authorization = authorization;
    this.#redirectUri = redirectUri;
    this.#own = new URL(redirectUri);
    const isSecure = this.#own.protocol === 'https:';
    // The prefix keeps other hosts of the domain from setting it; it requires the root path.
    this.#cookieName = isSecure ? `__Host-${COOKIE}` : COOKIE;
    this.#cookieAttributes = `Path=${isSecure ? '/' : CONNECT_PATH}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  }

  async answer(exchange: Exchange): Promise<void> {
    const { url = '' } = exchange.request;
    const [path = ''] = url.split('?', 1);
    const searchParams = new URLSearchParams(url.slice(path.length));
    if (path === CALLBACK_PATH) await this.#end(exchange, searchParams);
    else if (this.#isElsewhere(exchange.request, searchParams))
      exchange.send(302, { location: `${this.#own.origin}${CONNECT_PATH}?${REDIRECTED}` });
    else this.#begin(exchange);
  }

  // The cookie is valid for one host, and the service redirects back to the configured one, such as 127.0.0.1. A visitor
  // using another name, such as localhost, is redirected there first. This happens only once, because behind a proxy that
  // sets its own Host header, the name never matches the configured one.
  #isElsewhere({ headers }: IncomingMessage, searchParams: URLSearchParams): boolean {
    const { protocol, host } = this.#own;
    const asked = `${protocol}//${headers.host ?? ''}`;
    return !searchParams.has(REDIRECTED) && URL.canParse(asked) && new URL(asked).host !== host;
  }

  // Another tab of this browser may have begun: both have the same state, and the first that returns completes it.
  #begin(exchange: Exchange): void {
    const begun = this.#stateIn(exchange.request);
    const isOpen = begun !== null && !this.#completed.has(begun);
    const state = isOpen ? begun : randomBytes(STATE_BYTES).toString('base64url');
    const sealed = seal(`${Date.now() + AUTHORIZATION_MS} ${state}`, this.#services.cookieSecret, COOKIE);
    this.#setCookie(exchange, sealed, AUTHORIZATION_MS / 1_000);
    exchange.send(302, { location: this.#authorization.consentUrl(this.#redirectUri, state) });
  }

  async #end(exchange: Exchange, searchParams: URLSearchParams): Promise<void> {
    this.#setCookie(exchange, '', 0);
    if (!this.#isReturn(exchange.request, searchParams))
      return await sendMessagePage(exchange, 'unknownState');
    const code = searchParams.get('code');
    if (code === null) return await sendMessagePage(exchange, 'notGranted');
    if (!isCode(code)) return await sendMessagePage(exchange, 'badCode');
    const token = await this.#exchange(code, exchange);
    if (token === null) await sendMessagePage(exchange, 'notExchanged');
    else await sendTokenPage(exchange, token, this.#services.config);
  }

  async #exchange(code: string, { requestId }: Exchange): Promise<string | null> {
    const { log, onCall } = this.#services;
    const authorization = reporting(this.#authorization, { onCall: (call) => onCall(call, requestId) });
    const redirectUri = this.#redirectUri;
    const { data, userErrors } = await exchangeAuthorizationCode(authorization, { code, redirectUri });
    if (data === null) log.info({ requestId, code: userErrors[0]?.code }, 'an authorisation failed');
    return data?.accessToken ?? null;
  }

  // The first return completes the state, whatever the outcome, so a reloaded page exchanges nothing.
  #isReturn(request: IncomingMessage, searchParams: URLSearchParams): boolean {
    const expected = this.#stateIn(request);
    if (expected === null || this.#completed.has(expected)) return false;
    this.#completed.set(expected, true);
    const returned = searchParams.get('state');
    return returned === null ? this.#authorization.state === 'cookie' : returned === expected;
  }

  #setCookie({ headers }: Exchange, value: string, maxAgeSeconds: number): void {
    headers['set-cookie'] =
      `${this.#cookieName}=${value}; Max-Age=${maxAgeSeconds}; ${this.#cookieAttributes}`;
  }

  /** Returns the state in a request's cookie; null if there is none, it was forged, or ten minutes have passed. */
  #stateIn({ headers }: IncomingMessage): string | null {
    const cookies = (headers.cookie ?? '').split(/;\s*/).map((one) => one.split(/=(.*)/s, 2));
    const sealed = cookies.find(([name]) => name === this.#cookieName)?.[1];
    if (sealed === undefined) return null;
    try {
      const [endsAt, state = ''] = unseal(sealed, this.#services.cookieSecret, COOKIE).split(' ');
      return Number(endsAt) > Date.now() ? state : null;
    } catch {
      return null;
    }
  }
}
