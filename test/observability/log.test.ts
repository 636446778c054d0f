import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { openLog, readable, type Log } from '../../src/observability/log.ts';
import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import { ACCOUNT_FIELDS } from '../support/accounts.ts';
import { CALLBACK, freshCode, oauthEnvironment } from '../support/connect.ts';
import { startGraph, shareGraph } from '../support/graph.ts';
import { leaksIn, secretsOf } from '../support/leaks.ts';
import { exchange, jsonOf, postJson, scrape, send } from '../support/http.ts';
import { rewriting } from '../support/sandbox.ts';
import { recordSpans, told } from '../support/spans.ts';
import { openTransport, TRANSPORTS } from '../support/transports.ts';
import { connectSocket } from '../support/web-sockets.ts';
import { EXAMPLES, write } from '../support/writes.ts';

const graph = shareGraph({
  environment: {
    GET_QUERIES: 'on',
    MAX_SELECTIONS: '1000',
    LEGACY_TOKEN_PLACEMENT: 'query',
    PROPAGATE_TRACE: 'on',
    ...oauthEnvironment(),
  },
});

const LIST = '{ accounts(first: 2, surface: CURRENT) { nodes { displayName settingId } } }';

/** Everything that a line may tell, beside what an error is described by. */
const KEYS =
  'level time msg requestId durationMs status words code err kind outcome calls endpoint surface failure field expected count'.split(
    ' ',
  );

type Line = Readonly<Record<string, unknown>>;

const lines = (): Line[] => graph.log.map((line) => JSON.parse(line) as Line);
const saying = (msg: string): Line[] => lines().filter((line) => line['msg'] === msg);

/** What would forge a line, or colour a terminal, if it came into the log as it is. */
const FORGED = [
  'planted\r\n{"level":60,"msg":"forged"}',
  'planted\u001b[31mred\u001b[0m',
  'planted","msg":"forged","x":"',
  'planted\u2028forged\u0000\u0007',
];

/** Writes a text wherever a caller can, over each transport. */
async function writeEverywhere(text: string): Promise<void> {
  const endpoint = `${graph.url}/graphql`;
  const header = text.replaceAll(/[^\u0020-\u007e]/g, ' ');
  const names = ['user-agent', 'referer', 'x-request-id', 'x-correlation-id', 'x-planted', 'cookie'];
  const planted = Object.fromEntries(names.map((name) => [name, header]));
  const headers = { ...graph.caller.both, ...planted, baggage: 'planted=planted' };
  const quoted = JSON.stringify(text);
  const variables = { id: text, name: text };
  for (const body of [
    { query: `{ node(id: ${quoted}) { id } accounts(filter: { displayName: ${quoted} }) { totalCount } }` },
    // The name of an operation is in its span.
    { query: 'query Named($id: ID!) { planted: node(id: $id) { id } }', variables, operationName: 'Named' },
    { query: `{ planted } # ${text}` },
    { query: `query ${text} { surfaces { surface } }`, extensions: { text } },
    { query: '{ __typename }', documentId: text },
    { query: '{ __typename }', operationName: text },
    { [text]: text },
  ]) {
    const reply = await postJson(`${endpoint}?planted=planted`, body, headers);
    expect(reply.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
  }
  await postJson(endpoint, { query: LIST }, { 'x-api-key': `${header}x`, host: 'planted.example' });
  await postJson(endpoint, { query: LIST }, { authorization: header });
  await write(graph, 'createDraft', { ...EXAMPLES.createDraft, idempotencyKey: text }, { headers });
  await send(`${graph.url}/planted?planted#planted`, { headers });
  const preflight = { ...headers, 'graphql-require-preflight': header };
  await send(`${endpoint}?query=planted&variables={planted`, { headers: preflight });
  await send(`${endpoint}?x-api-key=planted`, { headers });
  await exchange(graph.url, 'PLANTED /planted HTTP/1.1\r\nhost: planted\r\nplanted\r\n\r\n');
  await connectSocket(graph.url, { headers: planted, connectionParams: { planted: text, 'x-api-key': text } })
    .run({ query: '{ planted }', extensions: { planted: text } })
    .catch(() => undefined);
}

const FAULTS: readonly FaultKind[] = [
  { kind: 'status', status: 401, body: { message: 'planted-words' } },
  { kind: 'status', status: 422, body: 'planted-body' },
  // These words are in the log.
  { kind: 'status', status: 500, body: { message: 'words of an error' } },
  { kind: 'malformed-json', text: '{"planted-text": ' },
  { kind: 'redirect', location: 'http://127.0.0.1:9/?access_token=planted-location' },
  { kind: 'reset-before-headers' },
  { kind: 'rewrite', change: () => ({ 'planted-field': 'planted-value' }) },
];

test('nothing that a caller or the service writes, and no secret, reaches the log, a metric or a span, nor forges a line', async () => {
  const spans = recordSpans();
  for (const text of FORGED) await writeEverywhere(text);
  const seriesOf = async () =>
    (await scrape(graph.url)).series.filter((name) => !/^(?:nodejs|process)_/.test(name));
  const series = await seriesOf();
  for (const text of FORGED) await writeEverywhere(`${text} once more`);
  expect(await seriesOf()).toEqual(series);
  for (const transport of TRANSPORTS) {
    const run = openTransport(transport, graph.url, graph.caller.both);
    for (const surface of ['CURRENT', 'LEGACY'])
      await run({
        query: `{ accounts(surface: ${surface}) { nodes { ...AccountFields } } } ${ACCOUNT_FIELDS}`,
      });
    await run({ query: '{ nothing }' });
  }
  await exchange(
    graph.url,
    'GET /graphql HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
  );
  const code = await freshCode(graph.sandbox);
  await write(graph, 'createBillingPortalSession');
  await write(graph, 'exchangeAuthorizationCode', { code, redirectUri: CALLBACK });
  for (const fault of FAULTS) {
    graph.sandbox.faults.add({ ...fault, endpoint: '*', times: 2 });
    await graph.query('{ accounts(first: 2) { nodes { displayName color } } bad: node(id: "x") { id } }');
  }
  const keys = new Set(lines().flatMap((line) => Object.keys(line)));
  expect([...keys].filter((key) => !KEYS.includes(key))).toEqual([]);
  for (const line of graph.log) {
    expect(line.indexOf('\n')).toBe(line.length - 1);
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    expect(line.trimEnd()).not.toMatch(/[\u0000-\u001f\u2028]|Named/);
  }
  const { text: metrics } = await scrape(graph.url);
  const all = await spans.settled(50);
  const texts = [...graph.log, metrics, ...all.map(told)];
  const strange = /forged|planted|demo-|410201|Kelpgate|access_token|localhost/i;
  expect(texts.filter((text) => strange.test(text))).toEqual([]);
  expect(leaksIn(texts, [...secretsOf(graph), code])).toEqual([]);
  expect(all.flatMap(({ events }) => events)).toEqual([]);
  expect(all.map(told).filter((text) => text.includes('?'))).toEqual([]);
  expect(metrics).not.toContain('127.0.0.1');
  expect(metrics + all.map(told).join('')).not.toContain('words of an error');
  // The control: what each does say is found.
  for (const said of [graph.log, [metrics], all.map(told)]) expect(said.join('')).toContain('/accounts/list');
});

test('an operation and its calls bear the id that its answer has in its headers', async () => {
  const ids: unknown[] = [];
  for (let time = 0; time < 2; time += 1) {
    const reply = await postJson(`${graph.url}/graphql`, { query: LIST }, graph.caller.both);
    expect(jsonOf(reply).data.accounts.nodes).toHaveLength(2);
    ids.push(reply.headers['x-request-id']);
  }
  const operations = saying('executed an operation');
  expect(operations.map((line) => line['requestId'])).toEqual(ids);
  for (const id of ids) {
    const calls = saying('called the service').filter((line) => line['requestId'] === id);
    expect(calls.length).toBeGreaterThan(1);
    expect(calls[0]).toEqual({
      level: 'debug',
      time: expect.anything() as unknown,
      msg: 'called the service',
      requestId: id,
      endpoint: 'GET /accounts/list',
      surface: 'current',
      status: 200,
      failure: null,
      durationMs: expect.any(Number) as number,
    });
    const operation = operations.find((line) => line['requestId'] === id);
    expect(operation).toMatchObject({ kind: 'query', outcome: 'ok', calls: calls.length });
  }
  const overSocket = openTransport('WebSocket', graph.url, graph.caller.both);
  const { errors } = await overSocket({ query: '{ node(id: "x") { id } }' });
  expect(errors[0]?.extensions['requestId']).toBe(saying('an operation failed')[0]?.['requestId']);
});

test('a response that is not as documented as a whole is told with its call, and counted', async () => {
  const own = await startGraph();
  const page = { kind: 'malformed-json', text: '<html>planted</html>' } as const;
  const faults = [
    [{ ...page, endpoint: 'GET /group/list' }, 'accountGroups(first: 1)', 'an envelope with a response'],
    [{ ...page, endpoint: 'GET /oauth/groups' }, 'accountGroups(first: 1, surface: LEGACY)', 'a list'],
    [
      rewriting('GET /library/list', () => ({ response: { totalCount: 3, list: 5 } })),
      'libraryItems(first: 1)',
      'a page with a list',
    ],
    [
      { kind: 'redirect', endpoint: 'GET /posts/queued', location: '/planted' },
      'queuedPosts(first: 1)',
      'no redirect',
    ],
  ] as const;
  for (const [fault, list, expected] of faults) {
    own.sandbox.faults.add({ ...fault, times: Number.POSITIVE_INFINITY });
    await own.query(`{ ${list} { totalCount } }`);
    const { endpoint } = fault;
    expect(own.log.map((line) => JSON.parse(line) as Line)).toContainEqual(
      expect.objectContaining({ level: 'warn', endpoint, field: '(response)', expected }),
    );
    expect((await scrape(own.url)).value(`service_drift_total{endpoint="${endpoint}"}`)).toBe(1);
  }
  expect(own.log.join('')).not.toContain('planted');
});

function written(act: (log: Log) => void): string {
  let text = '';
  act(openLog('debug', (line) => (text += readable(line))));
  return text;
}

test('on a terminal, an event is a line with its time, its level, what happened, and its fields; an error has its stack', () => {
  const fields = { requestId: 'r-1', durationMs: 3.14159, failure: null };
  expect(stripVTControlCharacters(written((log) => log.info(fields, 'done')))).toMatch(
    /^\d\d:\d\d:\d\d info {2}done {2}requestId=r-1 {2}durationMs=3\.1 {2}failure=null\n$/,
  );
  const failed = written((log) => log.error({ err: new TypeError('planted') }, 'it failed'));
  expect(stripVTControlCharacters(failed)).toMatch(/^\S+ error it failed {2}\nTypeError: planted\n {4}at /);
});

test('on a terminal, what the log holds can neither forge a line nor steer it', () => {
  const raw = written((log) =>
    log.warn({ field: 'a\r\nb\u001B[31m\u0007c', ['n\u001B']: 1 }, 'first\nsecond\u001B]0;title'),
  );
  expect(raw.split('\n')).toHaveLength(2);
  const [, ...escapes] = raw.split('\u001B');
  // Colours are the log's own.
  for (const escape of escapes) expect(escape).toMatch(/^\[(?:33|39|90)m/);
  for (const control of ['\r', '\u0007']) expect(raw).not.toContain(control);
});

test('of an error and its cause nothing is logged but the class, the message, the code and the stack', () => {
  const logged: string[] = [];
  const sent = { request: { headers: ['x-api-key', 'the-key'] }, body: 'the-body' };
  const cause = Object.assign(new Error('no connection'), { code: 'ECONNREFUSED', ...sent });
  const err = Object.assign(new TypeError('failed', { cause }), sent);
  openLog('info', (line) => logged.push(line)).error({ err }, 'an unexpected error');
  const [line = ''] = logged;
  expect(line).not.toMatch(/the-(?:key|body)/);
  const error = (JSON.parse(line) as { err: { cause: object } }).err;
  expect(Object.keys(error)).toEqual(['type', 'message', 'stack', 'cause']);
  expect(Object.keys(error.cause)).toEqual(['type', 'message', 'code', 'stack']);
});
