import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import {
  begin,
  comeBack,
  connectThrough,
  startConnectable,
  consentAt,
  oauthEnvironment,
} from '../support/connect.ts';
import { freePort } from '../support/network.ts';
import { startGraph, type GraphOptions, type RunningGraph, shareGraph } from '../support/graph.ts';
import { leaksIn } from '../support/leaks.ts';
import { exchange, send, statusesIn } from '../support/http.ts';
import { holdDeadlines } from '../support/clock.ts';

const EXCHANGE = 'POST /oauth/accesstoken';

const port = await freePort();
const OWN = `http://127.0.0.1:${port}`;
const graph = shareGraph({
  environment: { PORT: String(port), ...oauthEnvironment(`${OWN}/connect/callback`) },
});
const secure = shareGraph({ environment: oauthEnvironment('https://graph.example/connect/callback') });

const exchanges = ({ sandbox }: RunningGraph = graph): number => sandbox.requests.count(EXCHANGE);

test('the way leads from /connect over consent to a page with a token that works, and leaves no secret elsewhere', async () => {
  const { begun, reply } = await connectThrough(graph);
  expect(begun.reply.status).toBe(302);
  expect(reply.status).toBe(200);
  const { clientSecrets, authorizationCodes, accessTokens } = graph.sandbox.secrets;
  const [token = '', code = ''] = [accessTokens.at(-1), authorizationCodes.at(-1)];
  expect(reply.text).toContain(`<pre id="token">${token}</pre>`);
  const { data } = await graph.query('{ accounts { totalCount } }', {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(data.accounts.totalCount).toBe(13);
  expect(exchanges()).toBe(1);
  expect(code).toHaveLength(80);
  expect(graph.log).not.toEqual([]);
  expect(leaksIn(graph.log, [...clientSecrets, code, token, begun.state])).toEqual([]);
  expect(leaksIn([reply.text, begun.reply.text], [...clientSecrets, code])).toEqual([]);
  expect(leaksIn([JSON.stringify(reply.headers)], [token, code])).toEqual([]);
  // The cookie is gone, and nobody may keep or frame the page.
  expect(reply.headers['set-cookie']).toMatch(/^connect_state=; Max-Age=0; Path=\/connect;/);
  expect(reply.headers['cache-control']).toBe('no-store');
  expect(reply.headers['referrer-policy']).toBe('no-referrer');
  expect(reply.headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  );
});

test('it begins at the exact consent address, with a cookie for this host and these pages alone', async () => {
  const { reply, consentUrl, state, cookie } = await begin(graph);
  expect(consentUrl.origin + consentUrl.pathname).toBe(`${graph.sandbox.url}/oauth/`);
  expect(Object.fromEntries(consentUrl.searchParams)).toEqual({
    client_id: 'demo-client',
    redirect_uri: `${OWN}/connect/callback`,
    response_type: 'code',
    scope: 'read,write',
    state,
  });
  expect(cookie).toMatch(/^connect_state=[\w+/=]{80,}$/);
  expect(cookie).not.toContain(state);
  expect(reply.headers['set-cookie']).toBe(`${cookie}; Max-Age=600; Path=/connect; HttpOnly; SameSite=Lax`);
  expect(reply.headers['cache-control']).toBe('no-store');
});

test.each(['graph.example', 'graph.example:443', 'GRAPH.example'])(
  'it keeps its cookie to https where it leads back by https, to %s',
  async (host) => {
    const reply = await send(`${secure.url}/connect`, { headers: { host } });
    expect(String(reply.headers['location'])).toContain(`${secure.sandbox.url}/oauth/`);
    expect(reply.headers['set-cookie']).toMatch(
      /^__Host-connect_state=[\w+/=]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
  },
);

test.each<Record<string, string>>([
  { host: `localhost:${port}` },
  { host: '127.0.0.1' },
  { host: `[::1]:${port}` },
  { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
])('it begins on the configured host, also when asked for with %j', async (headers) => {
  const reply = await send(`${graph.url}/connect`, { headers });
  expect([reply.status, reply.headers['location']]).toEqual([302, `${OWN}/connect?redirected`]);
  expect(reply.headers['set-cookie']).toBeUndefined();
  expect(reply.headers['cache-control']).toBe('no-store');
});

test('it redirects nobody to its own host more than once: a proxy may set a name of its own', async () => {
  const headers = { host: 'inside.example' };
  const reply = await send(`${graph.url}/connect?redirected`, { headers });
  expect(String(reply.headers['location'])).toContain(`${graph.sandbox.url}/oauth/`);
  expect(reply.headers['set-cookie']).toContain('connect_state=');
});

test('a code is exchanged to the letter, whatever visible characters it has', async () => {
  const { state, cookie } = await begin(graph);
  // A question mark needs no escape within a query.
  const marks = "?/:@!$'()*,;~_.-";
  const code = marks.padEnd(80, 'c');
  await comeBack(graph, `code=${code}&state=${state}`, cookie);
  const [sent] = graph.sandbox.requests.of(EXCHANGE);
  expect(new URLSearchParams(sent?.body).get('code')).toBe(code);
});

describe('a return without a token', () => {
  test('because it was denied repeats no word of the service', async () => {
    const denyMessage = '<img src=x onerror=alert(1)>"\'';
    const own = await startConnectable({ sandbox: { quirks: { denyParameter: 'oops<b>', denyMessage } } });
    const { reply, back } = await connectThrough(own, 'deny');
    expect(back.searchParams.get('oops<b>')).toBe(denyMessage);
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('did not return an authorisation code');
    expect(reply.text).not.toMatch(/onerror|oops|img/);
    expect(exchanges(own)).toBe(0);
  });

  test.each([
    ['access_denied', 400, 'Access was denied on the service’s consent page'],
    ['temporarily_unavailable', 502, 'access was not denied'],
    ['server_error', 502, 'access was not denied'],
    ['unauthorized_client', 400, 'rejected the request from this server’s OAuth app'],
    ['<b>other</b>', 400, 'access was denied, either on the consent page or by the service'],
  ])('because of the error %s says who refused', async (error, status, words) => {
    const { state, cookie } = await begin(graph);
    const reply = await comeBack(graph, new URLSearchParams({ error, state }), cookie);
    expect(reply.status).toBe(status);
    expect(reply.text).toContain(words);
    expect(reply.text).not.toContain('<b>');
    expect(exchanges()).toBe(0);
  });

  test.each([
    ['of 79 characters', 'c'.repeat(79)],
    ['of 81 characters', 'c'.repeat(81)],
    ['that is empty', ''],
    ['of 8,000 characters', 'c'.repeat(8_000)],
    ['with markup', '<script>alert(1)</script>'.padEnd(80, ' ')],
    ['with a line break', `${'c'.repeat(78)}\r\n`],
  ])('because its code is one %s sends nothing and repeats nothing', async (_, code) => {
    const { state, cookie } = await begin(graph);
    const reply = await comeBack(graph, new URLSearchParams({ code, state }), cookie);
    expect(reply.status).toBe(400);
    expect(reply.text).not.toMatch(/c{40}|<script>/);
    expect(exchanges()).toBe(0);
  });

  test.each<[string, FaultKind]>([
    ['a 500', { kind: 'status', status: 500, body: '<script>alert(1)</script>' }],
    ['a refusal', { kind: 'status', status: 400, body: { error: 'invalid_grant' } }],
    ['a flagged failure', { kind: 'status', status: 200, body: { error: 1, msg: '<b>x</b>' } }],
    ['no token', { kind: 'malformed-json' }],
    ['silence', { kind: 'never-answer' }],
  ])('because the exchange brought %s says so, and the exchange is not repeated', async (_, fault) => {
    const deadlines = holdDeadlines([EXCHANGE]);
    graph.sandbox.faults.add({ ...fault, endpoint: EXCHANGE, times: Number.POSITIVE_INFINITY });
    const connecting = connectThrough(graph);
    await expect.poll(() => exchanges()).toBe(1);
    if (fault.kind === 'never-answer') deadlines.pass();
    const { reply } = await connecting;
    expect(reply.status).toBe(502);
    expect(reply.text).toContain('did not issue a token');
    expect(reply.text).not.toMatch(/alert\(|invalid_grant/);
    expect(exchanges()).toBe(1);
  });
});

test('a token with markup in it stands on its page as text', async () => {
  const body = { access_token: '"></pre></script><script>alert(1)</script>&amp;' };
  graph.sandbox.faults.add({ kind: 'status', status: 200, body, endpoint: EXCHANGE });
  const { reply } = await connectThrough(graph);
  expect(reply.status).toBe(200);
  expect(reply.text).not.toContain('<script>alert');
  expect(reply.text.match(/<\/script>/g)).toHaveLength(1);
  expect(reply.text).toContain('&lt;script&gt;alert(1)');
});

describe('who may come in', () => {
  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('not with %s', async (method) => {
    const { state, cookie } = await begin(graph);
    for (const path of ['/connect', `/connect/callback?code=${'c'.repeat(80)}&state=${state}`]) {
      const reply = await send(graph.url + path, { method, headers: { cookie } });
      expect([reply.status, reply.headers['allow']]).toEqual([405, 'GET']);
      expect(reply.headers['location']).toBeUndefined();
    }
    expect(graph.sandbox.requests.count()).toBe(0);
  });

  test('nobody on a server without an app, which says what it needs, or none of whose addresses ends there', async () => {
    const without = await startGraph();
    const elsewhere = await startGraph({ environment: oauthEnvironment('https://app.example/done') });
    for (const path of ['/connect', '/connect/', '/connect/callback?code=x&state=y'])
      for (const { url } of [without, elsewhere])
        expect(await send(url + path)).toMatchObject({
          status: 404,
          text: expect.stringContaining('OAUTH_CLIENT_ID') as string,
        });
  });

  test.each(['/connect//', '/connect/callback//', '/connect/other', '/Connect', '/connected'])(
    'nobody at %s',
    async (path) => {
      expect((await send(graph.url + path)).status).toBe(404);
    },
  );

  test.each(['//', '///connect', 'http://', 'http://[', '//[', '/\\', '*'])(
    'nobody by the address %s, which is no fault of ours',
    async (target) => {
      const head = `GET ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`;
      const [status = 0] = statusesIn(await exchange(graph.url, head));
      expect([400, 404]).toContain(status);
    },
  );
});

// The state ties the return of an authorisation to the browser that began it. Whatever is wrong with it, the code that
// came is not exchanged.

/** Begins and consents; gives what a browser needs to come back. */
async function consented(from: RunningGraph = graph) {
  const begun = await begin(from);
  const back = await consentAt(from.sandbox, begun.consentUrl.href);
  return { ...begun, back: back.searchParams };
}

async function expectRefusal(query: URLSearchParams, cookie: string | null, from = graph): Promise<void> {
  const before = exchanges(from);
  const reply = await comeBack(from, query, cookie);
  expect(reply.status).toBe(400);
  expect(reply.text).toContain('Start again');
  expect(reply.text).not.toContain(query.get('code') ?? 'no code');
  expect(exchanges(from)).toBe(before);
}

const withState = (query: URLSearchParams, state: string | null): URLSearchParams => {
  const copy = new URLSearchParams(query);
  if (state === null) copy.delete('state');
  else copy.set('state', state);
  return copy;
};

test('a state is 256 random bits, and no two are alike', async () => {
  const begun = await Promise.all(Array.from({ length: 100 }, () => begin(graph)));
  expect(new Set(begun.map(({ state }) => state)).size).toBe(100);
  const bits = begun.flatMap(({ state }) => [...Buffer.from(state, 'base64url')]);
  expect(bits).toHaveLength(100 * 32);
  const ones = bits.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
  // Seven standard deviations.
  expect(Math.abs(ones / (bits.length * 8) - 0.5)).toBeLessThan(0.022);
});

describe('a return is refused', () => {
  test.each<(state: string) => string | null>([
    () => 'A'.repeat(43),
    () => '',
    (state) => `${state}A`,
    (state) => state.slice(0, -1),
    (state) => state.toUpperCase(),
    () => null,
  ])('with the wrong state %s, and then with the right one', async (change) => {
    const { back, cookie, state } = await consented();
    await expectRefusal(withState(back, change(state)), cookie);
    await expectRefusal(back, cookie);
  });

  test.each<(cookie: string) => string | null>([
    () => null,
    () => 'connect_state=',
    (cookie) => `x_${cookie}`,
    () => `connect_state=${'A'.repeat(43)}`,
    (cookie) => cookie.toUpperCase(),
    (cookie) => cookie.slice(0, -4),
  ])('with the wrong cookie %s', async (change) => {
    const { back, cookie } = await consented();
    await expectRefusal(back, change(cookie));
  });

  test('with the cookie of another browser that has begun as well, or of a later start', async () => {
    const [first, second] = [await consented(), await consented()];
    await expectRefusal(first.back, second.cookie);
    const third = await consented();
    expect((await comeBack(graph, third.back, third.cookie)).status).toBe(200);
    await expectRefusal(first.back, third.cookie);
  });

  test('a second time, also at the same time: one exchange, however often the page is loaded', async () => {
    const { back, cookie } = await consented();
    const replies = await Promise.all([1, 2, 3].map(() => comeBack(graph, back, cookie)));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
    await expectRefusal(back, cookie);
    expect(exchanges()).toBe(1);
  });

  test.each([
    [599_999, 200],
    [600_001, 400],
  ])('ten minutes after it began, and not before: %i ms later it is %i', async (laterMs, status) => {
    const startedAt = Date.now();
    const clock = vi.spyOn(Date, 'now').mockReturnValue(startedAt);
    onTestFinished(() => clock.mockRestore());
    const { back, cookie } = await consented();
    clock.mockReturnValue(startedAt + laterMs);
    expect((await comeBack(graph, back, cookie)).status).toBe(status);
  });
});

test('a service that does not send the state back is refused, unless the operator lets the cookie count alone', async () => {
  const sandbox = { quirks: { echoState: false } };
  const strict = await startConnectable({ sandbox });
  const refused = await consented(strict);
  expect(refused.back.has('state')).toBe(false);
  await expectRefusal(refused.back, refused.cookie, strict);

  const lax = await startConnectable({ sandbox, environment: { OAUTH_STATE: 'cookie' } });
  const { reply, back, begun } = await connectThrough(lax);
  expect(reply.status).toBe(200);
  await expectRefusal(back.searchParams, begun.cookie, lax);
  const other = await consented(lax);
  await expectRefusal(other.back, null, lax);
  await expectRefusal(other.back, `connect_state=${'A'.repeat(43)}`, lax);
  await expectRefusal(withState(other.back, 'A'.repeat(43)), other.cookie, lax);
  expect(exchanges(lax)).toBe(1);
});

const withSecret = (secret: string): GraphOptions => ({
  environment: { REDIS_URL: 'redis://127.0.0.1:1', REDIS_SECRET: secret.repeat(32) },
});

test('another process completes it if it has the same secret, and not otherwise', async () => {
  const { back, cookie } = await consented(await startConnectable(withSecret('a')));
  const [same, other] = [await startConnectable(withSecret('a')), await startConnectable(withSecret('b'))];
  // It exchanges the code, which its own sandbox does not know.
  expect((await comeBack(same, back, cookie)).status).toBe(502);
  expect(exchanges(same)).toBe(1);
  await expectRefusal(back, cookie, other);
});

test('a browser may send other cookies beside', async () => {
  const { back, cookie } = await consented();
  expect((await comeBack(graph, back, `a=b; ${cookie}; connect_state_=c`)).status).toBe(200);
});
