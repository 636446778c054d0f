import { Hono } from 'hono';
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { OwnerCredentials } from '../../data/model.ts';
import { randomText } from '../../domain/authorization.ts';
import type { Transaction } from '../../domain/authorization.ts';
import type { Routes, SandboxEnv, Service } from '../../service.ts';
import { consentPage, loginPage, problemPage } from '../../wire/pages.ts';
import type { Html } from '../../wire/pages.ts';

const COOKIE = 'sandbox_browser';
const LOGIN = '/oauth/login';

type SandboxContext = Context<SandboxEnv>;

/**
 * GET /oauth/: the redirect to a login page, then a consent page, then the redirect with a code or a refusal.
 *
 * The login page is at /oauth/login, with the app's full query; the two pages post to /oauth/login and
 * /oauth/consent. These addresses are the sandbox's own.
 */
export function authorizationRoutes(service: Service): Routes {
  const { authorization, world } = service;
  const routes: Routes = new Hono<SandboxEnv>();
  const people: OwnerCredentials[] = world.owners.map((owner) => owner.credentials);

  routes.get('/oauth/', async (c) => {
    const problem = requestProblem(c, service);
    if (problem) return await show(c, problemPage(problem), 400);
    c.header('cache-control', 'no-store');
    return c.redirect(`${LOGIN}${new URL(c.req.url).search}`);
  });

  routes.get(LOGIN, (c) => {
    // Checked again: this page can be opened without the redirect.
    const problem = requestProblem(c, service);
    if (problem) return show(c, problemPage(problem), 400);
    const browser = getCookie(c, COOKIE) ?? randomText(16);
    setCookie(c, COOKIE, browser, { path: '/oauth', httpOnly: true, sameSite: 'Lax' });
    const request = {
      clientId: c.req.query('client_id') ?? '',
      redirectUri: c.req.query('redirect_uri') ?? '',
      state: c.req.query('state') ?? null,
    };
    return show(c, loginPage(authorization.begin(request, browser), people));
  });

  routes.post(LOGIN, async (c) => {
    const form = await readForm(c);
    const transaction = transactionOf(c, form, service);
    if (!transaction) return expired(c);
    const login = form.get('login') ?? '';
    const owner = world.owners.find(
      ({ credentials }) => credentials.login === login && credentials.password === form.get('password'),
    );
    if (!owner) {
      const refused = { problem: 'Login or password is wrong.', login };
      return show(c, loginPage(transaction, people, refused), 401);
    }
    transaction.owner = owner;
    return show(c, consentPage(transaction, owner.companyName));
  });

  routes.post('/oauth/consent', async (c) => {
    const form = await readForm(c);
    const transaction = transactionOf(c, form, service);
    if (!transaction?.owner) return expired(c);
    return c.redirect(outcome(transaction, form.get('decision') === 'allow', service));
  });

  return routes;
}

/** Returns why a request cannot be shown to a person; unregistered addresses never receive a redirect. */
function requestProblem(c: SandboxContext, { authorization }: Service): string | null {
  if (c.req.query('client_id') !== authorization.app.clientId) return 'The client_id is unknown.';
  if (!authorization.admits(c.req.query('redirect_uri') ?? '')) {
    return 'The redirect_uri is not registered for this app.';
  }
  if (c.req.query('response_type') !== 'code') return 'The response_type must be code.';
  const scopes = (c.req.query('scope') ?? '').split(',');
  return scopes.every((scope) => scope === 'read' || scope === 'write')
    ? null
    : 'The scope must be read,write.';
}

async function readForm(c: SandboxContext): Promise<URLSearchParams> {
  return new URLSearchParams(await c.req.text());
}

function transactionOf(
  c: SandboxContext,
  form: URLSearchParams,
  { authorization }: Service,
): Transaction | null {
  return authorization.find(
    form.get('transaction') ?? '',
    form.get('form_token') ?? '',
    getCookie(c, COOKIE) ?? '',
  );
}

function expired(c: SandboxContext): Promise<Response> {
  return show(c, problemPage('This page is no longer valid. Please start again from the app.'), 400);
}

/** Sends a page, without `form-action`: browsers would also apply it to the redirect back to the app. */
async function show(c: SandboxContext, page: Html, status: 200 | 400 | 401 = 200): Promise<Response> {
  c.header('cache-control', 'no-store');
  c.header(
    'content-security-policy',
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  );
  return c.html(page, status);
}

function outcome(transaction: Transaction, allowed: boolean, { authorization, quirks }: Service): string {
  const { redirectUri, state } = transaction.request;
  const address = new URL(redirectUri);
  if (allowed && transaction.owner) {
    address.searchParams.set('code', authorization.grant(transaction, transaction.owner));
  } else {
    authorization.drop(transaction);
    address.searchParams.set('error', 'access_denied');
  }
  if (state !== null && quirks.echoState) address.searchParams.set('state', state);
  return address.href;
}
