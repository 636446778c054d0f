import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { readPersistedDocuments } from '../../src/http/persisted-documents.ts';
import { type RunningGraph, shareGraph } from '../support/graph.ts';
import { FOLLOW, jsonOf, postJson, send } from '../support/http.ts';
import { shareServer } from '../support/server.ts';
import { openTransport, TRANSPORTS, type Operation, type Outcome } from '../support/transports.ts';

const FIRST = 'query First($n: Int = 1) { accounts(first: $n, surface: CURRENT) { nodes { displayName } } }';
const TWO = 'query A { surfaces { surface } } query B { accounts(first: 2) { nodes { displayName } } }';
const LOCAL = '{ surfaces { surface } }';
const SCHEMA = '{ __schema { queryType { name } } }';
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const documents = readPersistedDocuments(JSON.stringify({ first: FIRST, two: TWO, schema: SCHEMA }));

const graph = shareGraph({ documents, environment: { GET_QUERIES: 'on' } });

const strict = shareGraph({ documents, environment: { MAX_DEPTH: '3', INTROSPECTION: 'off' } });
const tight = shareGraph({ documents, environment: { MAX_DEPTH: '2' } });
const without = shareServer();

/** Executes nothing but the documents. */
const ONLY = { GET_QUERIES: 'on', PERSISTED_ONLY: 'on', PERSISTED_DOCUMENTS: 'any' };
const only = shareGraph({ documents, environment: ONLY });

/** An operation by its id, in the places where each transport has one. */
const byId = (id: unknown, more: Partial<Operation> = {}): Operation => ({
  query: '',
  ...more,
  extensions: { documentId: id },
});
const byHash = (sha256Hash: string): Operation => ({
  query: '',
  extensions: { persistedQuery: { version: 1, sha256Hash } },
});

const get = ({ url, caller }: RunningGraph, parameters: Record<string, string>) =>
  send(`${url}/graphql?${new URLSearchParams(parameters)}`, {
    headers: { ...caller.both, 'graphql-require-preflight': '1' },
  });

const namesIn = ({ data }: Pick<Outcome, 'data'>): string[] =>
  data.accounts.nodes.map(({ displayName }: { readonly displayName: string }) => displayName);

test.each(TRANSPORTS)('over %s, a document is executed by its id and by its hash', async (transport) => {
  const run = openTransport(transport, graph.url, graph.caller.both);
  for (const operation of [byId('first'), byId('sha256:first'), byId(hashOf(FIRST)), byHash(hashOf(FIRST))])
    expect(namesIn(await run(operation))).toEqual(['Kelpgate Roasters']);
  expect(namesIn(await run(byId('first', { variables: { n: 2 } })))).toHaveLength(2);
  expect(namesIn(await run(byId('two', { operationName: 'B' })))).toHaveLength(2);
});

test('the id may stand in documentId, id or doc_id, without a query, in a body, an address and a message', async () => {
  const overSocket = openTransport('WebSocket', graph.url, graph.caller.both);
  for (const name of ['documentId', 'id', 'doc_id']) {
    for (const id of ['first', hashOf(FIRST), `sha256:${hashOf(FIRST)}`]) {
      const body = { [name]: id, ...(name === 'doc_id' ? { id: null, query: null } : {}) };
      const reply = await postJson(`${graph.url}/graphql`, body, graph.caller.both);
      expect(namesIn(jsonOf(reply))).toEqual(['Kelpgate Roasters']);
    }
    expect(namesIn(jsonOf(await get(graph, { [name]: 'first', variables: '{"n":2}' })))).toHaveLength(2);
    expect(namesIn(await overSocket({ query: '', [name]: 'first' }))).toHaveLength(1);
  }
  const { extensions } = byHash(hashOf(FIRST));
  expect(namesIn(jsonOf(await get(graph, { extensions: JSON.stringify(extensions) })))).toHaveLength(1);
});

test('beside a text, an id counts for more, an unknown hash for nothing, and id and doc_id are the client’s own, unless nothing but persisted documents is executed', async () => {
  const run = openTransport('HTTP', graph.url, graph.caller.both);
  expect(namesIn(await run({ ...byId('first'), query: LOCAL }))).toHaveLength(1);
  expect((await run({ ...byHash('unknown'), query: LOCAL })).data.surfaces).toHaveLength(2);
  const body = { id: 'first', doc_id: 'first', query: LOCAL };
  const reply = await postJson(`${graph.url}/graphql`, body, graph.caller.both);
  expect(jsonOf(reply).data.surfaces).toHaveLength(2);
  expect(namesIn(jsonOf(await postJson(`${only.url}/graphql`, body, only.caller.both)))).toHaveLength(1);
});

test('keys that are no parameters are ignored, in the body, in the address and in extensions', async () => {
  const extensions = { clientLibrary: { name: 'x' }, persistedQuery: null, documentId: 7 };
  const others = { id: 7, doc_id: {}, documentId: null, operationType: 'query', metadata: [] };
  const body = { query: LOCAL, ...others, extensions, operationName: null, variables: null };
  expect(jsonOf(await postJson(`${graph.url}/graphql`, body)).data.surfaces).toHaveLength(2);
  const byGet = await get(graph, { query: LOCAL, id: '7', cacheBuster: '1' });
  expect(jsonOf(byGet).data.surfaces).toHaveLength(2);
  // A misspelt query is no query: what is there in its place is named.
  const misspelt = await postJson(`${graph.url}/graphql`, { qeury: LOCAL });
  expect(misspelt.status).toBe(400);
  expect(misspelt.text).toContain('qeury');
});

const UNKNOWN = ['none', hashOf('none'), '', '__proto__', 'constructor', 'First', FIRST, 'x'.repeat(5_000)];

test.each(TRANSPORTS)(
  'over %s, an unknown id is the caller’s error, and is not repeated',
  async (transport) => {
    const run = openTransport(transport, graph.url, graph.caller.both);
    for (const operation of [...UNKNOWN.map((id) => byId(id)), byHash(hashOf('none'))]) {
      const { data, errors, status } = await run(operation);
      expect(data).toBeUndefined();
      expect(errors.map(({ message, extensions }) => [message, extensions['code']])).toEqual([
        ['PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND'],
      ]);
      expect(status).toBe(transport === 'WebSocket' ? null : 200);
    }
    expect(graph.log.join('')).not.toContain(hashOf('none'));
  },
);

test.each(TRANSPORTS)('over %s, a server without documents says that it supports none', async (transport) => {
  const run = openTransport(transport, without.url);
  const code = 'PERSISTED_QUERY_NOT_SUPPORTED';
  // Apollo's clients for iOS and Kotlin read no error in an answer that has failed.
  expect(await run(byHash(hashOf('none')))).toMatchObject({
    status: transport === 'WebSocket' ? null : 200,
    errors: [{ message: 'PersistedQueryNotSupported', extensions: { code } }],
  });
});

/** Operations that are none of the documents, however close. */
const STRANGE: readonly Operation[] = [
  { query: LOCAL },
  { query: '{ __typename }' },
  { query: '{ __schema { types { name } } }' },
  { query: FOLLOW },
  { query: 'mutation { createPost(input: {}) { outcome } }' },
  { query: `${FIRST} ` },
  { query: `${FIRST} ${TWO}` },
  { query: '' },
  { ...byHash(hashOf('none')), query: '{ __typename }' },
  { ...byId(['first']), query: '{ __typename }' },
  { ...byId({ toString: 'first' }), query: '{ __typename }' },
  { query: '{ __typename }', extensions: { persistedQuery: { sha256Hash: [hashOf(FIRST)] } } },
];

test.each(TRANSPORTS)(
  'over %s, with PERSISTED_ONLY a document is executed by its id or its text, and nothing else',
  async (transport) => {
    const run = openTransport(transport, only.url, only.caller.both);
    for (const operation of STRANGE) {
      const { data, errors } = await run(operation);
      expect(data, operation.query).toBeUndefined();
      expect(errors.map(({ extensions }) => extensions['code'])).toEqual(['BAD_USER_INPUT']);
    }
    expect((await get(only, { query: LOCAL })).status).toBe(400);
    expect(only.sandbox.requests.count()).toBe(0);
    expect((await get(only, { documentId: 'schema' })).status).toBe(200);
    for (const operation of [byId('first'), byHash(hashOf(FIRST)), { query: FIRST }])
      expect(namesIn(await run(operation))).toEqual(['Kelpgate Roasters']);
  },
);

test.each(TRANSPORTS)('over %s, a document of the operator’s keeps to the limits', async (transport) => {
  const codeOf = async ({ url, caller }: RunningGraph, operation: Operation) =>
    (await openTransport(transport, url, caller.both)(operation)).errors[0]?.extensions['code'];
  expect(await codeOf(strict, byId('first'))).toBeUndefined();
  expect(await codeOf(strict, byId('first', { variables: { n: 100_000 } }))).toBe('BAD_USER_INPUT');
  expect(await codeOf(strict, byId('schema'))).toBe('GRAPHQL_VALIDATION_FAILED');
  expect(await codeOf(tight, byId('first'))).toBe('LIMIT_EXCEEDED');
});

test('a file that is no object of documents is refused, and a document that is none of this graph is named', () => {
  for (const json of ['{"first": ', '["{ __typename }"]', 'null', '7', '"{ __typename }"'])
    expect(() => readPersistedDocuments(json)).toThrow();
  for (const text of ['{ accounts {', '{ nothing }', '', '# no operation', 7, null]) {
    const file = JSON.stringify({ good: FIRST, 'the-broken-one': text, later: 7 });
    expect(() => readPersistedDocuments(file)).toThrow(/the document the-broken-one /);
  }
});

const MANIFEST = {
  format: 'apollo-persisted-query-manifest',
  version: 1,
  operations: [{ id: hashOf('1'), name: 'First', type: 'query', body: FIRST }],
};

test('Apollo’s manifest is read like the files of Relay and codegen', () => {
  const found = readPersistedDocuments(JSON.stringify(MANIFEST));
  expect(found).toEqual(readPersistedDocuments(JSON.stringify({ [hashOf('1')]: FIRST })));
  expect(readPersistedDocuments(JSON.stringify({ ...MANIFEST, operations: [] })).size).toBe(0);
  // An id may be any word.
  expect(readPersistedDocuments(JSON.stringify({ format: FIRST })).get('format')).toBe(FIRST);
});

test.each<readonly [manifest: object, message: string]>([
  [{ ...MANIFEST, version: 2 }, 'version 1'],
  [{ ...MANIFEST, operations: undefined }, 'version 1'],
  [{ ...MANIFEST, operations: [FIRST] }, 'operations.0 of the file has no id'],
  [{ ...MANIFEST, operations: [{ id: 'a' }] }, 'the document a is not a string'],
  [{ ...MANIFEST, operations: [{ id: 'broken', body: '{ nothing }' }] }, 'the document broken '],
  [{ ...MANIFEST, format: 'other-manifest' }, 'version 1'],
  [{ version: 2, operations: [] }, 'version 1'],
])('the manifest %j is refused, and says why', (file, message) => {
  expect(() => readPersistedDocuments(JSON.stringify(file))).toThrow(message);
});
