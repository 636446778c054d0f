import { Hono } from 'hono';
import type { Owner } from '../../data/model.ts';
import { randomText } from '../../domain/authorization.ts';
import type { Quirks } from '../../quirks.ts';
import { Refusal } from '../../refusal.ts';
import type { Routes, SandboxEnv, Service } from '../../service.ts';
import { succeedLegacy } from '../../wire/envelope.ts';
import { readFormFields } from '../../wire/form.ts';
import { toJson } from '../../wire/json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** POST /oauth/accesstoken: exchanges a code for a long-lived access token. */
export function tokenRoutes(service: Service): Routes {
  const { quirks } = service;
  const routes: Routes = new Hono<SandboxEnv>();

  routes.post('/oauth/accesstoken', async (c) => {
    const fields = await readFormFields(c.req.raw);
    const problem = clientProblem(fields, service);
    const owner = problem ? null : ownerOfCode(fields, service);
    if (owner) return tokenAnswer(issueToken(owner, service), quirks);
    const error = problem ?? 'invalid_grant';
    throw new Refusal(quirks.legacyFailureStatus, `The authorization failed: ${error}.`);
  });

  return routes;
}

function clientProblem(fields: Fields, { authorization: { app } }: Service): string | null {
  if (fields['grant_type'] !== 'authorization_code') return 'unsupported_grant_type';
  const known = fields['client_id'] === app.clientId && fields['client_secret'] === app.clientSecret;
  return known ? null : 'invalid_client';
}

function ownerOfCode(fields: Fields, { authorization }: Service): Owner | null {
  const { code, client_id: clientId, redirect_uri: redirectUri } = fields;
  return authorization.redeem(String(code), { clientId: String(clientId), redirectUri: String(redirectUri) });
}

function issueToken(owner: Owner, { book, credentials, quirks }: Service): string {
  const token = book.note('accessTokens', `issued-${owner.credentials.name}-${randomText(20)}`);
  credentials.admit(token, owner, quirks.tokenLifetimeSeconds * 1_000);
  return token;
}

function tokenAnswer(token: string, quirks: Quirks): Response {
  const fields = { access_token: token, token_type: 'bearer', expires_in: quirks.tokenLifetimeSeconds };
  const form = new URLSearchParams({ ...fields, expires_in: String(fields.expires_in) }).toString();
  const shapes: Record<Quirks['tokenResponse'], () => Response> = {
    json: () => reply(toJson(fields), 'application/json; charset=utf-8'),
    form: () => reply(form, 'application/x-www-form-urlencoded'),
    nested: () => succeedLegacy(quirks, fields),
    text: () => reply(token, 'text/plain; charset=utf-8'),
    html: () => reply(`<html><body><p>access_token: ${token}</p></body></html>`, 'text/html; charset=utf-8'),
  };
  return shapes[quirks.tokenResponse]();
}

function reply(text: string, contentType: string): Response {
  return new Response(text, { headers: { 'content-type': contentType, 'cache-control': 'no-store' } });
}
