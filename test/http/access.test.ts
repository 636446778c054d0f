import { expect, test } from 'vitest';
import { type CallerHeaders, shareGraph } from '../support/graph.ts';
import { expectRefusal, FOLLOW, postJson, send } from '../support/http.ts';
import { shareServer } from '../support/server.ts';
import { openTransport, TRANSPORTS, type Outcome } from '../support/transports.ts';
import { connectSocket } from '../support/web-sockets.ts';

const TOKEN = 'planted-token-of-client-a';
const OTHER_TOKEN = 'planted-token-of-client-b';
const HARBOUR = { API_KEY: 'demo-key-harbour', ACCESS_TOKEN: 'demo-token-harbour' };
const FERNLIGHT = { 'x-api-key': 'demo-key-fernlight', authorization: 'Bearer demo-token-fernlight' };

const plain = shareGraph();
const holder = shareGraph({ environment: HARBOUR });
const guarded = shareGraph({ environment: { ...HARBOUR, CLIENT_TOKENS: `${TOKEN}, ${OTHER_TOKEN}` } });
const without = shareServer();

const query = `{ current: accounts(first: 1, surface: CURRENT) { nodes { displayName } }
  legacy: accounts(first: 1, surface: LEGACY) { nodes { displayName } } }`;

/** Whose first account each surface answered, or how the operation failed. */
function ownersIn({ data, errors }: Pick<Outcome, 'data' | 'errors'>): string[] {
  const names = [data?.current, data?.legacy].flatMap((list) => list?.nodes[0].displayName ?? []);
  return [...names, ...errors.map(({ extensions }) => String(extensions['code']))];
}

const OURS = 'Kelpgate Roasters';
const THEIRS = 'Fernlight Books';
const REJECTED = 'CREDENTIAL_REJECTED';

test.each(TRANSPORTS)(
  'over %s, callers on this machine that bring nothing use the operator’s credentials',
  async (transport) => {
    expect(ownersIn(await openTransport(transport, holder.url)({ query }))).toEqual([OURS, OURS]);
  },
);

test.each<[CallerHeaders, string[]]>([
  [FERNLIGHT, [THEIRS, THEIRS]],
  [{ 'x-api-key': FERNLIGHT['x-api-key'] }, [THEIRS, OURS]],
  [{ authorization: FERNLIGHT.authorization }, [OURS, THEIRS]],
  // What can't be used is not replaced by the operator's.
  [{ 'x-api-key': 'not a key', authorization: 'Bearer not a token' }, [REJECTED, REJECTED]],
])(
  'what a caller brings is used in the operator’s place, each for its own surface: %j',
  async (headers, owners) => {
    expect(ownersIn(await openTransport('HTTP', holder.url, headers)({ query }))).toEqual(owners);
    if (!owners.includes(THEIRS)) expect(holder.sandbox.requests.count()).toBe(0);
  },
);

/** Operations that need no credential of the service, and would tell something all the same. */
const QUERIES = [query, '{ __schema { types { name } } }', '{ surfaces { surface } }', '{ __typename }', '{'];

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

test.each(TRANSPORTS)(
  'over %s, each client token opens the server, and nothing else does',
  async (transport) => {
    const open = (headers: CallerHeaders) => openTransport(transport, guarded.url, headers);
    const refused = async (headers: CallerHeaders, one: string) => {
      const { status, data, isResult, errors } = await open(headers)({ query: one });
      expect([data, isResult, errors.length]).toEqual([undefined, false, 1]);
      expect(status).toBe(transport === 'WebSocket' ? null : 401);
      return errors[0];
    };
    for (const one of QUERIES)
      expect((await refused(FERNLIGHT, one))?.extensions['code']).toBe('CREDENTIAL_MISSING');
    for (const token of WRONG_TOKENS) {
      const error = await refused({ 'x-client-token': token }, query);
      expect(error?.extensions['code']).toBe(REJECTED);
      expect(JSON.stringify(error) + guarded.log.join('')).not.toContain(token);
    }
    expect(guarded.sandbox.requests.count()).toBe(0);
    for (const token of [TOKEN, OTHER_TOKEN])
      expect(ownersIn(await open({ 'x-client-token': token })({ query }))).toEqual([OURS, OURS]);
    expect(guarded.log.join('')).not.toContain(TOKEN);
    // None of them travels to the service.
    expect(guarded.sandbox.requests.count()).toBe(4);
    for (const { rawHeaders, query: search } of guarded.sandbox.requests.all)
      expect(rawHeaders.join() + search.toString()).not.toContain('planted-token');
  },
);

test('a refusal over HTTP has the form of every refusal, also where the token is blank', async () => {
  const message = 'Client token required: send the header "x-client-token".';
  for (const headers of [{}, { 'x-client-token': '' }, { 'x-client-token': '   ' }]) {
    const reply = await postJson(`${guarded.url}/graphql`, { query: '{ __typename }' }, headers);
    expectRefusal(reply, 401, { code: 'CREDENTIAL_MISSING', message });
  }
});

test('a socket may bring its token in the upgrade or each message, and stays open without one', async () => {
  const upgraded = (token: string) => connectSocket(guarded.url, { headers: { 'x-client-token': token } });
  expect((await upgraded(TOKEN).run({ query })).errors).toBeUndefined();
  const rejected = [{ extensions: { code: REJECTED } }];
  await expect(upgraded(`${TOKEN}-not`).run({ query })).rejects.toMatchObject(rejected);
  const socket = connectSocket(guarded.url);
  await expect(socket.run({ query })).rejects.toHaveLength(1);
  const bring = (token: string) =>
    socket.run({ query, extensions: { headers: { 'x-client-token': token } } });
  await expect(bring(`${TOKEN}-not`)).rejects.toMatchObject(rejected);
  expect((await bring(TOKEN)).errors).toBeUndefined();
  expect(socket.opened).toBe(1);
});

test('the paths of who runs the server are open without a token, and tell no credential', async () => {
  for (const path of ['/health', '/ready', '/metrics']) {
    const reply = await send(guarded.url + path);
    expect([path, reply.status]).toEqual([path, 200]);
    expect(reply.text).not.toMatch(/demo-|planted/);
  }
});

async function statusUnder(url: string, host: string, headers: CallerHeaders = {}): Promise<number> {
  const accept = 'application/json';
  return (await postJson(`${url}/graphql`, { query: '{ __typename }' }, { accept, ...headers, host })).status;
}

test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.7', 'x y', ':'])(
  'the foreign name %s, made to lead to this machine, does not get at the operator’s credentials',
  async (name) => {
    const host = `${name}:${new URL(holder.url).port}`;
    for (const accept of ['application/json', 'text/event-stream'])
      expect(await statusUnder(holder.url, host, { accept })).toBe(401);
    const socket = connectSocket(holder.url, { headers: { host } });
    const errors: unknown = await socket.run({ query: '{ __typename }' }).catch((reason: unknown) => reason);
    expect(JSON.stringify(errors)).toContain(REJECTED);
    // Where there are none to get at, or a token is needed, a server may have any name.
    expect(await statusUnder(without.url, host)).toBe(200);
    expect(await statusUnder(guarded.url, host, { 'x-client-token': TOKEN })).toBe(200);
  },
);

test.each(['localhost', '127.0.0.1', '[::1]', 'LOCALHOST'])('this machine may be called %s', async (name) => {
  expect(await statusUnder(holder.url, `${name}:${new URL(holder.url).port}`)).toBe(200);
});

// test/schema/errors.test.ts has the words, in reads and writes over HTTP.
test('a token without “Bearer” is explained over every transport, but not beside a key', async () => {
  const unread = { authorization: 'demo-token-harbour' };
  const hint = 'header was ignored because its value does not begin with "Bearer "';
  const read = '{ accounts { totalCount } }';
  for (const transport of TRANSPORTS) {
    const run = openTransport(transport, plain.url, unread);
    for (const one of transport === 'HTTP' ? [read] : [read, FOLLOW])
      expect((await run({ query: one })).errors[0]?.message).toContain(hint);
  }
  const run = (headers: CallerHeaders) => openTransport('WebSocket', plain.url, headers)({ query: read });
  expect((await run({})).errors[0]?.message).not.toContain('was ignored');
  expect((await run({ ...plain.caller.key, ...unread })).errors).toEqual([]);
});
