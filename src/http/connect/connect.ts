import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { CALLBACK_PATH, isCode, type Authorization } from '../../authorization.ts';
import { createBoundedCache } from '../../bounded-cache.ts';
import { seal, unseal } from '../../journal/sealing.ts';
import { exchangeAuthorizationCode } from '../../writes/exchange-code.ts';
import type { Exchange } from '../exchange.ts';
import { denialOf } from './messages.ts';
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

/** Handles `/connect` and `/connect/callback`; returns false for any other path. */
export type ServeConnect = (exchange: Exchange) => Promise<boolean>;

/** The parts of the server that the pages need. */
export interface ConnectParts {
  readonly authorization: Authorization | null;
  /** Seals cookies; the same for all processes. */
  readonly cookieSecret: Uint8Array;
}

/**
 * The authorisation of an owner in a browser. A random state, valid for ten minutes, is sent in the URL, and sealed in a
 * cookie that ties the return to the browser that started; the server stores nothing, so any process with the same
 * secret can complete what another started. The flow starts and ends on the host that the service redirects back to.
 */
export function createConnect({ authorization, cookieSecret }: ConnectParts): ServeConnect {
  const completed = createBoundedCache<true>({ maxEntries: MAX_COMPLETED, ttl: AUTHORIZATION_MS });
  return async (exchange) => {
    const { request } = exchange;
    const address = request.url ?? '';
    const [pathname = ''] = address.split('?');
    const searchParams = new URLSearchParams(address.slice(pathname.length));
    if (pathname !== CONNECT_PATH && pathname !== CALLBACK_PATH) return false;
    const connectUri = authorization?.connectUri ?? null;
    if (request.method !== 'GET') {
      exchange.headers['allow'] = 'GET';
      await sendMessagePage(exchange, 'notAllowed');
    } else if (authorization === null || connectUri === null)
      await sendMessagePage(exchange, 'notConfigured');
    else if (pathname === CONNECT_PATH && isElsewhere(request, searchParams, connectUri))
      exchange.send(302, { location: startAt(connectUri) });
    else {
      const flow: Flow = {
        authorization,
        connectUri,
        cookie: cookieFor(connectUri, cookieSecret),
        completed,
      };
      if (pathname === CONNECT_PATH) begin(flow, exchange);
      else await end(flow, exchange, searchParams);
    }
    return true;
  };
}

// The cookie is valid for one host, and the service redirects back to the configured one, such as 127.0.0.1. A visitor
// using another name, such as localhost, is redirected there first. This happens only once, because behind a proxy that
// sets its own Host header, the name never matches the configured one.
function isElsewhere(
  { headers }: IncomingMessage,
  searchParams: URLSearchParams,
  connectUri: string,
): boolean {
  const { protocol, host } = new URL(connectUri);
  const asked = `${protocol}//${headers.host ?? ''}`;
  return !searchParams.has(REDIRECTED) && URL.canParse(asked) && new URL(asked).host !== host;
}

function startAt(connectUri: string): string {
  return `${new URL(connectUri).origin}${CONNECT_PATH}?${REDIRECTED}`;
}

interface Flow {
  readonly authorization: Authorization;
  readonly connectUri: string;
  readonly cookie: StateCookie;
  /** The states that were returned to this process. */
  readonly completed: { has(state: string): boolean; set(state: string, value: true): unknown };
}

function begin({ authorization, connectUri, cookie }: Flow, exchange: Exchange): void {
  const state = randomBytes(STATE_BYTES).toString('base64url');
  const location = authorization.consentUrl(connectUri, state);
  exchange.send(302, { location, 'set-cookie': cookie.holding(state) });
}

async function end(flow: Flow, exchange: Exchange, searchParams: URLSearchParams): Promise<void> {
  exchange.headers['set-cookie'] = flow.cookie.removed;
  if (!isReturnOf(flow, exchange.request, searchParams))
    return await sendMessagePage(exchange, 'unknownState');
  const code = searchParams.get('code');
  if (code === null) await sendMessagePage(exchange, denialOf(searchParams));
  else if (isCode(code)) await exchangeCode(flow, code, exchange);
  else await sendMessagePage(exchange, 'badCode');
}

// The first return completes the state, whatever the outcome, so a reloaded page exchanges nothing.
function isReturnOf(
  { cookie, completed, authorization }: Flow,
  request: IncomingMessage,
  searchParams: URLSearchParams,
): boolean {
  const expected = cookie.stateIn(request);
  if (expected === null || completed.has(expected)) return false;
  completed.set(expected, true);
  const returned = searchParams.get('state');
  return returned === null ? authorization.state === 'cookie' : returned === expected;
}

async function exchangeCode(
  { authorization, connectUri }: Flow,
  code: string,
  exchange: Exchange,
): Promise<void> {
  const { data } = await exchangeAuthorizationCode(authorization, { code, redirectUri: connectUri });
  if (data === null) await sendMessagePage(exchange, 'notExchanged');
  else await sendTokenPage(exchange, data.accessToken);
}

/** The cookie that contains the state of an authorisation, sealed together with its end. */
interface StateCookie {
  /** Returns the header that sets it. */
  readonly holding: (state: string) => string;
  /** The header that removes it. */
  readonly removed: string;
  /** Returns the state in a request's cookie; null if there is none, it was forged, or ten minutes have passed. */
  readonly stateIn: (request: IncomingMessage) => string | null;
}

function cookieFor(connectUri: string, secret: Uint8Array): StateCookie {
  const isSecure = connectUri.startsWith('https:');
  // The prefix keeps other hosts of the domain from setting it; it requires the root path.
  const name = isSecure ? `__Host-${COOKIE}` : COOKIE;
  const path = isSecure ? '/' : CONNECT_PATH;
  const pattern = new RegExp(`(?:^|;\\s*)${name}=([\\w+/=]+)(?:;|$)`);
  const header = (value: string, maxAgeSeconds: number): string =>
    `${name}=${value}; Max-Age=${maxAgeSeconds}; Path=${path}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    removed: header('', 0),
    holding: (state) =>
      header(seal(`${Date.now() + AUTHORIZATION_MS} ${state}`, secret, COOKIE), AUTHORIZATION_MS / 1_000),
    stateIn({ headers }) {
      const [, sealed] = pattern.exec(headers.cookie ?? '') ?? [];
      if (sealed === undefined) return null;
      try {
        const [endsAt, state = ''] = unseal(sealed, secret, COOKIE).split(' ');
        return Number(endsAt) > Date.now() ? state : null;
      } catch {
        return null;
      }
    },
  };
}
