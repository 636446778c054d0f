import { stringify } from 'qs';
import { defineBody, part, string, type Encoded } from '../body.ts';
import { jsonOf, malformed } from '../client.ts';
import { endpoint, WRITE } from '../endpoint.ts';
import { SourceError } from '../errors.ts';
import { MAX_JSON_DEPTH } from '../json.ts';
import type { Upstream, UpstreamCall } from '../upstream/call.ts';
import { failureIn, FORM_HEADERS } from './client.ts';

// The OAuth 2.0 authorization code flow of the legacy surface: an owner consents in a browser, and the returned code is
// exchanged for an access token. No caller's credential is needed here.

const ACCESS_TOKEN = endpoint('legacy', 'POST /oauth/accesstoken', WRITE);

/**
 * GET /oauth/: the URL at which an owner logs in and consents. It is for a browser and never called by this server.
 *
 * `redirectUri` must be the one that the app was created with. `state` is returned with the code, if the service echoes
 * it.
 * Interface: "Legacy surface: OAuth 2.0 authorization code".
 */
export function consentUrl(
  baseUrl: URL,
  {
    clientId,
    redirectUri,
    state,
  }: { readonly clientId: string; readonly redirectUri: string; readonly state: string },
): string {
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'read,write',
    state,
  });
  return `${baseUrl.origin}${baseUrl.pathname.replace(/\/+$/, '')}/oauth/?${query}`;
}

const codeExchange = defineBody({
  clientId: part('client_id', string),
  clientSecret: part('client_secret', string),
  redirectUri: part('redirect_uri', string),
  code: part('code', string),
});
/** The input of `POST /oauth/accesstoken`; the secret is sent only in this body. */
export type CodeExchange = Encoded<typeof codeExchange>;

/** A token, with what the service states about it. */
export interface GrantedToken {
  readonly accessToken: string;
  readonly tokenType: string | null;
  /** Lifetime in seconds, if the service states it. */
  readonly expiresInSeconds: number | null;
}

/** Who is told of the call of an exchange. */
export type ExchangeReport = Pick<UpstreamCall, 'onCall' | 'span'>;

/** Without a token, there is no caller to name yet. */
const NOBODY = '';

/**
 * POST /oauth/accesstoken: exchanges an authorization code for an access token.
 *
 * Repeatable: no; a code is valid once.  Also "malformed": no token in the response, which may be JSON, nested JSON, a
 * form or bare text.
 * Interface: "Legacy surface: OAuth 2.0 authorization code".
 */
export async function exchangeCode(
  http: Pick<Upstream, 'send'>,
  exchange: CodeExchange,
  report: ExchangeReport,
): Promise<GrantedToken> {
  const answer = await http.send({
    ...report,
    endpoint: ACCESS_TOKEN,
    caller: NOBODY,
    path: ACCESS_TOKEN.path,
    headers: FORM_HEADERS,
    body: stringify({ ...codeExchange(exchange), grant_type: 'authorization_code' }),
  });
  // The service's message is omitted, because it may repeat the code or the secret.
  const failure = failureIn(ACCESS_TOKEN, answer, null);
  // A 401 concerns the credentials of the app (RFC 6749, section 5.2); the caller needs none.
  if (failure?.kind === 'unauthenticated')
    throw new SourceError('rejected', 'legacy', failure.message, failure.details);
  if (failure !== null) throw failure;
  const body = jsonOf(ACCESS_TOKEN, answer);
  const token = tokenIn(body) ?? tokenIn(formOf(answer.text)) ?? bareToken(answer.text.trim());
  if (token === null) throw malformed(ACCESS_TOKEN, 'an access token', null, { status: answer.status });
  return token;
}

// A form is one line of pairs; a page that merely mentions a token is not a form.
function formOf(text: string): unknown {
  return /^[\w.~%+-]+=[^\s<>"]*$/.test(text.trim())
    ? Object.fromEntries(new URLSearchParams(text.trim()))
    : null;
}

// One word that contains digits, perhaps in Base64: the words of an error have none, and a page or a record is not one word.
const BARE_TOKEN = /^(?=\D{0,2048}\d)[\w.~+/|-]{16,2048}={0,2}$/;

function bareToken(accessToken: string): GrantedToken | null {
  return BARE_TOKEN.test(accessToken) ? { accessToken, tokenType: null, expiresInSeconds: null } : null;
}

/** A longer lifetime is assumed to be damaged, in seconds. */
const LONGEST_LIFE_SECONDS = 100 * 366 * 24 * 60 * 60;

const WRAPPERS = ['data', 'response', 'result'];

function tokenIn(body: unknown, depth = MAX_JSON_DEPTH): GrantedToken | null {
  if (typeof body === 'string') return bareToken(body);
  if (typeof body !== 'object' || body === null || depth === 0) return null;
  const fields = body as Readonly<Record<string, unknown>>;
  const accessToken = fields['access_token'];
  if (typeof accessToken === 'string' && accessToken !== '') {
    const { expires_in: lifetime } = fields;
    const expiresIn = typeof lifetime === 'boolean' || Array.isArray(lifetime) ? 0 : Number(lifetime);
    return {
      accessToken,
      tokenType: typeof fields['token_type'] === 'string' ? fields['token_type'] : null,
      expiresInSeconds: expiresIn > 0 && expiresIn <= LONGEST_LIFE_SECONDS ? expiresIn : null,
    };
  }
  const wrapped = WRAPPERS.map((name) => tokenIn(fields[name], depth - 1));
  return wrapped.find((token) => token !== null) ?? null;
}
