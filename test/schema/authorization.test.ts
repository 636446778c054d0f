import { describe, expect, test } from 'vitest';
import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import type { Quirks } from '../../packages/sandbox/src/quirks.ts';
import { CALLBACK, freshCode, oauthEnvironment } from '../support/connect.ts';
import {
  startGraph,
  type GraphOptions,
  type RunningGraph,
  shareGraph,
  stillClock,
} from '../support/graph.ts';
import { leaksIn } from '../support/leaks.ts';
import { postJson } from '../support/http.ts';
import { holdDeadlines } from '../support/clock.ts';
import { documentOf, verdictOf, write, type Input } from '../support/writes.ts';

const { origin } = new URL(CALLBACK);

/** Addresses that resemble the one that is configured, and are not it. */
const REDIRECT_VARIANTS: readonly string[] = [
  'https://127.0.0.1:4321/connect/callback',
  'HTTP://127.0.0.1:4321/connect/callback',
  'javascript:alert(1)//127.0.0.1:4321/connect/callback',
  'http://127.0.0.1:43210/connect/callback',
  'http://localhost:4321/connect/callback',
  'http://2130706433:4321/connect/callback',
  'http://127.0.0.1:4321@evil.example/connect/callback',
  'http://evil.example/?u=http://127.0.0.1:4321/connect/callback',
  ...['/', '/more', '?', '?next=https://evil.example', '#', ';x=1', ' ', '\n'].map((end) => CALLBACK + end),
  ...['/connect', '/connect/./callback', '/connect%2Fcallback', '/Connect/Callback'].map(
    (path) => origin + path,
  ),
  ` ${CALLBACK}`,
  `${CALLBACK},https://evil.example/connect/callback`,
  '/connect/callback',
  '',
];

const EXCHANGE = 'POST /oauth/accesstoken';
const URL_QUERY =
  'query ($uri: URL!, $state: String!) { authorizationUrl(redirectUri: $uri, state: $state) }';

const shared = shareGraph({ environment: oauthEnvironment() });
const startWithApp = (options: GraphOptions = {}): Promise<RunningGraph> =>
  // The sandbox's codes last a minute, by a clock that stands still.
  startGraph({
    ...options,
    sandbox: { now: stillClock, ...options.sandbox },
    environment: oauthEnvironment(),
  });
const exchange = (graph: RunningGraph, code: string, redirectUri: string = CALLBACK) =>
  write(graph, 'exchangeAuthorizationCode', { code, redirectUri });
const codeFor = ({ sandbox }: RunningGraph): Promise<string> => freshCode(sandbox);

const answering = (body: unknown, status = 200): FaultKind => ({ kind: 'status', status, body });

async function authorizationUrl(graph: RunningGraph, variables: Input) {
  const { data, errors } = await graph.query(URL_QUERY, { variables });
  return { url: data.authorizationUrl as string | null, errors };
}

describe('the address of the consent page', () => {
  test('is exact, and calls nobody', async () => {
    const graph = shared;
    const { url } = await authorizationUrl(graph, { uri: CALLBACK, state: 'a b&c=ü' });
    const address = new URL(url ?? '');
    expect(address.origin + address.pathname).toBe(`${graph.sandbox.url}/oauth/`);
    expect([...address.searchParams]).toEqual([
      ['client_id', 'demo-client'],
      ['redirect_uri', CALLBACK],
      ['response_type', 'code'],
      ['scope', 'read,write'],
      ['state', 'a b&c=ü'],
    ]);
    expect(url).not.toContain('demo-client-secret');
    expect(graph.sandbox.requests.count()).toBe(0);
  });

  test('keeps the path of a surface that lives under one', async () => {
    const environment = { ...oauthEnvironment(), LEGACY_API_URL: 'https://legacy.example/base/' };
    const graph = await startGraph({ environment });
    const { url } = await authorizationUrl(graph, { uri: CALLBACK, state: 's' });
    expect(url).toMatch(/^https:\/\/legacy\.example\/base\/oauth\/\?client_id=demo-client&/);
  });

  test.each(['', ' \t', 's'.repeat(513)])('is refused for the state %.20j', async (state) => {
    const { url, errors } = await authorizationUrl(shared, { uri: CALLBACK, state });
    expect(url).toBeNull();
    expect(errors[0]?.extensions['code']).toBe('BAD_USER_INPUT');
  });
});

test('an address that is not configured to the letter is refused, for the page and for an exchange', async () => {
  const mutation = documentOf('exchangeAuthorizationCode');
  for (const uri of REDIRECT_VARIANTS) {
    const post = async (query: string, variables: object) =>
      (await postJson(`${shared.url}/graphql`, { query, variables })).text;
    const page = await post(URL_QUERY, { uri, state: 's' });
    expect(JSON.parse(page), uri).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
    expect(page, uri).not.toContain('demo-client');
    const input = { code: 'c'.repeat(80), redirectUri: uri };
    expect(await post(mutation, { input }), uri).toMatch(/INVALID_INPUT|BAD_USER/);
  }
  expect(shared.sandbox.requests.count()).toBe(0);
});

test('a server without an app says so in plain words', async () => {
  const graph = await startGraph();
  const { url, errors } = await authorizationUrl(graph, { uri: CALLBACK, state: 's' });
  expect(url).toBeNull();
  expect(errors[0]?.extensions['code']).toBe('SURFACE_NOT_CONFIGURED');
  expect(errors[0]?.message).toContain('No OAuth app for the legacy surface is configured');
  expect(verdictOf(await exchange(graph, 'c'.repeat(80)))).toEqual(['REJECTED', 'SURFACE_NOT_CONFIGURED']);
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('a code and a redirect address are both told to be wrong at once', async () => {
  const payload = await exchange(shared, 'c', 'https://elsewhere.example/connect/callback');
  expect(verdictOf(payload)).toEqual([
    'REJECTED',
    'INVALID_INPUT input.code',
    'INVALID_INPUT input.redirectUri',
  ]);
});

describe('the answer of the exchange', () => {
  const UNKNOWN = ['UNKNOWN', 'OUTCOME_UNKNOWN'];

  test.each<Quirks['tokenResponse']>(['json', 'form', 'nested', 'text'])(
    'as %s gives the token, and what else is known of it',
    async (tokenResponse) => {
      const graph = await startWithApp({ sandbox: { quirks: { tokenResponse, tokenLifetimeSeconds: 60 } } });
      const before = Date.now();
      const { accessToken, expiresAt, ...payload } = await exchange(graph, await codeFor(graph));
      const isBare = tokenResponse === 'text';
      expect(payload).toMatchObject({ outcome: 'COMPLETED', tokenType: isBare ? null : 'bearer' });
      expect(accessToken).toBe(graph.sandbox.secrets.accessTokens.at(-1));
      const endsAt = isBare ? before + 60_000 : Date.parse(String(expiresAt));
      expect(endsAt - before).toBeGreaterThanOrEqual(60_000);
      expect(endsAt - Date.now()).toBeLessThanOrEqual(60_000);
      expect([expiresAt === null, graph.sandbox.requests.count(EXCHANGE)]).toEqual([isBare, 1]);
    },
  );

  test('as a page holds no token that can be told', async () => {
    const graph = await startWithApp({ sandbox: { quirks: { tokenResponse: 'html' } } });
    const payload = await exchange(graph, await codeFor(graph));
    expect(verdictOf(payload)).toEqual(UNKNOWN);
    expect(payload.userErrors[0]?.message).toContain('start the authorisation again');
    expect(leaksIn([JSON.stringify(payload)], graph.sandbox.secrets.accessTokens.slice(-1))).toEqual([]);
    expect(graph.sandbox.requests.count(EXCHANGE)).toBe(1);
  });

  test.each<[string, FaultKind, string[]]>([
    ['a 500', answering('Oops', 500), UNKNOWN],
    ['a page that only mentions a token', answering('<a href="/?x=1&access_token=abc">Again</a>'), UNKNOWN],
    ['one word that is no token', answering('authorization_code_expired'), UNKNOWN],
    ['a form without a token', answering('reason=code_4711_is_unknown'), UNKNOWN],
    ['a sentence with a number', answering('The code 4711 is not known.'), UNKNOWN],
    ['a token as a text of JSON', answering('"T-4711-0815-2342-1138"'), ['COMPLETED']],
    ['a token in Base64', answering('VC00NzExLTA4MTUtMjM0Mg=='), ['COMPLETED']],
    [
      'a token as the data of a success',
      answering({ error: 0, data: 'T-4711-0815-2342-1138' }),
      ['COMPLETED'],
    ],
    ['a success without a token', answering({ error: 0, data: 'authorization_code_used' }), UNKNOWN],
    ['a token that is no text', answering({ access_token: 7 }), UNKNOWN],
    ['silence', { kind: 'never-answer' }, UNKNOWN],
    ['a rejected app', answering({ error: 'invalid_client' }, 401), ['REJECTED', 'UPSTREAM_REJECTED']],
    ['a refused code', answering({ error: 'invalid_grant' }, 400), ['REJECTED', 'UPSTREAM_REJECTED']],
    ['a flagged failure', answering({ error: 1, msg: 'Later' }), ['REJECTED', 'UPSTREAM_REJECTED']],
    ['a 201 with a token', answering({ access_token: 'T-201', expires_in: 'never' }, 201), ['COMPLETED']],
  ])('is never asked for twice: %s', async (_, fault, verdict) => {
    const graph = shared;
    const code = await codeFor(graph);
    const deadlines = holdDeadlines([EXCHANGE]);
    graph.sandbox.faults.add({ ...fault, endpoint: EXCHANGE, times: Number.POSITIVE_INFINITY });
    const exchanging = exchange(graph, code);
    await expect.poll(() => graph.sandbox.requests.count(EXCHANGE)).toBe(1);
    if (fault.kind === 'never-answer') deadlines.pass();
    expect(verdictOf(await exchanging)).toEqual(verdict);
    expect(graph.sandbox.requests.count(EXCHANGE)).toBe(1);
  });
});

test.each([true, [1], -1, 1e300])('a lifetime of %j is that of no token', async (lifetime) => {
  const graph = await startWithApp();
  const code = await codeFor(graph);
  graph.sandbox.faults.add({ ...answering({ access_token: 'T', expires_in: lifetime }), endpoint: EXCHANGE });
  expect(await exchange(graph, code)).toMatchObject({
    outcome: 'COMPLETED',
    accessToken: 'T',
    expiresAt: null,
  });
});
