import type { ExecutionResult } from 'graphql-ws';
import { expect, test } from 'vitest';
import { shareGraph } from '../../support/shared-graph.ts';
import { eachCase } from '../../support/each-case.ts';
import { jsonOf, postJson } from '../../support/raw-http.ts';
import { LOCAL_QUERY, shareServer } from '../../support/server.ts';
import { connectSocket } from '../../support/web-sockets.ts';

const graph = shareGraph();
const server = shareServer();

const FIRST = '{ accounts(first: 1, surface: CURRENT) { nodes { displayName } } }';

interface Shown {
  readonly message: string;
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** The errors of an operation that failed before it was executed, in whichever message they came. */
async function errorsFrom(run: Promise<ExecutionResult>): Promise<Shown[]> {
  const result = await run.catch((errors: unknown) => ({ errors }));
  expect(result).not.toHaveProperty('data');
  return result.errors as Shown[];
}

test('a query over the socket is answered like one over HTTP', async () => {
  const query = `{ accounts(first: 3) { totalCount nodes { id displayName health { state } } pageInfo { endCursor } } }`;
  const socket = connectSocket(graph.url, { connectionParams: graph.caller.both });
  const overHttp = await graph.query(query);
  expect((await socket.run({ query })).data).toEqual(overHttp.data);
});

test('variables and operation names work over the socket', async () => {
  const socket = connectSocket(graph.url, { connectionParams: graph.caller.both });
  const result = await socket.run({
    query: 'query A { surfaces { surface } } query B($n: Int!) { accounts(first: $n) { nodes { loginId } } }',
    operationName: 'B',
    variables: { n: 1 },
  });
  expect(result.data).toEqual({ accounts: { nodes: [{ loginId: '410201' }] } });
});

const keyHeader = (value: string) => ({ 'x-api-key': value });

test('a credential is taken from the message, else from the init, else from the upgrade', async () => {
  const [harbour, fernlight] = graph.sandbox.owners;
  const cases = [
    { message: keyHeader(harbour.apiKey), init: keyHeader(fernlight.apiKey), upgrade: keyHeader('wrong') },
    { message: undefined, init: keyHeader(harbour.apiKey), upgrade: keyHeader(fernlight.apiKey) },
    { message: undefined, init: undefined, upgrade: keyHeader(harbour.apiKey) },
    { message: keyHeader(''), init: keyHeader(harbour.apiKey), upgrade: undefined },
    { message: { 'X-Api-Key': harbour.apiKey }, init: undefined, upgrade: undefined },
    { message: undefined, init: { 'X-API-KEY': harbour.apiKey }, upgrade: undefined },
  ];
  for (const { message, init, upgrade } of cases) {
    const socket = connectSocket(graph.url, {
      ...(upgrade ? { headers: upgrade } : {}),
      ...(init ? { connectionParams: init } : {}),
    });
    const result = await socket.run({
      query: FIRST,
      ...(message ? { extensions: { headers: message } } : {}),
    });
    expect(result.data, JSON.stringify([message, init, upgrade])).toEqual({
      accounts: { nodes: [{ displayName: 'Kelpgate Roasters' }] },
    });
  }
});

test('each credential is looked for by itself, and each operation on a socket has its own', async () => {
  const [harbour, fernlight] = graph.sandbox.owners;
  const socket = connectSocket(graph.url, {
    connectionParams: { authorization: `Bearer ${harbour.accessToken}` },
  });
  const query =
    '{ current: accounts(first: 1, surface: CURRENT) { nodes { displayName } } legacy: accounts(first: 1, surface: LEGACY) { nodes { displayName } } }';
  const asked = [harbour, fernlight].map(
    async ({ apiKey }) => await socket.run({ query, extensions: { headers: { 'x-api-key': apiKey } } }),
  );
  expect((await Promise.all(asked)).map(({ data }) => data)).toEqual([
    {
      current: { nodes: [{ displayName: 'Kelpgate Roasters' }] },
      legacy: { nodes: [{ displayName: 'Kelpgate Roasters' }] },
    },
    {
      current: { nodes: [{ displayName: 'Fernlight Books' }] },
      legacy: { nodes: [{ displayName: 'Kelpgate Roasters' }] },
    },
  ]);
  expect(socket.opened).toBe(1);
});

const STRANGE_KEYS: readonly (readonly [key: unknown, code: string])[] = [
  ['a\r\nx-injected: 1', 'CREDENTIAL_REJECTED'],
  ['a\nb', 'CREDENTIAL_REJECTED'],
  ['a\u0000b', 'CREDENTIAL_REJECTED'],
  ['ключ', 'CREDENTIAL_REJECTED'],
  ['x'.repeat(20_000), 'CREDENTIAL_REJECTED'],
  ['', 'CREDENTIAL_MISSING'],
  ['  \t ', 'CREDENTIAL_MISSING'],
  [7, 'CREDENTIAL_MISSING'],
  [['demo-key-harbour'], 'CREDENTIAL_MISSING'],
  [{ toString: 'demo-key-harbour' }, 'CREDENTIAL_MISSING'],
  [null, 'CREDENTIAL_MISSING'],
];
const BY_NAME = STRANGE_KEYS.map(([key, code]) => [JSON.stringify(key).slice(0, 30), code, key] as const);

test('an unusable key from connection_init is rejected, not passed on and not repeated', () =>
  eachCase(BY_NAME, async ([, code, key]) => {
    const socket = connectSocket(graph.url, { connectionParams: { 'x-api-key': key } });
    const { data, errors } = await socket.run({ query: FIRST });
    expect(data).toEqual({ accounts: null });
    expect(errors?.map(({ extensions }) => extensions?.['code'])).toEqual([code]);
    expect(graph.sandbox.requests.count()).toBe(0);
    if (typeof key === 'string' && key.trim())
      expect(JSON.stringify(errors) + graph.log.join('')).not.toContain(key);
  }));

test('an error within an operation has its code, its path and the request’s id, which is in the log as well', async () => {
  const socket = connectSocket(graph.url);
  const { data, errors } = await socket.run({ query: FIRST });
  expect(data).toEqual({ accounts: null });
  const [error] = errors ?? [];
  expect(error).toMatchObject({
    path: ['accounts'],
    extensions: { code: 'CREDENTIAL_MISSING', surface: 'CURRENT' },
  });
  const requestId = String(error?.extensions?.['requestId']);
  expect(requestId).toMatch(/^[\da-f-]{36}$/);
  expect(graph.log.join('')).toContain(requestId);
});

const FAULTY = [
  ['{ accounts {', 'GRAPHQL_PARSE_FAILED'],
  ['', 'GRAPHQL_PARSE_FAILED'],
  ['{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
  ['query ($id: ID!) { node(id: $id) { id } }', 'BAD_USER_INPUT'],
  ['query A { surfaces { surface } } query B { surfaces { surface } }', 'BAD_USER_INPUT'],
  ['subscription { anything }', undefined],
  ['mutation { anything }', undefined],
] as const;

test('an operation that fails before it is executed ends alone, with its code', () =>
  eachCase(FAULTY, async ([query, code]) => {
    const { url, log } = server;
    const socket = connectSocket(url);
    const [shown] = await Promise.all([
      errorsFrom(socket.run({ query })),
      ...Array.from({ length: 5 }, async () => {
        expect((await socket.run({ query: LOCAL_QUERY })).data?.['surfaces']).toHaveLength(2);
      }),
    ]);
    expect(shown).toHaveLength(1);
    for (const { extensions } of shown) {
      if (code) expect(extensions['code']).toBe(code);
      expect(extensions['requestId']).toMatch(/^[\da-f-]{36}$/);
      expect(log.join('')).toContain(extensions['requestId']);
    }
    expect(socket.opened).toBe(1);
  }));

function withoutId(errors: readonly Shown[]): unknown {
  return errors.map(({ extensions, ...error }) => ({
    ...error,
    extensions: { ...extensions, requestId: 'any' },
  }));
}

test('errors before execution are the same over a WebSocket as over HTTP', () =>
  eachCase(FAULTY.slice(0, 4), async ([query]) => {
    const { url, endpoint } = server;
    const overHttp = jsonOf(await postJson(endpoint, { query })).errors as Shown[];
    expect(withoutId(await errorsFrom(connectSocket(url).run({ query })))).toEqual(withoutId(overHttp));
  }));
