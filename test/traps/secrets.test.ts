import { expect, test } from 'vitest';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import type { CallerHeaders } from '../support/graph.ts';
import { leaksIn, secretsOf } from '../support/leaks.ts';
import { postJson } from '../support/raw-http.ts';
import { wholeSelection } from '../support/selection.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changing, changingRecord } from '../support/wire-changes.ts';

// Everything at once is more than an operation may ask for.
const graph = shareGraph({
  environment: {
    MAX_COST: '10000',
    MAX_ALIASES: '1000',
    MAX_SELECTIONS: '1000',
  },
});

const LISTS: Readonly<Record<string, string>> = {
  accounts: 'Account',
  accountGroups: 'AccountGroup',
  queuedPosts: 'QueuedPost',
  libraryItems: 'LibraryItem',
  aiGenerations: 'AiGeneration',
};
const SURFACES = ['CURRENT', 'LEGACY'];

/** Every list as a whole with every field of its records, and the plan. */
const EVERYTHING = [
  ...Object.entries(LISTS).flatMap(([field, type]) =>
    (field.startsWith('account') ? SURFACES : ['']).map((surface) => {
      const args = surface === '' ? 'first: 100' : `first: 100, surface: ${surface}`;
      return `{ ${field}(${args}) { totalCount edges { cursor } pageInfo { endCursor } nodes { ${wholeSelection(type)} } } }`;
    }),
  ),
  `{ membership { ${wholeSelection('Membership')} } surfaces { ${wholeSelection('SurfaceStatus')} } }`,
];

/** Every record of every list again by its id, with every field. */
const BY_ID = `query ($ids: [ID!]!) { nodes(ids: $ids) { ${Object.values(LISTS)
  .map((type, index) => `... on ${type} { n${index}: id ${renamed(wholeSelection(type), index)} }`)
  .join(' ')} } }`;

// The same name may be of another type in another kind of record.
function renamed(selection: string, index: number): string {
  let depth = 0;
  const words = selection.split(' ').map((word) => {
    if (word === '{') depth += 1;
    if (word === '}') depth -= 1;
    const [name] = /^\w+/.exec(word) ?? [];
    return depth === 0 && name !== undefined ? `f${index}${name}: ${word}` : word;
  });
  return words.join(' ');
}

function headersOf(sandbox: Sandbox, owner: 0 | 1): CallerHeaders {
  const { apiKey, accessToken } = sandbox.owners[owner];
  return { 'x-api-key': apiKey, authorization: `Bearer ${accessToken}` };
}

/** Everything that an owner can read through the graph, as it came: bodies and headers. */
async function everythingOf(owner: 0 | 1): Promise<string[]> {
  const headers = headersOf(graph.sandbox, owner);
  const texts: string[] = [];
  const ask = async (query: string, variables: object = {}) => {
    const reply = await postJson(`${graph.url}/graphql`, { query, variables }, headers);
    texts.push(reply.text, JSON.stringify(reply.headers));
    expect(JSON.parse(reply.text)).not.toHaveProperty('errors');
    return reply.text;
  };
  const lists = [];
  for (const query of EVERYTHING) lists.push(await ask(query));
  const ids = [
    ...new Set(lists.flatMap((text) => [...text.matchAll(/"id":"([\w-]{6,})"/g)].map(([, id]) => id))),
  ];
  const nodes = ids.filter((id) => /^1[agqit][cl]:/.test(Buffer.from(id ?? '', 'base64url').toString()));
  expect(nodes.length).toBeGreaterThan(60);
  await ask(BY_ID, { ids: nodes });
  return texts;
}

const raw = new Map<number, Promise<string[]>>();

/** The service's own answers to all reads of an owner. */
function rawAnswersOf(owner: 0 | 1): Promise<string[]> {
  const answers = raw.get(owner) ?? readRawAnswers(owner);
  raw.set(owner, answers);
  return answers;
}

async function readRawAnswers(owner: 0 | 1): Promise<string[]> {
  const { sandbox } = graph;
  const [name, headers] = [sandbox.owners[owner].name, headersOf(sandbox, owner)];
  const accounts = sandbox.state.owner(name).accounts.filter(({ surfaces }) => surfaces.current);
  const paths = [
    '/accounts/list?limit=100',
    ...accounts.map(({ loginId }) => `/accounts/view/${loginId}`),
    '/group/list?limit=100',
    '/posts/queued?limit=100',
    '/library/list',
    '/openai/historyList?limit=100',
    '/membership/plan/list',
    '/oauth/accounts',
    '/oauth/groups',
  ];
  return await Promise.all(
    paths.map(async (path) => await (await fetch(sandbox.url + path, { headers })).text()),
  );
}

test.each([0, 1] as const)(
  'the service’s own answers to owner %d hold its planted secrets, so that the scan can find them',
  async (owner) => {
    const { secrets, owners } = graph.sandbox;
    const planted = secrets.planted.filter((secret) => secret.includes(`-${owners[owner].name}-`));
    const found = leaksIn(await rawAnswersOf(owner), planted);
    expect(found.length).toBeGreaterThan(80);
    expect(leaksIn(found, secrets.nested).length).toBeGreaterThan(40);
    expect(leaksIn(found, secrets.accountTokens).length).toBeGreaterThan(20);
  },
);

test.each([
  [0, /fernlight/i],
  [1, /harbour|kelpgate/i],
] as const)(
  'owner %d can read no secret in any field, header or error, nor anything of the other owner; the log has none either',
  async (owner, other) => {
    const texts = await everythingOf(owner);
    const all = texts.join('\n');
    expect(all.length).toBeGreaterThan(100_000);
    expect(leaksIn([all, ...graph.log], secretsOf(graph))).toEqual([]);
    expect(all).not.toMatch(other);
  },
);

test('two owners who ask at the same time for the same ids get each their own', async () => {
  const ids = graph.sandbox.state
    .owner('harbour')
    .queue.slice(0, 3)
    .map(({ postId }) => Buffer.from(`1qc:${postId}`).toString('base64url'));
  const query =
    'query ($ids: [ID!]!) { nodes(ids: $ids) { id } queuedPosts(first: 1) { nodes { companyName } } }';
  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const owner = index % 2 === 0 ? 0 : 1;
      const { data, errors } = await graph.query(query, {
        variables: { ids },
        headers: headersOf(graph.sandbox, owner),
      });
      expect(errors).toEqual([]);
      expect(data.nodes).toEqual(owner === 0 ? ids.map((id) => ({ id })) : [null, null, null]);
      const { companyName } = graph.sandbox.state.owner(graph.sandbox.owners[owner].name);
      expect(data.queuedPosts.nodes).toEqual([{ companyName }]);
    }),
  );
});

const ERRORS = [
  'GET /posts/queued',
  'GET /library/list',
  'GET /openai/historyList',
  'GET /membership/plan/list',
] as const;

test.each(ERRORS)(
  'no secret is in an error when a record of %s comes as the body of a failure',
  async (endpoint) => {
    const body = (await rawAnswersOf(0)).find((text) => text.includes('planted-')) ?? '';
    for (const status of [200, 400, 401, 500]) {
      for (const text of [body, body.slice(0, 900), { message: body.slice(0, 900) }]) {
        graph.sandbox.faults.clear();
        graph.sandbox.faults.add({ kind: 'status', status, body: text, endpoint });
        const answer = await graph.query(
          '{ queuedPosts { totalCount } libraryItems { totalCount } aiGenerations { totalCount } membership { isBiannual } }',
        );
        expect(answer.errors.length).toBeLessThanOrEqual(1);
        expect(leaksIn([JSON.stringify(answer.errors), ...graph.log], secretsOf(graph))).toEqual([]);
      }
    }
  },
);

test('undocumented data keeps what is harmless, and what was a secret is gone or blanked', async () => {
  const { data } = await graph.query(
    '{ queuedPosts(first: 3) { nodes { accountExtraParameters spamData } } }',
  );
  expect(data.queuedPosts.nodes[0].accountExtraParameters).toEqual({
    device: { keys: [{}] },
    remark: 'refreshed, now [redacted]',
  });
  expect(data.queuedPosts.nodes[2].spamData).toEqual({
    score: expect.any(Number) as number,
    checks: [{ name: 'links', remark: 'checked with [redacted]' }],
  });
});

const HARMLESS = {
  score: 0.25,
  tokenCount: 7,
  words: ['tokens of love', 'a secret garden', 'the key to it'],
  nested: {
    monkey: 'x',
    keyboard: 'y',
    authors: ['z'],
    passage: 'through',
    sessions: 3,
    list: [[1], [2, null]],
  },
  'https://kelpgate.example/a': true,
};

test('words that only resemble the names of secrets are kept', async () => {
  graph.sandbox.faults.add(changingRecord('GET /posts/queued', 'spamData', HARMLESS));
  graph.sandbox.faults.add(changingRecord('GET /library/list', 'content.boostExtraParams', HARMLESS));
  graph.sandbox.faults.add(changing('GET /membership/plan/list', 'response.list', [HARMLESS]));
  const { data } = await graph.query(
    '{ queuedPosts(first: 1) { nodes { spamData } } libraryItems(first: 1) { nodes { content { boostParameters } } } membership { plans } }',
  );
  expect(data.queuedPosts.nodes[0].spamData).toMatchObject(HARMLESS);
  expect(data.libraryItems.nodes[0].content.boostParameters).toMatchObject(HARMLESS);
  expect(data.membership.plans[0]).toMatchObject(HARMLESS);
});

test.each([
  ['GET /posts/queued', 'spamData', '{ queuedPosts(first: 1) { nodes { spamData } } }'],
  [
    'GET /posts/queued',
    'extraData.fbAudianceTargeting.limitAudiance',
    '{ queuedPosts(first: 1) { nodes { facebookAudience { limitAudience } } } }',
  ],
  [
    'GET /library/list',
    'content.utmParameters',
    '{ libraryItems(first: 1) { nodes { content { utmParameters } } } }',
  ],
  [
    'GET /library/list',
    'content.boostExtraParams',
    '{ libraryItems(first: 1) { nodes { content { boostParameters } } } }',
  ],
  [
    'GET /library/list',
    'content.extraData.altTexts',
    '{ libraryItems(first: 1) { nodes { content { altTexts } } } }',
  ],
] as const)('%s: no spelling of a secret’s name lets it through %s', async (endpoint, wire, query) => {
  const names = [
    'accessToken',
    'ACCESS_TOKEN',
    'x-api-key',
    'client_secret',
    'Set-Cookie',
    'password',
    'privateKey',
    'Authorization',
  ];
  const secrets = names.map((name, index) => [name, `hush-hush-${index}-0123456789abcdef`] as const);
  const wrapped = {
    note: 'fine',
    deep: [[{ list: [Object.fromEntries(secrets)] }]],
    said: secrets.map(([, secret]) => `it was ${secret}`),
  };
  graph.sandbox.faults.add(changingRecord(endpoint, wire, wire.endsWith('altTexts') ? [wrapped] : wrapped));
  const answer = await graph.query(query);
  expect(answer.errors).toEqual([]);
  expect(JSON.stringify(answer.data)).toContain('"fine"');
  expect(JSON.stringify(answer.data)).not.toContain('hush-hush');
});
