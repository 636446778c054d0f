import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../src/sandbox.ts';
import { call, movableClock } from './running-sandbox.ts';
import {
  authorizationPath,
  CALLBACK,
  freshCode,
  submit,
  visit,
  type Fields,
  type Page,
} from '../../../test/support/connect.ts';
import { sandboxForTest } from '../../../test/support/sandbox.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const LOGIN = { login: 'harbour@example.com', password: 'slow-roast-harbour' };

/** Opens the login page, to which the first page redirects; an error page does not. */
async function open(sandbox: Sandbox, changes: Fields = {}): Promise<Page> {
  const asked = await visit(sandbox.url + authorizationPath(sandbox, changes), '');
  return asked.location === '' ? asked : await visit(sandbox.url + asked.location, '');
}

function exchange(sandbox: Sandbox, code: string, changes: Fields = {}) {
  const { clientId: client_id, clientSecret: client_secret } = sandbox.oauthApp;
  const base = { client_id, client_secret, redirect_uri: CALLBACK, grant_type: 'authorization_code', code };
  const body = new URLSearchParams({ ...base, ...changes }).toString();
  return call(`${sandbox.url}/oauth/accesstoken`, { method: 'POST', headers: FORM, body });
}

describe('the way through the pages', () => {
  test('begins with a redirect to the login page at its own address, with the whole query', async () => {
    const sandbox = await sandboxForTest();
    const path = authorizationPath(sandbox, { state: 'a b&c+é' });
    const reply = await call(sandbox.url + path);
    const login = path.replace('/oauth/', '/oauth/login');
    expect([reply.status, reply.text, reply.headers['location']]).toEqual([302, '', login]);
    const page = await call(sandbox.url + login);
    expect(page.status).toBe(200);
    expect(String(page.headers['set-cookie'])).toContain('HttpOnly');
    expect(page.text).toContain('<form method="post" action="/oauth/login">');
  });

  test('leads from login, again after a wrong password, over consent to a code of 80 characters, with the state', async () => {
    const sandbox = await sandboxForTest();
    const login = await open(sandbox, { state: 'a b&c' });
    expect(login.html).toContain('harbour@example.com');
    const again = await submit(sandbox, login, { ...LOGIN, password: 'no' });
    expect(again.status).toBe(401);
    expect(again.html).toContain('role="alert"');
    expect(again.html).toContain('value="harbour@example.com"');
    const consent = await submit(sandbox, again, LOGIN);
    expect(consent.html).toContain('Kelpgate Roasters');
    const { status, location } = await submit(sandbox, consent, { decision: 'allow' });
    const { href, searchParams } = new URL(location);
    expect([status, href.split('?')[0]]).toEqual([302, CALLBACK]);
    expect(searchParams.get('code')).toMatch(/^[0-9a-f]{80}$/);
    expect(searchParams.get('state')).toBe('a b&c');
    expect(sandbox.secrets.authorizationCodes).toEqual([searchParams.get('code')]);
  });

  test.each([
    { client_id: 'nobody' },
    { redirect_uri: 'http://127.0.0.1:4321/elsewhere' },
    { redirect_uri: 'http://127.0.0.1.example.com:4321/connect/callback' },
    { redirect_uri: 'http://user@127.0.0.1:4321/connect/callback' },
    { redirect_uri: `${CALLBACK}?next=elsewhere` },
    { response_type: 'token' },
    { scope: 'everything' },
  ])('stops at an error page, without a redirect, for %j', async (changes) => {
    const sandbox = await sandboxForTest();
    const path = authorizationPath(sandbox, changes);
    for (const entry of [path, path.replace('/oauth/', '/oauth/login')]) {
      const page = await call(sandbox.url + entry);
      expect([page.status, page.headers['location']]).toEqual([400, undefined]);
      expect(page.text).toContain('role="alert"');
      expect(page.text).not.toContain('<form');
    }
  });

  test('cannot be walked by another browser, without the form token, or past the login', async () => {
    const sandbox = await sandboxForTest();
    const login = await open(sandbox);
    expect((await submit(sandbox, { ...login, cookie: '' }, LOGIN)).status).toBe(400);
    expect((await submit(sandbox, login, { ...LOGIN, form_token: 'guess' })).status).toBe(400);
    const skipping = { ...login, html: login.html.replace('/oauth/login', '/oauth/consent') };
    expect((await submit(sandbox, skipping, { decision: 'allow' })).status).toBe(400);
  });

  test('ends where a hundred others have begun since', async () => {
    const sandbox = await sandboxForTest();
    const [oldest, next] = [await open(sandbox), await open(sandbox)];
    const path = authorizationPath(sandbox).replace('/oauth/', '/oauth/login');
    for (let begun = 0; begun < 99; begun += 1) await call(sandbox.url + path);
    expect((await submit(sandbox, oldest, LOGIN)).status).toBe(400);
    expect((await submit(sandbox, next, LOGIN)).status).toBe(200);
  });
});

describe('the exchange of a code', () => {
  test('gives a token that the legacy surface accepts for its time', async () => {
    const clock = movableClock();
    const sandbox = await sandboxForTest({ now: clock.now });
    const reply = await exchange(sandbox, await freshCode(sandbox));
    expect(reply.at()).toMatchObject({ token_type: 'bearer', expires_in: 31_536_000 });
    const token = String(reply.at('access_token'));
    expect(sandbox.secrets.accessTokens).toContain(token);
    const headers = { authorization: `Bearer ${token}` };
    expect((await call(`${sandbox.url}/oauth/accounts`, { headers })).at('0.id')).toBe('410201');
    clock.pass(31_536_000_000);
    expect((await call(`${sandbox.url}/oauth/accounts`, { headers })).status).toBe(401);
  });

  test('works once, also where the first one came from another address', async () => {
    const sandbox = await sandboxForTest();
    for (const changes of [{}, { redirect_uri: 'http://localhost:4321/connect/callback' }]) {
      const code = await freshCode(sandbox);
      await exchange(sandbox, code, changes);
      expect((await exchange(sandbox, code)).at('error')).toBe(1);
    }
  });

  test('works for a minute', async () => {
    const clock = movableClock();
    const sandbox = await sandboxForTest({ now: clock.now });
    const [first, second] = [await freshCode(sandbox), await freshCode(sandbox)];
    clock.pass(59_000);
    expect((await exchange(sandbox, first)).at()).toHaveProperty('access_token');
    clock.pass(1_000);
    expect((await exchange(sandbox, second)).at('error')).toBe(1);
  });

  test.each([
    { client_id: 'nobody' },
    { client_secret: 'guess' },
    { redirect_uri: CALLBACK.slice(0, -1) },
    { redirect_uri: `${CALLBACK}/` },
    { grant_type: 'password' },
    { code: 'x'.repeat(80) },
  ])('is refused with %j', async (changes) => {
    const sandbox = await sandboxForTest();
    const reply = await exchange(sandbox, await freshCode(sandbox), changes);
    expect([reply.status, reply.at('error')]).toEqual([200, 1]);
  });
});
