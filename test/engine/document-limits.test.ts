import { expect, test } from 'vitest';
import { startGraph, shareGraph } from '../support/graph.ts';
import { send } from '../support/http.ts';
import { refusalsIn, openTransport, TRANSPORTS } from '../support/transports.ts';
import { startServer } from '../support/server.ts';

const graph = shareGraph({ environment: { MAX_COST: '1000000' } });

const times = (count: number, write: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => write(index)).join(' ');

/** A chain of `counterpart`s under an account: as many fields deep as told. */
const nested = (depth: number): string =>
  `{ accounts { nodes { ${'counterpart { '.repeat(depth - 3)} surface ${'} '.repeat(depth - 3)} } } }`;
const fragmentChain = (depth: number): string =>
  `{ accounts { nodes { ...F1 } } } ${times(
    depth - 3,
    (index) => `fragment F${index + 1} on Account { counterpart { ...F${index + 2} } }`,
  )} fragment F${depth - 2} on Account { surface }`;
const inlineChain = (depth: number): string =>
  `{ accounts { nodes { ${'... { ... on Account { counterpart { '.repeat(depth - 3)} surface ${'} } } '.repeat(depth - 3)} } } }`;
const introspection = (depth: number): string =>
  `{ __type(name: "Query") { ${'ofType { '.repeat(depth - 1)} name ${'} '.repeat(depth - 1)} } }`;
const renamed = (count: number): string => `{ ${times(count, (index) => `a${index}: __typename`)} }`;
const renamedInPlaces = (count: number): string => {
  const half = Math.floor(count / 2);
  const names = (from: number, to: number): string =>
    times(to - from, (index) => `a${from + index}: surface`);
  return `{ surfaces { ...F ...F } ... { surfaces { ... { ...F ${names(half, count)} } } } }
    fragment F on SurfaceStatus { ${names(0, half)} }`;
};
const directives = (count: number): string => `{ __typename ${'@include(if: true) '.repeat(count)} }`;
const spread = (count: number): string =>
  `{ ${'...F '.repeat(count / 6)} } fragment F on Query { ${'... { __typename } '.repeat(2)} __typename }`;
const mutations = (count: number): string =>
  `mutation { ...F } fragment F on Mutation { ${times(count, (index) => `a${index}: createBillingPortalSession { outcome }`)} }`;
const roots = (count: number): string => `{ ${'surfaces { surface } '.repeat(count)} }`;
const padded = (bytes: number): string => `{ __typename } #${'x'.repeat(bytes - 16)}`;
const tokens = (count: number): string =>
  `{ accounts(filter: { platformIds: [${'1 '.repeat(count - 16)}] }) { totalCount } }`;

type Limit = readonly [
  name: string,
  setting: string,
  allowed: number,
  what: string,
  /** Writes an operation that is as large as told. */
  make: (size: number) => string,
  /** The next size that is too much, and further settings where another limit would be met first. */
  beyond?: number,
  others?: Readonly<Record<string, string>>,
];

const LIMITS: readonly Limit[] = [
  ['bytes of text', 'MAX_DOCUMENT_BYTES', 16_384, 'bytes of the document', padded],
  ['tokens', 'MAX_TOKENS', 1_000, 'tokens of the document', tokens],
  ['depth', 'MAX_DEPTH', 10, 'depth of fields', nested],
  ['depth through fragments', 'MAX_DEPTH', 10, 'depth of fields', fragmentChain],
  ['depth through inline fragments', 'MAX_DEPTH', 10, 'depth of fields', inlineChain],
  ['depth of introspection', 'MAX_INTROSPECTION_DEPTH', 30, 'depth of introspection', introspection],
  ['aliases', 'MAX_ALIASES', 30, 'aliases of one field of one parent', renamed],
  ['aliases in several places', 'MAX_ALIASES', 30, 'aliases of one field of one parent', renamedInPlaces],
  ['fields at the root', 'MAX_ROOT_FIELDS', 50, 'fields at the root of a query', roots],
  ['mutations', 'MAX_MUTATION_FIELDS', 5, 'fields at the root of a mutation', mutations],
  [
    'selections',
    'MAX_SELECTIONS',
    600,
    'selections, with fragments expanded',
    spread,
    606,
    { MAX_ROOT_FIELDS: '2000' },
  ],
];

test.each(LIMITS.map((limit) => [limit[0], limit] as const))(
  'a document within the limit of %s is executed, and one beyond it is refused',
  async (_name, [, setting, allowed, what, make, beyond = allowed + 1, others]) => {
    const strict = others ? await startGraph({ environment: others }) : graph;
    const runStrict = openTransport('HTTP', strict.url, strict.caller.both);
    expect((await runStrict({ query: make(allowed) })).errors).toEqual([]);
    strict.sandbox.requests.clear();
    const refused = await runStrict({ query: make(beyond) });
    expect([refusalsIn(refused), refused.status]).toEqual([`${what}: ${beyond} of ${allowed}`, 400]);
    expect(strict.sandbox.requests.all).toEqual([]);
    // With a higher limit the same document is answered, so it was this limit that refused it.
    const weak = await startGraph({ environment: { ...others, [setting]: String(beyond) } });
    const run = openTransport('HTTP', weak.url, weak.caller.both);
    expect((await run({ query: make(beyond) })).errors).toEqual([]);
  },
);

test('at most 20 directives are allowed in a document, wherever they are', async () => {
  const run = openTransport('HTTP', graph.url);
  const wide = times(20, () => '__typename @skip(if: false)');
  expect((await run({ query: `{ ${wide} }` })).errors).toEqual([]);
  const cases = [
    directives(51),
    `query @a { ${wide} }`,
    `query ($yes: Boolean = true @a) { ${wide} }`,
    `{ ...F } fragment F on Query @a { ${wide} }`,
    `query A { ${wide} } query B { __typename @skip(if: false) }`,
  ];
  for (const query of cases) {
    const outcome = await run({ query, ...(query.includes('query B') ? { operationName: 'A' } : {}) });
    expect(refusalsIn(outcome), query).toMatch(/^directives: (?:21|51) of 20$/);
  }
});

/** Documents that are far too large; which limit refuses them first does not matter. */
const ATTACKS: Readonly<Record<string, string>> = {
  '15 mutations': mutations(15),
  '101 aliases': renamed(101),
  '1,000 aliases': renamed(1_000),
  'selections 5,000 deep': `${'{a'.repeat(5_000)}${'}'.repeat(5_000)}`,
  '20,000 nested lists': `{ accounts(filter: ${'['.repeat(20_000)}${']'.repeat(20_000)}) { totalCount } }`,
  '20,000 nested objects': `{ accounts(filter: ${'{a:'.repeat(20_000)}1${'}'.repeat(20_000)}) { totalCount } }`,
  '20,000 nested types': `query ($a: ${'['.repeat(20_000)}Int${']'.repeat(20_000)}) { __typename }`,
  'open brackets alone': '['.repeat(20_000),
  '400 KB in one string': `{ node(id: "${'x'.repeat(400_000)}") { id } }`,
  '400 KB in one block string': `{ node(id: """${'x\n'.repeat(150_000)}""") { id } }`,
  '400 KB of comments': `${'#\n'.repeat(150_000)}{ __typename }`,
};

test('an attack by size is refused on every transport, for its size alone', async () => {
  for (const transport of TRANSPORTS) {
    const run = openTransport(transport, graph.url, graph.caller.both);
    for (const [name, query] of Object.entries(ATTACKS)) {
      // A WebSocket message is limited to 128 KiB.
      const isTooLong = Buffer.byteLength(JSON.stringify({ query })) > 120_000;
      if (transport === 'WebSocket' && isTooLong) continue;
      expect(refusalsIn(await run({ query })), `${name} over ${transport}`).toMatch(/ of \d+$/);
    }
  }
  expect(graph.sandbox.requests.all).toEqual([]);
  expect(graph.log.some((line) => line.includes('an unexpected error'))).toBe(false);
});

test('without the limits on text and tokens, deep nesting breaks the parser', async () => {
  const { url, log } = await startServer({ MAX_DOCUMENT_BYTES: '1000000', MAX_TOKENS: '1000000' });
  const run = openTransport('HTTP', url);
  const { status, errors } = await run({ query: ATTACKS['20,000 nested lists'] ?? '' });
  expect([status, errors[0]?.extensions['code']]).toEqual([500, 'INTERNAL_SERVER_ERROR']);
  expect(log.join('\n')).toContain('Maximum call stack size exceeded');
});

test('nesting as deep as 1,000 tokens allow is answered or refused without an internal error', async () => {
  const { url, log } = await startServer({ MAX_DEPTH: '1000', MAX_SELECTIONS: '1000' });
  const run = openTransport('HTTP', url);
  const deep = [
    `${'{a'.repeat(333)}${'}'.repeat(333)}`,
    `{ accounts(filter: ${'['.repeat(490)}${']'.repeat(490)}) { totalCount } }`,
    `{ accounts(filter: ${'{a:'.repeat(240)}1${'}'.repeat(240)}) { totalCount } }`,
    `query ($a: ${'['.repeat(480)}Int${']'.repeat(480)}) { node(id: $a) { id } }`,
    `mutation { createDraft(input: { accountIds: [], variants: [{ variant: ORIGINAL, taggedPeople: [{ imageUrl: "https://a.example/", people: ${'['.repeat(460)}${']'.repeat(460)} }] }] }) { outcome } }`,
  ];
  for (const query of deep) {
    const { status, errors } = await run({ query });
    expect([200, 400]).toContain(status);
    for (const { extensions } of errors) expect(extensions['code']).not.toBe('INTERNAL_SERVER_ERROR');
  }
  expect(log.some((line) => line.includes('an unexpected error'))).toBe(false);
});

const QUERY = 'query ($f: AccountFilter) { accounts(filter: $f) { totalCount } }';
const nestedIn = (depth: number, [open, close]: readonly [string, string]): string =>
  `${open.repeat(depth)}1${close.repeat(depth)}`;

/** Variables that ask for too much, as the text of a body. */
const HOSTILE: Readonly<Record<string, string>> = {
  'lists 200,000 deep': nestedIn(200_000, ['[', ']']),
  'objects 80,000 deep': nestedIn(80_000, ['{"a":', '}']),
  'lists 21 deep': nestedIn(21, ['[', ']']),
  '10,001 elements': `[${'1,'.repeat(10_000)}1]`,
  '20,000 keys': `{${Array.from({ length: 20_000 }, (_, index) => `"k${index}":1`).join(',')}}`,
};

test('variables that are too deep or too many are refused', async () => {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/graphql-response+json',
    ...graph.caller.both,
  };
  for (const [name, value] of Object.entries(HOSTILE)) {
    const body = `{"query":${JSON.stringify(QUERY)},"variables":{"f":${value}}}`;
    const reply = await send(`${graph.url}/graphql`, { method: 'POST', headers, body });
    expect(reply.status, name).toBe(400);
    expect(reply.text, name).toMatch(/(?:values in|depth of) the variables: \d+ \(maximum \d+\)/);
  }
  expect(graph.sandbox.requests.all).toEqual([]);
});

test('the configured limits on variables hold on every transport', async () => {
  const weak = await startGraph({
    environment: { MAX_VARIABLE_DEPTH: '1000', MAX_VARIABLE_VALUES: '100000' },
  });
  const deep = JSON.parse(nestedIn(25, ['[', ']'])) as unknown;
  const wide = Array.from({ length: 10_001 }, () => 1);
  for (const transport of TRANSPORTS) {
    const run = openTransport(transport, graph.url, graph.caller.both);
    expect(refusalsIn(await run({ query: QUERY, variables: { f: deep } }))).toBe(
      'depth of the variables: 21 of 20',
    );
    expect(refusalsIn(await run({ query: QUERY, variables: { f: wide } }))).toBe(
      'values in the variables: 10002 of 10000',
    );
    const open = openTransport(transport, weak.url, weak.caller.both);
    for (const f of [deep, wide]) {
      const { errors } = await open({ query: QUERY, variables: { f } });
      expect(errors[0]?.extensions['code']).toBe('BAD_USER_INPUT');
    }
  }
});

/** Variables that are odd in what they hold, as the text of a body; `$f` is an AccountFilter. */
const ODD: readonly string[] = [
  '{"f":{"__proto__":{"displayName":"x"}}}',
  '{"__proto__":{"f":{"displayName":"x"}}}',
  '{"f":{"constructor":{"prototype":{"polluted":true}}}}',
  '{"constructor":1,"f":null}',
  '{"f":{"displayName":"\\ud800"}}',
  '{"f":{"platformIds":[1e400]}}',
  '{"f":{"platformIds":[9007199254740993,-0,1.5]}}',
  '{"f":{"displayName":"one","displayName":"two"}}',
  '{"f":{"displayName":null},"f":{"displayName":"again"}}',
  '{"f":{"toString":1}}',
  '[]',
  '"text"',
  '12',
  'true',
];

test('odd variables are answered or refused, and pollute no prototype', async () => {
  const before = Object.getOwnPropertyNames(Object.prototype).toSorted();
  for (const variables of ODD) {
    const body = `{"query":${JSON.stringify(QUERY)},"variables":${variables}}`;
    const headers = { 'content-type': 'application/json', ...graph.caller.both };
    const { status, text } = await send(`${graph.url}/graphql`, { method: 'POST', headers, body });
    expect([200, 400], variables).toContain(status);
    expect(text).not.toContain('INTERNAL_SERVER_ERROR');
  }
  expect(Object.getOwnPropertyNames(Object.prototype).toSorted()).toEqual(before);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});
