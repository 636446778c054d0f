import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import {
  exchange,
  expectRefusal,
  jsonOf,
  openConnection,
  POST_HEAD,
  postJson,
  send,
  statusesIn,
} from '../support/http.ts';
import { upgradeRequest } from '../support/web-sockets.ts';
import { LOCAL_QUERY, shareServer } from '../support/server.ts';
import { NO_OPERATIONS } from '../support/documents.ts';
import { shareGraph } from '../support/graph.ts';
import { openTransport, TRANSPORTS } from '../support/transports.ts';

const server = shareServer();
const graph = shareGraph({ environment: { GET_QUERIES: 'on' } });

const LIMIT = 512 * 1024;
const GRAPHQL_TYPE = 'application/graphql-response+json';
const BODY = JSON.stringify({ query: LOCAL_QUERY });
const PREFLIGHT = { 'graphql-require-preflight': '1' };

const postBody = (body: string | Buffer, type = 'application/json') =>
  send(server.endpoint, { method: 'POST', headers: { 'content-type': type }, body });

test('a query by POST as JSON is answered, with an id and without a trace in any cache', async () => {
  const reply = await postJson(server.endpoint, { query: LOCAL_QUERY, variables: null, extensions: null });
  expect(reply.status).toBe(200);
  expect(jsonOf(reply).data.surfaces).toHaveLength(2);
  expect(reply.headers).toMatchObject({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^[\da-f-]{36}$/) as string,
  });
});

test.each(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'])(
  'the method %s is refused',
  async (method) => {
    const line = `${method} /graphql?query=%7Bsurfaces%7Bsurface%7D%7D HTTP/1.1`;
    const received = await exchange(server.url, `${line}\r\nhost: x\r\nconnection: close\r\n\r\n`);
    // Node itself refuses QUERY.
    expect([400, 405]).toContain(statusesIn(received)[0]);
    if (statusesIn(received)[0] === 405) expect(received).toMatch(/^allow: POST\r$/m);
    expect(received).not.toMatch(/isConfigured|"data"/);
  },
);

test.each([
  'application/json; charset=utf-8',
  '  Application/Json ; Charset="Utf-8"',
  'application/json ; ; charset=utf8 ;',
  'application/json; odata.metadata=minimal; CHARSET="UTF-8"; IEEE754Compatible=true',
  'application/json; profile="https://example.com/a; charset=latin1"',
])('a body of the type “%s” is read', async (type) => {
  const reply = await postBody(BODY, type);
  expect([reply.status, jsonOf(reply).data.surfaces.length]).toEqual([200, 2]);
  // A byte order mark is allowed.
  expect((await postBody(`\ufeff${BODY}`, type)).status).toBe(200);
});

// What a page of another site could send without asking, what is no JSON, and what is JSON in another encoding.
test.each([
  undefined,
  '',
  'text/plain',
  'text/plain; application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=application/json',
  'application/graphql',
  'application/graphql-response+json',
  'application/jsonx',
  'application/json; charset=utf-16',
  'application/json; boundary=x; charset="latin1"',
  'application/json; charset=utf-8x',
  'application/json; charset="utf-8"x',
  'application/json; charset=',
  'application/json; boundary="x',
  'application/json; charset=utf-8; charset=utf-16',
  'application/json, text/plain',
  'text/plain, application/json',
  'application/json; text/plain',
  '*/*',
])('a body of the type “%s” is refused unread', async (type) => {
  const headers = type === undefined ? {} : { 'content-type': type };
  const reply = await send(server.endpoint, { method: 'POST', headers, body: Buffer.from(BODY) });
  expectRefusal(reply, 415);
  expect(reply.headers['accept']).toBe('application/json');
});

/** What the server answers to a POST of which only the headers have come. */
async function answerToHead(headers: string): Promise<string> {
  const socket = openConnection(server.url);
  socket.write(`${POST_HEAD}${headers}\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return answer.toString();
}

test.each(['gzip', 'br', 'x-gzip', 'GZIP', 'identity, gzip'])(
  'a body compressed by %s is refused by its headers, before a byte of it could be inflated',
  async (encoding) => {
    const answer = await answerToHead(`content-encoding: ${encoding}\r\ncontent-length: 500000\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 415 [^]*^accept-encoding: identity\r$[^]*BAD_USER_INPUT/m);
    const headers = { 'content-encoding': 'identity' };
    expect((await postJson(server.endpoint, { query: LOCAL_QUERY }, headers)).status).toBe(200);
  },
);

test('a body of exactly the limit is read, and a longer one is refused before it is read', async () => {
  expect((await postBody(BODY.padEnd(LIMIT))).status).toBe(200);
  expectRefusal(await postBody(BODY.padEnd(LIMIT + 1)), 413, { code: 'LIMIT_EXCEEDED' });
  expect(await answerToHead(`content-length: ${LIMIT + 1}\r\n`)).toMatch(/ 413 [^]*LIMIT_EXCEEDED/);
  const chunks = Array<string>(9).fill(`10000\r\n${'x'.repeat(65_536)}\r\n`);
  const endless = `${POST_HEAD}transfer-encoding: chunked\r\n\r\n`;
  // Its connection is closed.
  expect(await exchange(server.url, endless, ...chunks)).toMatch(
    / 413 [^]*^connection: close\r$[^]*LIMIT_EXCEEDED/im,
  );
  // Without a length there would be no end.
  expect(await answerToHead('connection: close\r\n')).toMatch(/ 411 [^]*BAD_USER_INPUT/);
});

test.each([
  ...['', '{"query":', '\u0000', '{"query":"{x}"}}', "{'query':'{x}'}"].map(
    (text) => `${text}planted-secret`,
  ),
  Buffer.from([0xff, 0xfe, 0x7b, 0x00]),
  Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d]),
  'null',
  '7',
  '"{ surfaces { surface } }"',
  '[]',
  `[${BODY}]`,
])('the body %s is refused, and nothing of it is repeated', async (body) => {
  const reply = await postBody(body);
  expectRefusal(reply, 400);
  expect(reply.text + server.log.join('')).not.toContain('planted');
});

test.each(NO_OPERATIONS)(
  '%j can’t be executed, which is told with a code and the request’s id',
  async (body) => {
    for (const accept of ['application/json', GRAPHQL_TYPE]) {
      const reply = await postJson(server.endpoint, body, { accept });
      const { data, errors } = jsonOf(reply);
      expect(data).toBeUndefined();
      expect(errors.length).toBeGreaterThan(0);
      for (const { extensions } of errors) {
        const codes = ['BAD_USER_INPUT', 'GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED'];
        expect(codes).toContain(extensions.code);
        expect(extensions.requestId).toBe(reply.headers['x-request-id']);
      }
      if (accept === GRAPHQL_TYPE) expect(reply.status).toBe(400);
      expect(reply.headers['content-type']).toBe(`${accept}; charset=utf-8`);
    }
    expect(server.log.join('')).not.toContain('unexpected');
    expect(Object.keys(Object.prototype)).toEqual([]);
  },
);

// Some clients send an empty operation name where there is none.
test.each(TRANSPORTS)('over %s, an empty operation name is none', async (transport) => {
  const run = openTransport(transport, graph.url, graph.caller.both);
  for (const query of ['{ surfaces { surface } }', 'query A { surfaces { surface } }'])
    expect(await run({ query, operationName: '' })).toMatchObject({ data: { surfaces: [{}, {}] } });
  const query = 'query A { surfaces { surface } } query B { __typename }';
  const [unnamed, empty] = [await run({ query }), await run({ query, operationName: '' })];
  expect(empty.errors.map(({ message }) => message)).toEqual([unnamed.errors[0]?.message]);
  if (transport === 'HTTP') return;
  const listed = await graph.query('{ aiGenerations(first: 1) { nodes { id } } }');
  const { data, errors } = await run({
    query: `subscription ($id: ID!) { aiGenerationUpdated(id: $id) { status } }`,
    variables: { id: listed.data.aiGenerations.nodes[0].id as string },
    operationName: '',
  });
  expect([errors, data.aiGenerationUpdated.status]).toEqual([[], 'COMPLETE']);
});

const ACCOUNTS = { query: '{ accounts(first: 1) { nodes { id } } }' };
const SECRET_NAMES =
  'api_key apikey x-api-key access_token accessToken authorization X-Client-Token token key auth_token client_secret password %61pi_key';

test.each(SECRET_NAMES.split(' '))(
  'a credential in the URL as %s is refused, and logged nowhere',
  async (name) => {
    const address = `${graph.url}/graphql?${name}=planted-credential`;
    const headers = { ...PREFLIGHT, ...graph.caller.both };
    const byGet = await send(`${address}&query=${encodeURIComponent(ACCOUNTS.query)}`, { headers });
    for (const reply of [await postJson(address, ACCOUNTS, graph.caller.both), byGet]) {
      expectRefusal(reply, 400);
      expect(jsonOf(reply).errors[0].message).toContain('headers');
    }
    const upgrade = upgradeRequest(graph.url).replace('/graphql', `/graphql?${name}=planted-credential`);
    expect(statusesIn(await exchange(graph.url, upgrade))).toEqual([400]);
    expect(graph.sandbox.requests.count()).toBe(0);
    expect(graph.log.join('') + byGet.text).not.toContain('planted');
  },
);

test.each(['operationName', 'keyword', 'monkey', 'tokens', 'page', 'author', 'tokenizer'])(
  'the parameter %s is no credential',
  async (name) => {
    const reply = await postJson(`${graph.url}/graphql?${name}=x`, ACCOUNTS, graph.caller.both);
    expect(reply.status).toBe(200);
  },
);

describe('a query by GET', () => {
  const get = (parameters: Record<string, string>, headers: Record<string, string> = PREFLIGHT) =>
    send(`${graph.url}/graphql?${new URLSearchParams(parameters)}`, {
      headers: { ...headers, ...graph.caller.both },
    });

  test.each(['graphql-require-preflight', 'apollo-require-preflight', 'x-apollo-operation-name'])(
    'needs a header for which a browser asks leave, such as %s',
    async (name) => {
      for (const headers of [{ [name]: 'A' }, { [name]: 'A', accept: 'text/html, */*' }])
        expect(jsonOf(await get({ query: LOCAL_QUERY }, headers)).data.surfaces).toHaveLength(2);
      for (const headers of [{}, { [name]: '' }, { 'x-apollo-operation-id': '1' }]) {
        const reply = await get({ query: LOCAL_QUERY }, headers);
        expectRefusal(reply, 403);
        expect(jsonOf(reply).errors[0].message).toContain(name);
      }
    },
  );

  test('is answered like one by POST, with variables and operation name', async () => {
    const query = 'query A { __typename } query B($n: Int!) { accounts(first: $n) { nodes { loginId } } }';
    const reply = await get({ query, operationName: 'B', variables: '{"n":1}' });
    expect([reply.status, reply.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(jsonOf(reply).data).toEqual({ accounts: { nodes: [{ loginId: '410201' }] } });
    expect((await get({ query: LOCAL_QUERY, operationName: '' })).status).toBe(200);
  });

  test('never executes a mutation, and has no body of another type', async () => {
    const both = 'query A { surfaces { surface } } mutation B { anything }';
    for (const parameters of [
      { query: 'mutation { anything }' },
      { query: 'mutation { anything }', operationName: '' },
      { query: both, operationName: 'B' },
    ]) {
      const reply = await get(parameters);
      expectRefusal(reply, 405);
      expect(reply.headers['allow']).toBe('POST');
    }
    const query = both.replace('anything', '__typename');
    expect(jsonOf(await get({ query, operationName: 'A' })).data.surfaces).toHaveLength(2);
    for (const [type, status] of [
      ['application/json; charset=utf-8', 200],
      ['application/json; charset=utf-16', 415],
      ['text/plain', 415],
    ] as const)
      expect((await get({ query: LOCAL_QUERY }, { ...PREFLIGHT, 'content-type': type })).status).toBe(status);
  });

  test.each([
    'query=%7Bx&variables={planted',
    'query=%7Bsurfaces%7Bsurface%7D%7D&variables=7',
    'query=%7Bsurfaces%7Bsurface%7D%7D&extensions=[planted',
    'query=',
    'variables={}',
    'query=%ff',
    '%',
    'query=%7Bx%7D&query=%7Bsurfaces%7Bsurface%7D%7D',
  ])('with the query string %s is refused with 400, and not repeated', async (search) => {
    const headers = { ...PREFLIGHT, accept: GRAPHQL_TYPE };
    const reply = await send(`${graph.url}/graphql?${search}`, { headers });
    expect(reply.status).toBe(400);
    expect(jsonOf(reply).errors[0].extensions.requestId).toBe(reply.headers['x-request-id']);
    expect(reply.text + graph.log.join('')).not.toMatch(/planted|unexpected/);
  });
});
