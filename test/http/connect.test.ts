import { describe, expect, test, vi } from 'vitest';
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
import { send } from '../support/http.ts';
import { holdDeadlines } from '../support/clock.ts';

const EXCHANGE = 'POST /oauth/accesstoken';

const port = await freePort();
const OWN = `http://127.0.0.1:${port}`;
const graph = shareGraph({
  environment: { PORT: String(port), LOG_LEVEL: 'debug', ...oauthEnvironment(`${OWN}/connect/callback`) },
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
  const headers = { authorization: `Bearer ${token}` };
  const data = await graph.dataOf('{ accounts { totalCount } }', { headers });
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
  expect(consentUrl.searchParams.get('redirect_uri')).toBe(`${OWN}/connect/callback`);
  expect(cookie).toMatch(/^connect_state=[\w+/=]{80,}$/);
  expect(cookie).not.toContain(state);
  expect(reply.headers['set-cookie']).toBe(`${cookie}; Max-Age=600; Path=/connect; HttpOnly; SameSite=Lax`);
  expect(reply.headers['cache-control']).toBe('no-store');
});

test.each(['graph.example', 'graph.example:443', 'GRAPH.example'])(
  'it keeps its cookie to https where it leads back by https, to %s',
  async (host) => {
    const { headers } = await send(`${secure.url}/connect`, { headers: { host } });
    expect(headers['location']).toContain(`${secure.sandbox.url}/oauth/`);
    expect(headers['set-cookie']).toMatch(
      /^__Host-connect_state=[\w+/=]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
  },
);

test('it begins on the configured host, to which it redirects once: a proxy may set a name of its own', async () => {
  for (const host of [`localhost:${port}`, '127.0.0.1', `[::1]:${port}`, 'evil.example']) {
    const forged = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
    const { status, headers } = await send(`${graph.url}/connect`, { headers: { host, ...forged } });
    expect([status, headers['location']]).toEqual([302, `${OWN}/connect?redirected`]);
    expect([headers['set-cookie'], headers['cache-control']]).toEqual([undefined, 'no-store']);
  }
  const { headers } = await send(`${graph.url}/connect?redirected`, { headers: { host: 'inside.example' } });
  expect(headers['location']).toContain(`${graph.sandbox.url}/oauth/`);
  expect(headers['set-cookie']).toContain('connect_state=');
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

test.each<readonly [query: Record<string, string>, status: number, words: string]>([
  [{ 'oops<b>': '<b>denied</b>' }, 400, 'did not return an authorisation code'],
  [{ error: '<b>other</b>' }, 400, 'access was denied on its consent page, or the service rejected'],
  ...[
    'c'.repeat(79),
    'c'.repeat(81),
    '',
    'c'.repeat(8_000),
    '<b>'.padEnd(80, ' '),
    `${'c'.repeat(78)}\r\n`,
  ].map((code) => [{ code }, 400, ''] as const),
])('a return with %j is %i, exchanges nothing and repeats nothing', async (query, status, words) => {
  const { state, cookie } = await begin(graph);
  const reply = await comeBack(graph, new URLSearchParams({ ...query, state }), cookie);
  expect(reply.status).toBe(status);
  expect(reply.text).toContain(words);
  expect(reply.text).not.toMatch(/c{40}|<b>/);
  expect(exchanges()).toBe(0);
});

test.each<FaultKind>([
  { kind: 'status', status: 500, body: '<script>alert(1)</script>' },
  { kind: 'status', status: 400, body: { error: 'invalid_grant' } },
  { kind: 'status', status: 200, body: { error: 1, msg: '<b>x</b>' } },
  { kind: 'malformed-json' },
  { kind: 'never-answer' },
])('an exchange that brings %j brings no token, and is not repeated', async (fault) => {
  const deadlines = holdDeadlines([EXCHANGE]);
  graph.sandbox.faults.add({ ...fault, endpoint: EXCHANGE, times: Number.POSITIVE_INFINITY });
  const connecting = connectThrough(graph);
  await expect.poll(() => exchanges()).toBe(1);
  if (fault.kind === 'never-answer') deadlines.pass();
  const { reply } = await connecting;
  expect(reply.status).toBe(502);
  const failure = /"code":"(UPSTREAM_REJECTED|OUTCOME_UNKNOWN)",.*"an authorisation failed"/;
  expect(graph.log.at(-1)).toMatch(failure);
  expect(reply.text).toContain('did not issue a token');
  expect(reply.text).not.toMatch(/alert\(|invalid_grant/);
  expect(exchanges()).toBe(1);
  const lines = graph.log.map((line) => JSON.parse(line) as Readonly<Record<'msg' | 'requestId', string>>);
  const told = lines.filter(({ requestId }) => requestId === reply.headers['x-request-id']);
  expect(told.map(({ msg }) => msg)).toEqual(['called the service', 'an authorisation failed']);
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

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('nobody comes in with %s', async (method) => {
  const { state, cookie } = await begin(graph);
  for (const path of ['/connect', `/connect/callback?code=${'c'.repeat(80)}&state=${state}`]) {
    const { status, headers } = await send(graph.url + path, { method, headers: { cookie } });
    expect([status, headers['allow'], headers['location']]).toEqual([405, 'GET', undefined]);
  }
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('nobody comes in without an app, whose setting is named, with addresses that end elsewhere, or by other paths', async () => {
  const without = await startGraph();
  const elsewhere = await startGraph({ environment: oauthEnvironment('https://app.example/done') });
  const text = expect.stringContaining('OAUTH_CLIENT_ID') as string;
  for (const path of ['/connect', '/connect/', '/connect/callback?code=x&state=y'])
    for (const { url } of [without, elsewhere])
      expect(await send(url + path)).toMatchObject({ status: 404, text });
  for (const path of ['/connect//', '/connect/callback//', '/connect/other', '/Connect', '/connected'])
    expect((await send(graph.url + path)).status).toBe(404);
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
  const states = await Promise.all(Array.from({ length: 20 }, async () => (await begin(graph)).state));
  expect(new Set(states).size).toBe(20);
  expect(new Set(states.map((state) => Buffer.from(state, 'base64url').length))).toEqual(new Set([32]));
});

describe('a return is refused', () => {
  const wrongStates: readonly ((state: string) => string | null)[] = [
    () => 'A'.repeat(43),
    () => '',
    (state) => `${state}A`,
    (state) => state.slice(0, -1),
    (state) => state.toUpperCase(),
    () => null,
  ];
  test('with a wrong state, and then with the right one', async () => {
    for (const change of wrongStates) {
      const { back, cookie, state } = await consented();
      await expectRefusal(withState(back, change(state)), cookie);
      await expectRefusal(back, cookie);
    }
  });

  const wrongCookies: readonly ((cookie: string) => string | null)[] = [
    () => null,
    () => 'connect_state=',
    (cookie) => `x_${cookie}`,
    () => `connect_state=${'A'.repeat(43)}`,
    (cookie) => cookie.toUpperCase(),
    (cookie) => cookie.slice(0, -4),
  ];
  test('with a wrong cookie, and accepted with others beside the right one', async () => {
    const { back, cookie } = await consented();
    for (const change of wrongCookies) await expectRefusal(back, change(cookie));
    expect((await comeBack(graph, back, `a=b; ${cookie}; connect_state_=c`)).status).toBe(200);
  });

  test('with the cookie of another browser that has begun as well, or of a later start', async () => {
    const [first, second] = [await consented(), await consented()];
    await expectRefusal(first.back, second.cookie);
    const third = await consented();
    expect((await comeBack(graph, third.back, third.cookie)).status).toBe(200);
    await expectRefusal(first.back, third.cookie);
  });

  test('in a second tab, once the first has come back with the state that both have', async () => {
    const first = await consented();
    const { headers } = await send(`${graph.url}/connect`, { headers: { cookie: first.cookie } });
    expect(new URL(String(headers['location'])).searchParams.get('state')).toBe(first.state);
    const [cookie = ''] = String(headers['set-cookie']).split(';');
    expect((await comeBack(graph, first.back, cookie)).status).toBe(200);
    await expectRefusal(first.back, cookie);
    const again = await send(`${graph.url}/connect`, { headers: { cookie } });
    expect(again.headers['location']).not.toContain(first.state);
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
