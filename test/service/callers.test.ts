import { describe, expect, test } from 'vitest';
import type { LoggedRequest } from '../../packages/sandbox/src/request-log.ts';
import {
  errorsOf,
  onlyError,
  startGraph,
  type CallerHeaders,
  type RunningGraph,
  shareGraph,
} from '../support/graph.ts';
import { oauthEnvironment } from '../support/connect.ts';
import { cases } from '../support/depth.ts';
import { jsonOf, postJson } from '../support/http.ts';
import { connectSocket } from '../support/web-sockets.ts';
import { EXAMPLES, write, documentOf } from '../support/writes.ts';
import { createServer, type IncomingMessage } from 'node:http';
import type { Environment } from '../../src/config.ts';
import { startServer } from '../support/server.ts';
import { listen } from '../support/attack-page.ts';
import { inputsOf, READ_CALLS, WRITE_CALLS } from '../support/calls.ts';
import { endpoints } from '../../packages/sandbox/src/endpoints.ts';

// A service for any credential, whose every answer is the name of the credential that it was asked with.

/** Starts it and a graph in front of it; both end with the test. Answers take `delayMs`. */
async function startEchoGraph(delayMs: number, environment: Environment = {}) {
  const requests = { count: 0 };
  const service = createServer((request, response) => {
    requests.count += 1;
    setTimeout(() => response.setHeader('content-type', 'application/json').end(echoOf(request)), delayMs);
  });
  const address = await listen(service);
  const { endpoint } = await startServer({
    CURRENT_API_URL: address,
    LEGACY_API_URL: address,
    MAX_OPERATIONS: '100000',
    LOG_LEVEL: 'silent',
    ...environment,
  });
  const query = (text: string, headers: CallerHeaders) => postJson(endpoint, { query: text }, headers);
  return { query, requests };
}

type EchoGraph = Awaited<ReturnType<typeof startEchoGraph>>;

/** Asks for the name of an account on each surface, which is the credential. */
const WHO_AM_I = `{
  current: accounts(surface: CURRENT, first: 1) { nodes { displayName } }
  legacy: accounts(surface: LEGACY, first: 1) { nodes { displayName } }
}`;

function echoOf({ url = '', headers }: IncomingMessage): string {
  if (url.startsWith('/oauth/')) {
    const token = headers.authorization?.replace('Bearer ', '');
    return JSON.stringify([{ id: 1, nickname: token, status: 'Running' }]);
  }
  // The token, too, where it is sent along.
  const name = [headers['x-api-key'], headers.authorization?.replace('Bearer ', '')]
    .filter(Boolean)
    .join(' ');
  const list = [{ loginId: 1, accountUsername: name }];
  const response = { currentPage: 1, pageLimit: 1, totalRecords: 1, list };
  return JSON.stringify({ message: 'Success', response });
}

// What the service is sent for a caller, and that callers have nothing in common.

const LIST = '{ accounts(surface: CURRENT, first: 1) { totalCount } }';
const VIEW = 'GET /accounts/view/{loginId}';
const SENDING = { CURRENT_SENDS_ACCESS_TOKEN: 'on' };

const surfaceOf = ({ path }: LoggedRequest): 'current' | 'legacy' =>
  path.startsWith('/oauth/') ? 'legacy' : 'current';

/** What a request to each surface may carry, and nothing else. */
const BASE = ['accept', 'accept-encoding', 'connection', 'content-length', 'content-type', 'host'];
const ALLOWED = { current: [...BASE, 'x-api-key'], legacy: [...BASE, 'authorization'] };
/** What a caller may send along in the hope that it gets through. */
const SMUGGLED = {
  cookie: 'session=canary-cookie',
  'x-forwarded-for': '10.0.0.1',
  forwarded: 'for=10.0.0.1;host=evil.example',
  'x-forwarded-host': 'evil.example',
  'x-api-secret': 'canary-secret',
  'proxy-authorization': 'Basic canary',
  'user-agent': 'canary-agent',
  referer: 'https://canary.example/',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'x-request-id': 'canary-request',
  origin: 'http://127.0.0.1',
};

/** The headers of a request that its surface is not to see, or sees twice. */
function foreignHeaders(request: LoggedRequest): string[] {
  const names = request.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const allowed = ALLOWED[surfaceOf(request)];
  return names.filter((name, index) => !allowed.includes(name) || names.indexOf(name) !== index);
}

test('the headers of calls are the credential of their surface, and nothing that a caller chose', async () => {
  const environment = { ...oauthEnvironment(), ALLOWED_ORIGINS: 'http://127.0.0.1' };
  const graph = await startGraph({ environment });
  const { sandbox, caller } = graph;
  const [{ apiKey, accessToken }] = sandbox.owners;
  const headers = { ...caller.both, ...SMUGGLED };
  const inputs = await inputsOf(sandbox);
  sandbox.requests.clear();
  for (let done = 0; done < cases(1, 200); done += 1)
    await Promise.all([
      ...READ_CALLS.map(({ field }) => graph.query(`{ ${field(sandbox)} }`, { headers })),
      ...WRITE_CALLS.map(({ mutation }, index) => {
        const variables = mutation === 'createBillingPortalSession' ? {} : { input: inputs[index] };
        return graph.query(documentOf(mutation), { variables, headers });
      }),
    ]);
  const { all } = sandbox.requests;
  // All calls of the interface but the one that is an address for a browser.
  const called = endpoints.map(({ name }) => name).filter((name) => name !== 'GET /oauth/');
  expect(new Set(all.map(({ endpoint }) => endpoint))).toEqual(new Set(called));
  for (const request of all) {
    const isLegacy = surfaceOf(request) === 'legacy';
    const isExchange = request.path === '/oauth/accesstoken';
    expect(foreignHeaders(request)).toEqual([]);
    const { 'x-api-key': key, authorization } = request.headers;
    expect([key, authorization]).toEqual([
      isLegacy ? undefined : apiKey,
      isLegacy && !isExchange ? `Bearer ${accessToken}` : undefined,
    ]);
    const rest = `${request.path}?${request.query} ${request.body}`;
    for (const credential of [apiKey, accessToken]) expect(rest).not.toContain(credential);
    expect(rest + request.rawHeaders.join()).not.toContain('canary');
  }
  // The control: a header that was passed on is found.
  await fetch(`${sandbox.url}/accounts/list`, { headers });
  const direct = sandbox.requests.all.at(-1);
  expect(direct && foreignHeaders(direct)).toEqual(expect.arrayContaining(['authorization', 'cookie']));
});

type Pair = readonly [key: string, token: string];

const pairOf = (text: string): Pair => {
  const [key = '', token = ''] = text.split(' ');
  return [key, token];
};
const headersOf = ([key, token]: Pair) => ({ 'x-api-key': key, authorization: `Bearer ${token}` });

describe('responses to two callers', () => {
  /** Sends the same query for callers in turn, all at once; fails the test for any response to somebody else. */
  async function askInTurn(graph: EchoGraph, callers: readonly Pair[], times: number): Promise<void> {
    const answers = await Promise.all(
      Array.from({ length: times }, async (_, n) => {
        const caller = callers[n % callers.length] ?? ['', ''];
        return [caller, jsonOf(await graph.query(WHO_AM_I, headersOf(caller)))] as const;
      }),
    );
    for (const [caller, answer] of answers)
      expect(answer, caller.join(' and ')).toMatchObject({
        data: {
          current: { nodes: [{ displayName: caller[0] }] },
          legacy: { nodes: [{ displayName: caller[1] }] },
        },
      });
  }

  /** The key and the token of one caller and of another, which are the same text once they are joined without care. */
  const COLLIDING = [
    ['tenant:1 2', 'tenant :12'],
    ['abc token', 'abcd token'],
    ['ab cd', 'abc d'],
    ['left right', 'right left'],
    ['a:b c', 'a b:c'],
    ['current legacy', 'legacy current'],
    ['Tenant Token', 'tenant token'],
    ['shared one', 'shared other'],
    ['one shared', 'other shared'],
  ];

  test('are never mixed up, however alike their credentials and simultaneous their queries are', async () => {
    const graph = await startEchoGraph(5);
    const times = cases(10, 2_000);
    for (const texts of COLLIDING) await askInTurn(graph, texts.map(pairOf), times);
    // Equal reads were joined, or there would have been nothing to mix up.
    expect(graph.requests.count).toBeLessThan(2 * times * COLLIDING.length);
  });
});

test('a page size that the service chose for one caller costs others no calls', async () => {
  const graph = await startGraph();
  const [one, other] = graph.sandbox.owners.map(({ apiKey }) => ({ 'x-api-key': apiKey }));
  const callsFor = async (headers: CallerHeaders = {}): Promise<number> => {
    graph.sandbox.requests.clear();
    const query = '{ accounts(first: 10, surface: CURRENT) { nodes { loginId } } }';
    expect((await graph.query(query, { headers })).errors).toEqual([]);
    return graph.sandbox.requests.count('GET /accounts/list');
  };
  const usual = await callsFor(other);
  // One record to a page, whatever is asked for.
  graph.sandbox.faults.add({
    kind: 'rewrite',
    endpoint: 'GET /accounts/list',
    times: Number.POSITIVE_INFINITY,
    change: (answer: unknown) => {
      const { response } = answer as { readonly response: { readonly list: readonly unknown[] } };
      return { response: { ...response, list: response.list.slice(0, 1), pageLimit: 1 } };
    },
  });
  expect(await callsFor(one)).toBeGreaterThan(usual);
  graph.sandbox.faults.clear();
  expect(await callsFor(one)).toBeGreaterThan(usual);
  expect(await callsFor(other)).toBe(usual);
});

const detailOf = (n: number): string =>
  `{ account(id: "${Buffer.from(`1ac:${n + 1}`).toString('base64url')}") { connectedAt } }`;

describe('a caller who floods the service with slow reads', () => {
  const environment = { MAX_OPERATIONS: '10000', WS_MESSAGE_BURST: '1000' };

  /** Floods the service until so many calls are in flight and all others have been refused. */
  async function flood(graph: RunningGraph, count: number, inFlight: number): Promise<void> {
    const times = Number.POSITIVE_INFINITY;
    graph.sandbox.faults.add({ kind: 'never-answer', endpoint: VIEW, owner: 'harbour', times });
    let answered = 0;
    for (let socket = 0; socket < count / 50; socket += 1) {
      const client = connectSocket(graph.url, { connectionParams: graph.caller.key });
      for (let n = 0; n < 50; n += 1)
        void client
          .run({ query: detailOf(socket * 50 + n) })
          .catch(() => undefined)
          .finally(() => (answered += 1));
    }
    await graph.sandbox.requests.waitFor(VIEW, inFlight);
    await expect.poll(() => answered + graph.sandbox.requests.open).toBe(count);
    expect(answered).toBe(count - inFlight);
  }

  const ofAnother = async (graph: RunningGraph): Promise<string[]> =>
    errorsOf(await graph.query(LIST, { headers: { 'x-api-key': graph.sandbox.owners[1].apiKey } }));

  test('delays no other caller', async () => {
    const graph = await startGraph({ environment });
    await flood(graph, cases(50, 2_000), 16);
    for (let count = 0; count < 20; count += 1) expect(await ofAnother(graph)).toEqual([]);
    // Every response overtook the whole flood.
    expect(graph.sandbox.requests.open).toBe(16);
  });

  test('control: without MAX_CALLS_PER_CALLER, others would be refused', async () => {
    const graph = await startGraph({ environment: { ...environment, MAX_CALLS_PER_CALLER: '64' } });
    await flood(graph, 100, 64);
    expect(await ofAnother(graph)).toEqual(['accounts OVERLOADED']);
  });
});

// The interface leaves open whether the current surface wants the access token beside the key. A setting sends it; then
// the two together are the caller.
describe('with CURRENT_SENDS_ACCESS_TOKEN', () => {
  const graph = shareGraph({ environment: SENDING });
  const strictly = { sandbox: { quirks: { currentNeedsToken: true } } };

  /** What each request to a surface carried as its credentials, each once. */
  function sentTo(surface: 'current' | 'legacy', { all }: RunningGraph['sandbox']['requests']): unknown[] {
    const ofSurface = all.filter((request) => surfaceOf(request) === surface);
    const sent = ofSurface.map(({ headers }) =>
      JSON.stringify([headers['x-api-key'], headers.authorization]),
    );
    return [...new Set(sent)].map((text) => JSON.parse(text) as unknown);
  }

  test('a surface that asks for both credentials is sent both, and the legacy one its token alone', async () => {
    const mix = `{ accounts(first: 2) { nodes { displayName connectedAt } } accountGroups(first: 1) { totalCount }
      queuedPosts(first: 1) { totalCount } membership { isBiannual } legacy: accounts(surface: LEGACY) { totalCount } }`;
    const strict = await startGraph({ environment: SENDING, ...strictly });
    expect((await strict.query(mix)).errors).toEqual([]);
    const { 'x-api-key': key, authorization } = strict.caller.both;
    expect(sentTo('current', strict.sandbox.requests)).toEqual([[key, authorization]]);
    expect(sentTo('legacy', strict.sandbox.requests)).toEqual([[null, authorization]]);
    expect((await write(strict, 'createDraft', EXAMPLES.createDraft)).outcome).toBe('COMPLETED');

    const unset = await startGraph(strictly);
    expect(errorsOf(await unset.query(LIST))).toEqual(['accounts CREDENTIAL_REJECTED']);
    expect(sentTo('current', unset.sandbox.requests)).toEqual([[key, null]]);
  });

  test.each([undefined, '', 'Basic abc', 'Bearer', 'Bearer not a token'])(
    'the authorization %j adds nothing to the key',
    async (authorization) => {
      const headers = { ...graph.caller.key, ...(authorization === undefined ? {} : { authorization }) };
      expect((await graph.query(LIST, { headers })).errors).toEqual([]);
      expect(sentTo('current', graph.sandbox.requests)).toEqual([[graph.caller.key['x-api-key'], null]]);
    },
  );

  const one = (): CallerHeaders => graph.caller.both;
  const other = (): CallerHeaders => ({ ...graph.caller.key, authorization: 'Bearer another-token' });

  test('callers that share the key never get each other’s responses', async () => {
    const echo = await startEchoGraph(300, SENDING);
    const query = WHO_AM_I.replace(/legacy:.*/, '');
    const asked = ['shared one', 'shared two', 'shared', 'sharedone two', 'shared onetwo', 'share done']
      .flatMap((caller) => Array<string>(10).fill(caller))
      .map(async (caller) => {
        const [key = '', token] = caller.split(' ');
        const headers = { 'x-api-key': key, ...(token && { authorization: `Bearer ${token}` }) };
        const { data } = jsonOf(await echo.query(query, headers));
        expect(data.current.nodes).toEqual([{ displayName: caller }]);
      });
    await Promise.all(asked);
    expect(echo.requests.count).toBeLessThan(asked.length);
  });

  test('callers that share the key have their own idempotency keys and live results', async () => {
    const input = { ...EXAMPLES.createDraft, idempotencyKey: 'the-same' };
    const replayed = [];
    for (const headers of [one(), other(), one(), graph.caller.key])
      replayed.push((await write(graph, 'createDraft', input, { headers }))['replayed']);
    expect(replayed).toEqual([false, false, true, false]);

    const slow = { ...EXAMPLES.generateAiText, prompt: 'Write slowly' };
    const { aiGeneration } = await write(graph, 'generateAiText', slow, { headers: one() });
    const { id } = aiGeneration as { readonly id: string };
    const seenBy = async (headers: CallerHeaders): Promise<unknown> => {
      const query = 'query ($id: ID!) { aiGeneration(id: $id) { status } }';
      return (await graph.query(query, { variables: { id }, headers })).data.aiGeneration;
    };
    expect([await seenBy(one()), await seenBy(other())]).toEqual([{ status: 'PENDING' }, null]);
  });

  test('a socket survives that the token of one of its operations is refused', async () => {
    const strict = await startGraph({ environment: { ...SENDING, AI_POLL_INTERVAL: '50ms' }, ...strictly });
    const socket = connectSocket(strict.url, { connectionParams: { ...strict.caller.both } });
    expect((await socket.run({ query: LIST })).errors).toBeUndefined();
    const { errors } = await socket.run({
      query: 'subscription { aiGenerationUpdated(id: "MXRjOmFp") { status } }',
      extensions: { headers: { authorization: 'Bearer another-token' } },
    });
    expect(errors?.map(({ extensions }) => extensions['code'])).toEqual(['CREDENTIAL_REJECTED']);
    expect((await socket.run({ query: LIST })).errors).toBeUndefined();
    expect(socket.opened).toBe(1);
  });

  test('messages of the service are passed on without either credential', async () => {
    const headers = { 'x-api-key': 'planted-key-1', authorization: 'Bearer planted-key-1-and-token' };
    const words = 'no planted-key-1-and-token for planted-key-1 (planted-key-1-and-token)';
    const clean = 'no [redacted] for [redacted] ([redacted])';
    const { faults } = graph.sandbox;
    faults.add({ kind: 'status', status: 400, body: { message: words }, endpoint: 'GET /accounts/list' });
    const error = onlyError(await graph.query(LIST, { headers }));
    expect(error.extensions['code']).toBe('UPSTREAM_REJECTED');
    expect(error.message).toContain(clean);
    expect(graph.log.join('')).not.toContain('planted-key-1');
    const body = { message: words, response: { draftId: 'd-1' } };
    faults.add({ kind: 'status', status: 200, body, endpoint: 'POST /draft/create' });
    const { message } = await write(graph, 'createDraft', EXAMPLES.createDraft, { headers });
    expect(message).toBe(clean);
  });

  test('a caller never has the operator’s token beside its own key', async () => {
    const [API_KEY, ACCESS_TOKEN] = ['demo-key-harbour', 'demo-token-harbour'];
    const holder = await startGraph({ environment: { ...SENDING, API_KEY, ACCESS_TOKEN } });
    for (const [headers, sent] of [
      [{}, [API_KEY, `Bearer ${ACCESS_TOKEN}`]],
      [{ authorization: 'Bearer own-token' }, [API_KEY, 'Bearer own-token']],
      [{ 'x-api-key': 'demo-key-fernlight' }, ['demo-key-fernlight', null]],
    ] as const) {
      holder.sandbox.requests.clear();
      expect((await holder.query(LIST, { headers: { ...headers } })).errors).toEqual([]);
      expect(sentTo('current', holder.sandbox.requests)).toEqual([sent]);
    }
  });
});
