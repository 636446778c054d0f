import { describe, expect, test } from 'vitest';
import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import { begin, comeBack, connectThrough, startConnectable } from '../support/connecting.ts';
import { oauthEnvironment } from '../support/consent.ts';
import { startGraph } from '../support/graph.ts';
import { leaksIn } from '../support/leaks.ts';
import { exchange, send, statusesIn } from '../support/raw-http.ts';
import { shortenDeadlines } from '../support/short-deadlines.ts';

const EXCHANGE = 'POST /oauth/accesstoken';

describe('the way through', () => {
  test('leads from /connect over consent to a page with a token that works', async () => {
    const graph = await startConnectable();
    const { begun, reply } = await connectThrough(graph);
    expect(begun.reply.status).toBe(302);
    const token = graph.sandbox.secrets.accessTokens.at(-1) ?? '';
    expect(reply.status).toBe(200);
    expect(reply.text).toContain(`<pre id="token">${token}</pre>`);
    const { data } = await graph.query('{ accounts { totalCount } }', {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(data.accounts.totalCount).toBe(13);
    expect(graph.sandbox.requests.count(EXCHANGE)).toBe(1);
  });

  test('begins at the exact consent address, and with a cookie for this host and these pages alone', async () => {
    const graph = await startConnectable();
    const { reply, consentUrl, state, cookie } = await begin(graph);
    expect(consentUrl.origin + consentUrl.pathname).toBe(`${graph.sandbox.url}/oauth/`);
    expect(Object.fromEntries(consentUrl.searchParams)).toEqual({
      client_id: 'demo-client',
      redirect_uri: `${graph.url}/connect/callback`,
      response_type: 'code',
      scope: 'read,write',
      state,
    });
    expect(cookie).toMatch(/^connect_state=[\w+/=]{80,}$/);
    expect(cookie).not.toContain(state);
    expect(reply.headers['set-cookie']).toBe(`${cookie}; Max-Age=600; Path=/connect; HttpOnly; SameSite=Lax`);
    expect(reply.headers['cache-control']).toBe('no-store');
  });

  test('keeps its cookie to https where it leads back by https', async () => {
    const environment = oauthEnvironment('https://graph.example/connect/callback');
    const graph = await startGraph({ environment });
    const reply = await send(`${graph.url}/connect`, { headers: { host: 'graph.example' } });
    expect(reply.headers['set-cookie']).toMatch(
      /^__Host-connect_state=[\w+/=]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
  });

  test('leads back to the configured address whatever host it is asked by', async () => {
    const graph = await startConnectable();
    const reply = await send(`${graph.url}/connect`, {
      headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    });
    expect(reply.headers['location']).toBe(`${graph.url}/connect?redirected`);
  });

  test('begins on the host that it leads back to, whatever name of this machine it was asked by', async () => {
    const graph = await startConnectable();
    const port = new URL(graph.url).port;
    for (const host of [`localhost:${port}`, '127.0.0.1', `[::1]:${port}`]) {
      const reply = await send(`${graph.url}/connect`, { headers: { host } });
      expect([reply.status, reply.headers['location']]).toEqual([302, `${graph.url}/connect?redirected`]);
      expect(reply.headers['set-cookie']).toBeUndefined();
      expect(reply.headers['cache-control']).toBe('no-store');
    }
    const { url } = graph;
    const { begun, reply } = await connectThrough(graph, 'allow', `${url}/connect?redirected`);
    expect(begun.reply.headers['set-cookie']).toContain('connect_state=');
    expect(reply.status).toBe(200);
  });

  test('sends nobody on more than once: a proxy may put a name of its own into each request', async () => {
    const graph = await startConnectable();
    const headers = { host: 'inside.example' };
    const reply = await send(`${graph.url}/connect?redirected`, { headers });
    expect(String(reply.headers['location'])).toContain(`${graph.sandbox.url}/oauth/`);
    expect(reply.headers['set-cookie']).toContain('connect_state=');
  });

  test.each(['graph.example', 'graph.example:443', 'GRAPH.example'])(
    'takes %s for the name of its configured host',
    async (host) => {
      const environment = oauthEnvironment('https://graph.example/connect/callback');
      const graph = await startGraph({ environment });
      const reply = await send(`${graph.url}/connect`, { headers: { host } });
      expect(String(reply.headers['location'])).toContain(`${graph.sandbox.url}/oauth/`);
    },
  );

  test('takes the cookie away at its end, and lets nobody keep or frame its pages', async () => {
    const { reply } = await connectThrough(await startConnectable());
    expect(reply.headers['set-cookie']).toMatch(/^connect_state=; Max-Age=0; Path=\/connect;/);
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(reply.headers['referrer-policy']).toBe('no-referrer');
    expect(reply.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
  });

  test('leaves no secret in the log, nor on any page but the token on the last one', async () => {
    const graph = await startConnectable();
    const { begun, reply } = await connectThrough(graph);
    const { clientSecrets, authorizationCodes, accessTokens } = graph.sandbox.secrets;
    const token = accessTokens.at(-1) ?? '';
    const [code = ''] = authorizationCodes;
    expect(code).toHaveLength(80);
    await graph.query('{ accounts { totalCount } }');
    expect(graph.log).not.toEqual([]);
    expect(leaksIn(graph.log, [...clientSecrets, code, token, begun.state])).toEqual([]);
    expect(leaksIn([reply.text, begun.reply.text], [...clientSecrets, code])).toEqual([]);
    expect(leaksIn([JSON.stringify(reply.headers)], [token, code])).toEqual([]);
  });
});

test('a code is traded to the letter, whatever visible characters it has', async () => {
  const graph = await startConnectable();
  const { state, cookie } = await begin(graph);
  // A question mark needs no escape within a query.
  const marks = "?/:@!$'()*,;~_.-";
  await comeBack(graph, `code=${marks}${'c'.repeat(80 - marks.length)}&state=${state}`, cookie);
  const [sent] = graph.sandbox.requests.of(EXCHANGE);
  expect(new URLSearchParams(sent?.body).get('code')).toBe(marks + 'c'.repeat(80 - marks.length));
});

describe('a return that brings no token', () => {
  test('because it was denied reflects no word of the service', async () => {
    const denyMessage = '<img src=x onerror=alert(1)>"\'';
    const graph = await startConnectable({ sandbox: { quirks: { denyParameter: 'oops<b>', denyMessage } } });
    const { reply, back } = await connectThrough(graph, 'deny');
    expect(back.searchParams.get('oops<b>')).toBe(denyMessage);
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('did not return an authorisation code');
    expect(reply.text).not.toMatch(/onerror|oops|img/);
    expect(graph.sandbox.requests.count(EXCHANGE)).toBe(0);
  });

  test.each([
    ['access_denied', 400, 'Access was denied on the service’s consent page'],
    ['temporarily_unavailable', 502, 'access was not denied'],
    ['server_error', 502, 'access was not denied'],
    ['unauthorized_client', 400, 'rejected the request from this server’s OAuth app'],
    ['<b>other</b>', 400, 'access was denied, either on the consent page or by the service'],
  ])('because of the error %s says who refused', async (error, status, words) => {
    const graph = await startConnectable();
    const { state, cookie } = await begin(graph);
    const reply = await comeBack(graph, new URLSearchParams({ error, state }), cookie);
    expect(reply.status).toBe(status);
    expect(reply.text).toContain(words);
    expect(reply.text).not.toContain('<b>');
    expect(graph.sandbox.requests.count(EXCHANGE)).toBe(0);
  });

  test.each([
    ['of 79 characters', 'c'.repeat(79)],
    ['of 81 characters', 'c'.repeat(81)],
    ['that is empty', ''],
    ['of 8,000 characters', 'c'.repeat(8_000)],
    ['with markup', '<script>alert(1)</script>'.padEnd(80, ' ')],
    ['with a line break', `${'c'.repeat(78)}\r\n`],
  ])('because its code is one %s sends nothing and reflects nothing', async (_, code) => {
    const graph = await startConnectable();
    const { state, cookie } = await begin(graph);
    const reply = await comeBack(graph, new URLSearchParams({ code, state }), cookie);
    expect(reply.status).toBe(400);
    expect(reply.text).not.toMatch(/c{40}|<script>/);
    expect(graph.sandbox.requests.count(EXCHANGE)).toBe(0);
  });

  test.each<[string, FaultKind]>([
    ['a 500', { kind: 'status', status: 500, body: '<script>alert(1)</script>' }],
    ['a refusal', { kind: 'status', status: 400, body: { error: 'invalid_grant' } }],
    ['a flagged failure', { kind: 'status', status: 200, body: { error: 1, msg: '<b>x</b>' } }],
    ['no token', { kind: 'malformed-json' }],
    ['silence', { kind: 'never-answer' }],
  ])('because the exchange brought %s is told once, and not repeated', async (_, fault) => {
    const graph = await startConnectable();
    if (fault.kind === 'never-answer') shortenDeadlines({ endpoint: EXCHANGE });
    graph.sandbox.faults.add({ ...fault, endpoint: EXCHANGE, times: Number.POSITIVE_INFINITY });
    const { reply } = await connectThrough(graph);
    expect(reply.status).toBe(502);
    expect(reply.text).toContain('did not issue a token');
    expect(reply.text).not.toMatch(/alert\(|invalid_grant/);
    expect(graph.sandbox.requests.count(EXCHANGE)).toBe(1);
  });
});

test('a token with markup in it stands on its page as text', async () => {
  const graph = await startConnectable();
  const token = '"></pre></script><script>alert(1)</script>&amp;';
  graph.sandbox.faults.add({
    kind: 'status',
    status: 200,
    body: { access_token: token },
    endpoint: EXCHANGE,
  });
  const { reply } = await connectThrough(graph);
  expect(reply.status).toBe(200);
  expect(reply.text).not.toContain('<script>alert');
  expect(reply.text.match(/<\/script>/g)).toHaveLength(1);
  expect(reply.text).toContain('&lt;script&gt;alert(1)');
});

describe('who may come in', () => {
  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('not with %s', async (method) => {
    const graph = await startConnectable();
    const { state, cookie } = await begin(graph);
    const code = 'c'.repeat(80);
    for (const path of ['/connect', `/connect/callback?${new URLSearchParams({ code, state })}`]) {
      const reply = await send(graph.url + path, { method, headers: { cookie } });
      expect([reply.status, reply.headers['allow']]).toEqual([405, 'GET']);
      expect(reply.headers['location']).toBeUndefined();
    }
    expect(graph.sandbox.requests.count()).toBe(0);
  });

  test('nobody on a server without an app, which says what it needs', async () => {
    const graph = await startGraph();
    for (const path of ['/connect', '/connect/', '/connect/callback?code=x&state=y']) {
      const reply = await send(graph.url + path);
      expect(reply.status).toBe(404);
      expect(reply.text).toContain('OAUTH_CLIENT_ID');
    }
  });

  test('nobody on a server none of whose addresses ends there', async () => {
    const graph = await startGraph({ environment: oauthEnvironment('https://app.example/done') });
    expect((await send(`${graph.url}/connect`)).status).toBe(404);
  });

  test.each(['/connect//', '/connect/callback//', '/connect/other', '/Connect', '/connected'])(
    'nobody at %s, where there is nothing',
    async (path) => {
      const graph = await startConnectable();
      expect((await send(graph.url + path)).status).toBe(404);
    },
  );

  test.each(['//', '///connect', 'http://', 'http://[', '//[', '/\\', '*'])(
    'nobody by the address %s, which is no fault of ours',
    async (target) => {
      const graph = await startConnectable();
      const received = await exchange(
        graph.url,
        `GET ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
      );
      const [status = 0] = statusesIn(received);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
    },
  );
});
