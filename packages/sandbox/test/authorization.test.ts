import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import type { Quirks } from '../src/quirks.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { call, movableClock } from './running-sandbox.ts';
import { sandboxForTest } from '../../../test/support/sandbox.ts';

const CALLBACK = 'http://127.0.0.1:4321/connect/callback';

/** Where an app sends a person, with changes of the query. */
function authorizationPath(sandbox: Sandbox, changes: Readonly<Record<string, string>> = {}): string {
  const base = { client_id: sandbox.oauthApp.clientId, redirect_uri: CALLBACK, response_type: 'code' };
  return `/oauth/?${new URLSearchParams({ ...base, scope: 'read,write', ...changes }).toString()}`;
}

/** A browser with cookies; it follows the first redirect, to the login page, and forms, and no other redirect. */
function browser(sandbox: Sandbox) {
  let cookie = '';
  const visit = async (path: string, fields?: Readonly<Record<string, string>>) => {
    const response = await request(`${sandbox.url}${path}`, {
      method: fields ? 'POST' : 'GET',
      headers: { cookie, ...(fields ? { 'content-type': 'application/x-www-form-urlencoded' } : {}) },
      ...(fields ? { body: new URLSearchParams(fields).toString() } : {}),
    });
    const set = [response.headers['set-cookie'] ?? []].flat()[0];
    if (set) [cookie = ''] = set.split(';');
    const { location } = response.headers;
    return {
      status: response.statusCode,
      location: typeof location === 'string' ? new URL(location, sandbox.url) : null,
      html: await response.body.text(),
    };
  };
  return {
    open: async (changes: Readonly<Record<string, string>> = {}) => {
      const answer = await visit(authorizationPath(sandbox, changes));
      return answer.location ? visit(answer.location.pathname + answer.location.search) : answer;
    },
    /** Fills in the form of a page and sends it. */
    submit: (html: string, fields: Readonly<Record<string, string>>) => {
      const action = /action="([^"]+)"/.exec(html)?.[1] ?? '';
      const hidden = [...html.matchAll(/type="hidden" name="([^"]+)" value="([^"]+)"/g)];
      const values = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
      return visit(action, { ...values, ...fields });
    },
  };
}

async function consentTo(sandbox: Sandbox, decision: 'allow' | 'deny', state?: string) {
  const person = browser(sandbox);
  const login = await person.open(state === undefined ? {} : { state });
  const [{ login: name, password }] = sandbox.owners;
  const consent = await person.submit(login.html, { login: name, password });
  return person.submit(consent.html, { decision });
}

function exchange(sandbox: Sandbox, code: string, changes: Readonly<Record<string, string>> = {}) {
  const fields = {
    client_id: sandbox.oauthApp.clientId,
    client_secret: sandbox.oauthApp.clientSecret,
    redirect_uri: CALLBACK,
    grant_type: 'authorization_code',
    code,
    ...changes,
  };
  return call(`${sandbox.url}/oauth/accesstoken`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
}

async function freshCode(sandbox: Sandbox): Promise<string> {
  return (await consentTo(sandbox, 'allow')).location?.searchParams.get('code') ?? '';
}

describe('the way through the pages', () => {
  test('begins with a redirect to the login page at its own address, with the whole query', async () => {
    const sandbox = await sandboxForTest();
    const path = authorizationPath(sandbox, { state: 'a b&c+é' });
    const reply = await call(sandbox.url + path);
    expect([reply.status, reply.text]).toEqual([302, '']);
    expect(reply.headers['location']).toBe(path.replace('/oauth/', '/oauth/login'));
    const followed = await fetch(sandbox.url + path);
    expect([followed.status, new URL(followed.url).pathname]).toEqual([200, '/oauth/login']);
    expect(followed.headers.get('set-cookie')).toContain('HttpOnly');
    expect(await followed.text()).toContain('<form method="post" action="/oauth/login">');
    expect(sandbox.requests.count('GET /oauth/')).toBe(2);
  });

  test('leads from login over consent to a code of 80 characters, with the state', async () => {
    const sandbox = await sandboxForTest();
    const person = browser(sandbox);
    const login = await person.open({ state: 'a b&c' });
    expect(login.html).toContain('harbour@example.com');
    const consent = await person.submit(login.html, {
      login: 'harbour@example.com',
      password: 'slow-roast-harbour',
    });
    expect(consent.html).toContain('Kelpgate Roasters');
    const { status, location } = await person.submit(consent.html, { decision: 'allow' });
    expect(status).toBe(302);
    expect(location?.origin + (location?.pathname ?? '')).toBe(CALLBACK);
    expect(location?.searchParams.get('code')).toMatch(/^[0-9a-f]{80}$/);
    expect(location?.searchParams.get('state')).toBe('a b&c');
    expect(sandbox.secrets.authorizationCodes).toEqual([location?.searchParams.get('code')]);
  });

  test('asks again after a wrong password, with the login that was typed', async () => {
    const person = browser(await sandboxForTest());
    const login = await person.open();
    const again = await person.submit(login.html, { login: 'harbour@example.com', password: 'no' });
    expect(again.status).toBe(401);
    expect(again.html).toContain('role="alert"');
    expect(again.html).toContain('value="harbour@example.com"');
    const consent = await person.submit(again.html, {
      login: 'harbour@example.com',
      password: 'slow-roast-harbour',
    });
    expect(consent.status).toBe(200);
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
    const person = browser(sandbox);
    const login = await person.open();
    const credentials = { login: 'harbour@example.com', password: 'slow-roast-harbour' };
    expect((await browser(sandbox).submit(login.html, credentials)).status).toBe(400);
    expect((await person.submit(login.html, { ...credentials, form_token: 'guess' })).status).toBe(400);
    const skipping = login.html.replace('/oauth/login', '/oauth/consent');
    expect((await person.submit(skipping, { decision: 'allow' })).status).toBe(400);
  });

  test('admits the redirect addresses that the sandbox is started with', async () => {
    const redirectUris = ['https://app.example.com/back'];
    const person = browser(await sandboxForTest({ redirectUris }));
    expect((await person.open({ redirect_uri: 'https://app.example.com/back' })).status).toBe(200);
    expect((await person.open()).status).toBe(400);
  });
});

describe('the exchange of a code', () => {
  test('gives an access token that the legacy surface accepts', async () => {
    const sandbox = await sandboxForTest();
    const reply = await exchange(sandbox, await freshCode(sandbox));
    expect(reply.at()).toMatchObject({ token_type: 'bearer', expires_in: 31_536_000 });
    const token = String(reply.at('access_token'));
    expect(sandbox.secrets.accessTokens).toContain(token);
    const accounts = await call(`${sandbox.url}/oauth/accounts`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(accounts.at('0.id')).toBe('410201');
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

  test('gives a token that ends with its time', async () => {
    const clock = movableClock();
    const sandbox = await sandboxForTest({ now: clock.now, quirks: { tokenLifetimeSeconds: 100 } });
    const token = String((await exchange(sandbox, await freshCode(sandbox))).at('access_token'));
    const status = async () => (await call(`${sandbox.url}/oauth/accounts?access_token=${token}`)).status;
    expect(await status()).toBe(200);
    clock.pass(100_000);
    expect(await status()).toBe(401);
  });

  test.each([
    ['form', /^access_token=issued-harbour-\w+&token_type=bearer&expires_in=\d+$/],
    ['nested', /^\{"error":0,"data":\{"access_token":"issued-/],
    ['text', /^issued-harbour-\w+$/],
    ['html', /<p>access_token: issued-/],
  ] as const)('can answer in the shape %s', async (tokenResponse, pattern) => {
    const sandbox = await sandboxForTest({ quirks: { tokenResponse } });
    expect((await exchange(sandbox, await freshCode(sandbox))).text).toMatch(pattern);
  });
});

test.each<[Partial<Quirks>, search: string]>([
  [{}, '?error=access_denied&state=s1'],
  [{ echoState: false }, '?error=access_denied'],
  [{ denyParameter: 'err_msg', denyMessage: '<b>No</b>' }, '?err_msg=%3Cb%3ENo%3C%2Fb%3E&state=s1'],
])('a denial under the quirks %j ends with %s', async (quirks, search) => {
  const { location } = await consentTo(await sandboxForTest({ quirks }), 'deny', 's1');
  expect(location?.search).toBe(search);
});

test('a refused exchange can look as OAuth 2 says', async () => {
  const reply = await exchange(await sandboxForTest({ quirks: { tokenFailure: 'oauth2' } }), 'nothing');
  expect([reply.status, reply.at('error')]).toEqual([400, 'invalid_grant']);
});
