import { expect, test } from 'vitest';
import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import { ACCOUNT_FIELDS } from '../support/account-selections.ts';
import { everythingAnswered, leaksIn, secretsOf } from '../support/leaks.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { connectSocket } from '../support/web-sockets.ts';

const GROUP =
  'id groupId name createdAt companyId accounts(first: 100) { totalCount edges { cursor } nodes { id ...AccountFields } }';
const ID = {
  account: 'MWFjOjQxMDIwMQ',
  group: 'MWdjOjUxMDE',
  legacy: 'MWFsOjQxMDIwMQ',
  legacyGroup: 'MWdsOjUxMDE',
};

/** Every field of accounts and groups, from every place of both surfaces. */
const OPERATIONS = [
  `{ accounts(first: 100) { edges { cursor } nodes { id ...AccountFields counterpart { id ...AccountFields } } } } ${ACCOUNT_FIELDS}`,
  `{ accounts(first: 100, surface: LEGACY) { edges { cursor } nodes { id ...AccountFields counterpart { id ...AccountFields } } } } ${ACCOUNT_FIELDS}`,
  `{ accountGroups { nodes { ${GROUP} } } } ${ACCOUNT_FIELDS}`,
  `{ accountGroups(surface: LEGACY) { nodes { ${GROUP} } } } ${ACCOUNT_FIELDS}`,
  `{ account(id: "${ID.account}") { ...AccountFields } legacy: account(id: "${ID.legacy}") { ...AccountFields }
     accountGroup(id: "${ID.group}") { ${GROUP} } legacyGroup: accountGroup(id: "${ID.legacyGroup}") { ${GROUP} }
     nodes(ids: ${JSON.stringify(Object.values(ID))}) { id ... on Account { ...AccountFields } }
     surfaces { surface isConfigured hasCredential } } ${ACCOUNT_FIELDS}`,
].map((query) => ({ query }));

/** Every field at once is more than an operation may ask for. */
const graph = shareGraph({ environment: { MAX_SELECTIONS: '1000', MAX_COST: '10000' } });

/** The raw answers of the service to the same questions. */
async function rawAnswers({ sandbox, caller }: RunningGraph): Promise<string[]> {
  const paths = [
    '/accounts/list?limit=100',
    '/accounts/view/410201',
    '/group/list',
    '/oauth/accounts',
    '/oauth/groups',
  ];
  return await Promise.all(
    paths.map(
      async (path) => await (await fetch(sandbox.url + path, { headers: { ...caller.both } })).text(),
    ),
  );
}

test('the scan finds the secrets where they are: in the service’s own answers', async () => {
  const found = leaksIn(await rawAnswers(graph), graph.sandbox.secrets.planted);
  expect(found.length).toBeGreaterThanOrEqual(30);
  expect(leaksIn(await rawAnswers(graph), graph.sandbox.secrets.nested).length).toBeGreaterThanOrEqual(4);
});

test('no secret leaves in any field of either surface, in a header or in the log', async () => {
  const answered = await everythingAnswered(graph, OPERATIONS);
  expect(answered.join('')).not.toContain('"errors"');
  expect(answered.join('').length).toBeGreaterThan(20_000);
  expect(leaksIn([...answered, ...graph.log], secretsOf(graph))).toEqual([]);
});

test('no secret leaves over a socket', async () => {
  const socket = connectSocket(graph.url, { connectionParams: graph.caller.both });
  const results = await Promise.all(OPERATIONS.map(async (operation) => await socket.run(operation)));
  expect(leaksIn([JSON.stringify(results), ...graph.log], secretsOf(graph))).toEqual([]);
});

type Tree = Record<string, unknown>;

/** Changes every record of an answer of any shape. */
const eachRecord =
  (change: (record: Tree) => Tree) =>
  (answer: unknown): unknown => {
    if (Array.isArray(answer)) return answer.map((record) => change(record as Tree));
    const envelope = answer as { readonly response: Tree & { readonly list?: Tree[] } };
    const { response } = envelope;
    return {
      ...envelope,
      response: response.list ? { ...response, list: response.list.map(change) } : change(response),
    };
  };

const rewrite = (change: (record: Tree) => Tree): FaultKind => ({
  kind: 'rewrite',
  change: eachRecord(change),
});
const token = ({ accessToken }: Tree): string => (typeof accessToken === 'string' ? accessToken : 'none');

/** What the service may do wrong: every kind of fault, and records that carry their secrets in unheard-of places. */
const FAULTS: readonly (readonly [name: string, fault: FaultKind])[] = [
  ['400 in words', { kind: 'status', status: 400, body: { message: 'no' } }],
  ['500 without words', { kind: 'status', status: 500 }],
  ['401', { kind: 'status', status: 401, body: '<html>no</html>' }],
  ['429', { kind: 'status', status: 429, headers: { 'retry-after': '1' } }],
  ['a reset before the answer', { kind: 'reset-before-headers' }],
  ['a reset in the body', { kind: 'reset-in-body' }],
  ['a short body', { kind: 'cut-body', framing: 'content-length' }],
  ['a cut chunk', { kind: 'cut-body', framing: 'chunked' }],
  ['a body cut at its end', { kind: 'cut-body', framing: 'close' }],
  ['half a record', { kind: 'malformed-json' }],
  ['an empty body', { kind: 'empty-body' }],
  ['compression', { kind: 'gzip' }],
  ['another content type', { kind: 'content-type', contentType: 'text/html' }],
  ['too large a body', { kind: 'huge-body', bytes: 9_000_000 }],
  ['a redirect', { kind: 'redirect', location: 'http://127.0.0.1:9/x?access_token=planted' }],
  ['a delay', { kind: 'delay', ms: 5 }],
  [
    'damaged types',
    rewrite((record) => Object.fromEntries(Object.keys(record).map((name) => [name, { x: token(record) }]))),
  ],
  [
    'tokens within texts',
    rewrite((record) => ({
      ...record,
      accountUsername: `by ${token(record)}`,
      color: token(record),
      nickname: token(record),
    })),
  ],
  [
    'tokens within addresses',
    rewrite((record) => ({ ...record, profilePicture: `https://p.example/x?token=${token(record)}` })),
  ],
  [
    'tokens as keys',
    rewrite((record) => ({ ...record, extraData: { [token(record)]: { [`id-${token(record)}`]: 1 } } })),
  ],
  [
    'tokens in lists of lists',
    rewrite((record) => ({ ...record, userAccess: [[[{ note: [token(record)] }]]], groups: [] })),
  ],
  [
    'tokens under other names',
    rewrite((record) => ({
      ...record,
      extraParam: {
        'X-Api-Key': 'planted-1',
        cookie: token(record),
        Authorization: 'x',
        __proto__: { a: 1 },
      },
    })),
  ],
  [
    'fields that nobody knows',
    rewrite((record) => ({ ...record, refreshToken: token(record), meta: { client_secret: token(record) } })),
  ],
];

test.each(FAULTS)('no secret leaves when the service answers with %s', async (_name, fault) => {
  // A pause that the service asks for would keep the next test from calling it.
  const own = fault.kind === 'status' && fault.status === 429 ? await startGraph() : graph;
  own.sandbox.faults.add({ ...fault, endpoint: '*', times: Number.POSITIVE_INFINITY });
  const shorter = OPERATIONS.map(({ query }) => ({ query: query.replaceAll('first: 100', 'first: 3') }));
  const answered = await everythingAnswered(own, shorter);
  expect(
    leaksIn([...answered, ...own.log], [...secretsOf(own), 'planted-1', 'access_token=planted']),
  ).toEqual([]);
});

test('no secret leaves when a failed answer is a record, whole or cut short', async () => {
  const { response } = JSON.parse((await rawAnswers(graph))[1] ?? '') as { readonly response: Tree };
  const bodies = Object.keys(response).flatMap((first) => {
    const text = JSON.stringify({ [first]: response[first], ...response });
    return first === 'loginId' ? [text, text.slice(0, 290)] : [text.slice(0, 290)];
  });
  const leaking: string[] = [];
  for (const body of bodies) {
    graph.sandbox.faults.add({ kind: 'status', status: 500, body, endpoint: 'GET /accounts/list' });
    const answered = await everythingAnswered(graph, [
      { query: '{ accounts(surface: CURRENT) { totalCount } }' },
    ]);
    if (leaksIn([...answered, ...graph.log], secretsOf(graph)).length > 0) leaking.push(body.slice(0, 20));
  }
  expect(leaking).toEqual([]);
});

test('a record’s secret is blanked in its own texts, and the rest of the text stands', async () => {
  const { data } = await graph.query(
    '{ accounts(first: 1) { nodes { extraData extraParameters userAccess adminData } } }',
  );
  expect(data.accounts.nodes[0]).toMatchObject({
    extraData: {
      attempts: [{ at: 'feed', outcome: 'answered 401 to [redacted]' }],
      network: { session: {} },
    },
    extraParameters: { locale: 'en', oauth: { client: {} }, lastPath: '/me/feed?fields=id&t=[redacted]' },
    userAccess: [{ role: 'editor', session: {} }],
    adminData: [{ name: 'Page admin', page: {} }],
  });
});
