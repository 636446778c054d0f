import { failureOf, isSuccess, jsonOf, malformed } from '../call.ts';
import type { OperationSpan } from '../../observability/tracing.ts';
import { WRITE, type Endpoint } from '../endpoint.ts';
import { SourceError } from '../errors.ts';
import type { Upstream } from '../upstream.ts';
import { errorFlag, isRefusal } from './client.ts';
import { formEncoded } from './form.ts';

// OAuth 2.0 authorization code, as the legacy surface has it: an owner consents in a browser, and the code that comes
// back is traded for an access token. Nothing here needs a caller's credential.

const ACCESS_TOKEN: Endpoint = {
  name: 'POST /oauth/accesstoken',
  surface: 'legacy',
  method: 'POST',
  path: '/oauth/accesstoken',
  ...WRITE,
  answersSecrets: true,
};

/**
 * GET /oauth/: the address at which an owner logs in and consents; it is for a browser, and never called from here.
 *
 * `redirectUri` must be the one that the app was created with. `state` comes back beside the code, if the service
 * echoes it.
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

/** What `POST /oauth/accesstoken` takes; the secret appears in this body and nowhere else. */
export interface CodeExchange {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly code: string;
}

/** A token, with what the service says of it. */
export interface GrantedToken {
  readonly accessToken: string;
  readonly tokenType: string | null;
  /** Seconds, where the service says so. */
  readonly expiresInSeconds: number | null;
}

/** Who has no token yet has no name yet. */
const NOBODY = '';

/**
 * POST /oauth/accesstoken: trades an authorization code for an access token.
 *
 * Repeatable: no; a code serves once.  Fails with "rejected" (4xx, a flagged failure), "unavailable" (5xx), "timeout",
 * "malformed" (no token in the answer; its shape is not documented, so JSON, nested JSON, form encoding and a bare text are read).
 * Interface: "Legacy surface: OAuth 2.0 authorization code".
 */
export async function exchangeCode(
  http: Pick<Upstream, 'send'>,
  exchange: CodeExchange,
  span: OperationSpan | null,
): Promise<GrantedToken> {
  const answer = await http.send({
    endpoint: ACCESS_TOKEN,
    caller: NOBODY,
    span,
    path: ACCESS_TOKEN.path,
    headers: ['content-type', 'application/x-www-form-urlencoded'],
    body: formEncoded({
      client_id: exchange.clientId,
      client_secret: exchange.clientSecret,
      redirect_uri: exchange.redirectUri,
      code: exchange.code,
      grant_type: 'authorization_code',
    }),
  });
  // The service's words are left out: they may repeat the code or the secret.
  const body = jsonOf(answer);
  if (errorFlag(body) === 'failure' && isRefusal(answer.status))
    throw new SourceError('rejected', 'legacy', `${ACCESS_TOKEN.name}: flagged as failed`, {
      endpoint: ACCESS_TOKEN.name,
    });
  if (!isSuccess(answer)) throw failureOf(ACCESS_TOKEN, answer, null);
  const token = tokenIn(body) ?? tokenIn(formOf(answer.text)) ?? bareTokenIn(body, answer.text);
  if (token === null) throw malformed(ACCESS_TOKEN, 'no access token', answer.status);
  return token;
}

// A form is one line of pairs; a page that mentions a token somewhere is none.
function formOf(text: string): unknown {
  return /^[\w.~%+-]+=[^\s<>"]*$/.test(text.trim())
    ? Object.fromEntries(new URLSearchParams(text.trim()))
    : null;
}

// One word that has digits in it: words of an error have none, and a page or a record is no word.
const BARE_TOKEN = /^(?=\D{0,2048}\d)[\w.~+/=|-]{16,2048}$/;

function bareTokenIn(body: unknown, text: string): GrantedToken | null {
  const accessToken = typeof body === 'string' ? body : text.trim();
  return BARE_TOKEN.test(accessToken) ? { accessToken, tokenType: null, expiresInSeconds: null } : null;
}

/** A longer life than this is taken for damage, in seconds. */
const LONGEST_LIFE_SECONDS = 100 * 366 * 24 * 60 * 60;

const WRAPPERS = ['data', 'response', 'result'];

function tokenIn(body: unknown): GrantedToken | null {
  if (typeof body !== 'object' || body === null) return null;
  const fields = body as Readonly<Record<string, unknown>>;
  const accessToken = fields['access_token'];
  if (typeof accessToken === 'string' && accessToken !== '') {
    const expiresIn = Number(fields['expires_in']);
    return {
      accessToken,
      tokenType: typeof fields['token_type'] === 'string' ? fields['token_type'] : null,
      expiresInSeconds: expiresIn > 0 && expiresIn <= LONGEST_LIFE_SECONDS ? expiresIn : null,
    };
  }
  const wrapped = WRAPPERS.map((name) => tokenIn(fields[name]));
  return wrapped.find((token) => token !== null) ?? null;
}
