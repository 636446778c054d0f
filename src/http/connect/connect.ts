import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CALLBACK_PATH, isCode, type Authorization } from '../../authorization.ts';
import {
  AUTHORIZATION_MS,
  type OpenAuthorizations,
  type Opening,
} from '../../coordination/open-authorizations.ts';
import { exchangeAuthorizationCode } from '../../writes/exchange-code.ts';
import { networkOf } from '../network.ts';
import { denialOf } from './messages.ts';
import { sendMessagePage, sendTokenPage } from './pages.ts';

/** Path that starts an authorisation in a browser. */
export const CONNECT_PATH = '/connect';

const STATE_BYTES = 32;
const COOKIE = 'connect_state';
/** Query parameter of a request that was redirected to the configured host. */
const REDIRECTED = 'redirected';

/** Handles `/connect` and `/connect/callback`; returns false for any other path. */
export type ServeConnect = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/** The parts of the server that the pages need. */
export interface ConnectParts {
  readonly authorization: Authorization | null;
  /** States that were issued and have not been returned. */
  readonly states: OpenAuthorizations;
  /** Maximum number of open authorisations per address. */
  readonly maxOfAddress: number;
}

/**
 * The authorisation of an owner in a browser. A random state, valid once and for ten minutes, is stored in a cookie and
 * sent in the URL, and so ties the return to the browser that started. Neither code nor token is stored. The flow
 * starts and ends on the host that the service redirects back to.
 */
export function createConnect({ authorization, ...parts }: ConnectParts): ServeConnect {
  return async (request, response) => {
    const address = request.url ?? '';
    const [pathname = ''] = address.split('?');
    const searchParams = new URLSearchParams(address.slice(pathname.length));
    if (pathname !== CONNECT_PATH && pathname !== CALLBACK_PATH) return false;
    const connectUri = authorization?.connectUri ?? null;
    if (request.method !== 'GET') await sendMessagePage(response.setHeader('allow', 'GET'), 'notAllowed');
    else if (authorization === null || connectUri === null) await sendMessagePage(response, 'notConfigured');
    else if (pathname === CONNECT_PATH && isElsewhere(request, searchParams, connectUri))
      response.writeHead(302, { location: startAt(connectUri) }).end();
    else if (pathname === CONNECT_PATH)
      await begin({ authorization, connectUri, ...parts }, { request, response });
    else await end({ authorization, connectUri, ...parts }, { request, response, searchParams });
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

interface Flow extends ConnectParts {
  readonly authorization: Authorization;
  readonly connectUri: string;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function begin(flow: Flow, { request, response }: Exchange): Promise<void> {
  const { authorization, connectUri, states, maxOfAddress } = flow;
  // A browser has one cookie, so its earlier authorisation cannot complete any more and is not counted.
  const earlier = cookieOf(request);
  if (earlier !== null) await states.take(earlier);
  const state = randomBytes(STATE_BYTES).toString('base64url');
  const network = networkOf(request.socket.remoteAddress ?? '');
  const opening = await states.open(state, { network, limit: maxOfAddress });
  if (opening !== 'open') return await turnAway(response, opening);
  const location = authorization.consentUrl(connectUri, state);
  response
    .writeHead(302, { location, 'set-cookie': cookie(state, AUTHORIZATION_MS / 1_000, connectUri) })
    .end();
}

async function turnAway(response: ServerResponse, opening: Exclude<Opening, 'open'>): Promise<void> {
  response.setHeader('retry-after', AUTHORIZATION_MS / 1_000);
  await sendMessagePage(response, opening === 'network-full' ? 'tooManyOfAddress' : 'tooMany');
}

interface Return extends Exchange {
  readonly searchParams: URLSearchParams;
}

async function end(flow: Flow, { request, response, searchParams }: Return): Promise<void> {
  response.setHeader('set-cookie', cookie('', 0, flow.connectUri));
  if (!(await takeState(flow, request, searchParams))) {
    await sendMessagePage(response, 'unknownState');
    return;
  }
  const code = searchParams.get('code');
  if (code === null) await sendMessagePage(response, denialOf(searchParams));
  else if (isCode(code)) await exchange(flow, code, response);
  else await sendMessagePage(response, 'badCode');
}

// The state is used up by the first return, whatever the outcome, so a reloaded page exchanges nothing.
async function takeState(
  { states, authorization }: Flow,
  request: IncomingMessage,
  searchParams: URLSearchParams,
): Promise<boolean> {
  const expected = cookieOf(request);
  if (expected === null || !(await states.take(expected))) return false;
  const returned = searchParams.get('state');
  return returned === null ? authorization.state === 'cookie' : returned === expected;
}

async function exchange(
  { authorization, connectUri }: Flow,
  code: string,
  response: ServerResponse,
): Promise<void> {
  const { data } = await exchangeAuthorizationCode(authorization, { code, redirectUri: connectUri });
  if (data === null) await sendMessagePage(response, 'notExchanged');
  else await sendTokenPage(response, data.accessToken);
}

function cookie(value: string, maxAgeSeconds: number, connectUri: string): string {
  const secure = connectUri.startsWith('https:') ? '; Secure' : '';
  return `${COOKIE}=${value}; Max-Age=${maxAgeSeconds}; Path=${CONNECT_PATH}; HttpOnly; SameSite=Lax${secure}`;
}

function cookieOf({ headers }: IncomingMessage): string | null {
  const match = new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]{43})(?:;|$)`).exec(headers.cookie ?? '');
  return match?.[1] ?? null;
}
