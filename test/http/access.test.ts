import { expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { startGraph, type CallerHeaders, type RunningGraph } from '../support/graph.ts';
import { exchange, jsonOf, postJson, send, statusesIn } from '../support/raw-http.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { startServer } from '../support/server.ts';
import { openTransport, TRANSPORTS, type Outcome } from '../support/transports.ts';
import { connectSocket } from '../support/web-sockets.ts';

const TOKEN = 'planted-token-of-client-a';
const OTHER_TOKEN = 'planted-token-of-client-b';
const HARBOUR = { API_KEY: 'demo-key-harbour', ACCESS_TOKEN: 'demo-token-harbour' };
const FERNLIGHT = { 'x-api-key': 'demo-key-fernlight', authorization: 'Bearer demo-token-fernlight' };
const GUARDED = { ...HARBOUR, CLIENT_TOKENS: `${TOKEN}, ${OTHER_TOKEN}` };

const holder = shareGraph({ environment: HARBOUR });
const guarded = shareGraph({ environment: GUARDED });

const query = `{ current: accounts(first: 1, surface: CURRENT) { nodes { displayName } }
  legacy: accounts(first: 1, surface: LEGACY) { nodes { displayName } } }`;

/** Whose first account each surface answered, or how the operation failed. */
function ownersIn({ data, errors }: Pick<Outcome, 'data' | 'errors'>): string[] {
  const names = [data?.current, data?.legacy].flatMap((list) => list?.nodes[0].displayName ?? []);
  return [...names, ...errors.map(({ extensions }) => String(extensions['code']))];
}

const HARBOURS = ['Kelpgate Roasters', 'Kelpgate Roasters'];

test.each(TRANSPORTS)(
  'over %s, callers on this machine that bring nothing use the operator’s credentials',
  async (transport) => {
    const graph = holder;
    expect(ownersIn(await openTransport(transport, graph.url)({ query }))).toEqual(HARBOURS);
  },
);

test('what a caller brings itself is used in the operator’s place, each for its own surface', async () => {
  const graph = holder;
  const run = async (headers: CallerHeaders) =>
    ownersIn(await openTransport('HTTP', graph.url, headers)({ query }));
  expect(await run(FERNLIGHT)).toEqual(['Fernlight Books', 'Fernlight Books']);
  expect(await run({ 'x-api-key': FERNLIGHT['x-api-key'] })).toEqual([
    'Fernlight Books',
    'Kelpgate Roasters',
  ]);
  expect(await run({ authorization: FERNLIGHT.authorization })).toEqual([
    'Kelpgate Roasters',
    'Fernlight Books',
  ]);
});

test('a key of a caller’s that can’t be used is not replaced by the operator’s', async () => {
  const graph = holder;
  const headers = { 'x-api-key': 'not a key', authorization: 'Bearer not a token' };
  const outcome = await openTransport('HTTP', graph.url, headers)({ query });
  expect(ownersIn(outcome)).toEqual(['CREDENTIAL_REJECTED', 'CREDENTIAL_REJECTED']);
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('without credentials of the operator a caller that brings none has none', async () => {
  const graph = await startGraph();
  expect(ownersIn(await openTransport('HTTP', graph.url)({ query }))).toEqual([
    'CREDENTIAL_MISSING',
    'CREDENTIAL_MISSING',
  ]);
});

test.each(TRANSPORTS)('over %s, each of the tokens opens the server', async (transport) => {
  const graph = guarded;
  for (const token of [TOKEN, OTHER_TOKEN]) {
    const run = openTransport(transport, graph.url, { 'x-client-token': token });
    expect(ownersIn(await run({ query }))).toEqual(HARBOURS);
  }
});

/** Operations that need no credential of the service, and would tell something all the same. */
const QUERIES = [query, '{ __schema { types { name } } }', '{ surfaces { surface } }', '{ __typename }', '{'];

test.each(TRANSPORTS)('over %s, nothing is answered without a token', async (transport) => {
  const graph = guarded;
  const run = openTransport(transport, graph.url, { ...FERNLIGHT });
  for (const one of QUERIES) {
    const { status, data, isResult, errors } = await run({ query: one });
    expect([data, isResult, errors.map(({ extensions }) => extensions['code'])]).toEqual([
      undefined,
      false,
      ['CREDENTIAL_MISSING'],
    ]);
    expect(status).toBe(transport === 'WebSocket' ? null : 401);
  }
  expect(graph.sandbox.requests.count()).toBe(0);
});

const WRONG_TOKENS = [
  TOKEN.slice(0, -1),
  `${TOKEN}x`,
  TOKEN.toUpperCase(),
  `${TOKEN}, ${OTHER_TOKEN}`,
  `Bearer ${TOKEN}`,
  'demo-key-harbour',
  '__proto__',
  'x'.repeat(8_000),
];

test.each(TRANSPORTS)('over %s, a wrong token is refused and repeated nowhere', async (transport) => {
  const graph = guarded;
  for (const token of WRONG_TOKENS) {
    const { errors, data } = await openTransport(transport, graph.url, { 'x-client-token': token })({
      query,
    });
    expect(data).toBeUndefined();
    expect(errors.map(({ extensions }) => extensions['code'])).toEqual(['CREDENTIAL_REJECTED']);
    expect(JSON.stringify(errors)).not.toContain(token);
  }
  expect(graph.sandbox.requests.count()).toBe(0);
  for (const token of [...WRONG_TOKENS, TOKEN]) expect(graph.log.join('')).not.toContain(token);
});

test('a blank token is none', async () => {
  const endpoint = `${guarded.url}/graphql`;
  for (const token of ['', '   ']) {
    const reply = await postJson(endpoint, { query: '{ __typename }' }, { 'x-client-token': token });
    expect([reply.status, jsonOf(reply).errors[0].extensions.code]).toEqual([401, 'CREDENTIAL_MISSING']);
  }
});

test('a refusal over HTTP has the form of every refusal', async () => {
  const endpoint = `${guarded.url}/graphql`;
  const reply = await postJson(endpoint, { query: '{ __typename }' });
  expect(reply.headers['cache-control']).toBe('no-store');
  expect(jsonOf(reply)).toEqual({
    errors: [
      {
        message: 'Client token required: send the header "x-client-token".',
        extensions: {
          code: 'CREDENTIAL_MISSING',
          retryable: false,
          requestId: reply.headers['x-request-id'],
        },
      },
    ],
  });
});

/** Runs the query over a socket whose token stands where a client puts its headers. */
async function overSocket({ url }: RunningGraph, place: string, token: string): Promise<string[]> {
  const headers = { 'x-client-token': token };
  const socket = connectSocket(url, {
    ...(place === 'the upgrade' ? { headers } : {}),
    ...(place === 'the init' ? { connectionParams: headers } : {}),
  });
  const extensions = place === 'the message' ? { headers } : {};
  const result = await socket
    .run({ query, extensions })
    .catch((errors: unknown) => ({ errors }) as Partial<Outcome>);
  return ownersIn({ data: result.data, errors: (result.errors ?? []) as Outcome['errors'] });
}

test.each(['the upgrade', 'the init', 'the message'])('a socket may bring its token in %s', async (place) => {
  const graph = guarded;
  expect(await overSocket(graph, place, TOKEN)).toEqual(HARBOURS);
  expect(await overSocket(graph, place, `${TOKEN}-not`)).toEqual(['CREDENTIAL_REJECTED']);
  expect(await overSocket(graph, 'nowhere', TOKEN)).toEqual(['CREDENTIAL_MISSING']);
});

test('an operation over a socket that is refused ends nothing else', async () => {
  const graph = guarded;
  const socket = connectSocket(graph.url);
  await expect(socket.run({ query })).rejects.toHaveLength(1);
  const extensions = { headers: { 'x-client-token': TOKEN } };
  const { data } = await socket.run({ query: '{ surfaces { surface } }', extensions });
  expect(data).toEqual({ surfaces: [{ surface: 'CURRENT' }, { surface: 'LEGACY' }] });
  expect(socket.opened).toBe(1);
});

test('a token never travels to the service', async () => {
  const graph = guarded;
  await openTransport('HTTP', graph.url, { 'x-client-token': TOKEN })({ query });
  expect(graph.sandbox.requests.count()).toBe(2);
  for (const { rawHeaders, query: search } of graph.sandbox.requests.all)
    expect(rawHeaders.join() + search.toString()).not.toContain('planted-token');
});

test('the paths of who runs the server are open without a token, and tell no credential', async () => {
  const { url } = guarded;
  for (const path of ['/health', '/ready', '/metrics']) {
    const reply = await send(`${url}${path}`);
    expect([path, reply.status]).toEqual([path, 200]);
    expect(reply.text).not.toMatch(/demo-|planted/);
  }
});

/** The status of a query under a name of the server. */
async function statusUnder(url: string, host: string, accept = 'application/json'): Promise<number> {
  const body = JSON.stringify({ query: '{ __typename }' });
  const headers = `host: ${host}\r\ncontent-type: application/json\r\naccept: ${accept}\r\ncontent-length: ${body.length}`;
  const received = await exchange(
    url,
    `POST /graphql HTTP/1.1\r\nconnection: close\r\n${headers}\r\n\r\n${body}`,
  );
  return statusesIn(received)[0] ?? 0;
}

const FOREIGN = ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.7', 'x y', ':'];

test('a foreign name that leads to this machine does not get at the operator’s credentials', async () => {
  const { port } = new URL(holder.url);
  for (const name of FOREIGN) {
    for (const accept of ['application/json', 'text/event-stream'])
      expect(await statusUnder(holder.url, `${name}:${port}`, accept), name).toBe(401);
    const socket = connectSocket(holder.url, { headers: { host: `${name}:${port}` } });
    const errors: unknown = await socket.run({ query: '{ __typename }' }).catch((reason: unknown) => reason);
    expect(JSON.stringify(errors), name).toContain('CREDENTIAL_REJECTED');
  }
  for (const name of ['localhost', '127.0.0.1', '[::1]', 'LOCALHOST'])
    expect(await statusUnder(holder.url, `${name}:${port}`), name).toBe(200);
});

test('a server without credentials of its own answers by any name', async () => {
  const { url } = await startServer();
  for (const name of FOREIGN.slice(0, 4)) expect(await statusUnder(url, name), name).toBe(200);
});

test('where a token is needed, the server answers its clients by any name', async () => {
  const endpoint = `${guarded.url}/graphql`;
  const headers = { host: 'graph.example', 'x-client-token': TOKEN };
  const reply = await postJson(endpoint, { query: '{ __typename }' }, headers);
  expect([reply.status, errorsOf({ errors: jsonOf(reply).errors ?? [] })]).toEqual([200, []]);
});
