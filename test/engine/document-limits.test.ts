import { parse, validate, type DocumentNode } from 'graphql';
import { expect, test } from 'vitest';
import { readConfig, type DocumentLimits } from '../../src/config.ts';
import { shapeErrors } from '../../src/engine/limits/shape.ts';
import { parseWithin } from '../../src/engine/prepared.ts';
import { schema } from '../../src/schema/index.ts';
import { startGraph, shareGraph } from '../support/graph.ts';
import { jsonOf, postJson, send } from '../support/http.ts';
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
const spread = (count: number): string =>
  `{ surfaces { ${'...F '.repeat((count - 1) / 6)} ${'surface '.repeat((count - 1) % 6)} } }
    fragment F on SurfaceStatus { ${'... { surface } '.repeat(2)} surface }`;
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
  ['selections', 'MAX_SELECTIONS', 600, 'selections, with fragments expanded', spread],
];

const weak = shareGraph({
  environment: {
    MAX_COST: '1000000',
    ...Object.fromEntries(LIMITS.map(([, setting, allowed]) => [setting, String(allowed + 1)])),
  },
});

test.each(LIMITS)(
  'a document within the limit of %s (%s=%i) is executed, and one beyond it is refused',
  async (_name, _setting, allowed, what, make) => {
    const run = openTransport('HTTP', graph.url, graph.caller.both);
    expect((await run({ query: make(allowed) })).errors).toEqual([]);
    graph.sandbox.requests.clear();
    const refused = await run({ query: make(allowed + 1) });
    expect([refusalsIn(refused), refused.status]).toEqual([`${what}: ${allowed + 1} of ${allowed}`, 400]);
    expect(graph.sandbox.requests.count()).toBe(0);
    // With a higher limit it is answered.
    const beyond = await openTransport('HTTP', weak.url, weak.caller.both)({ query: make(allowed + 1) });
    expect(beyond.errors).toEqual([]);
  },
);

test('at most 20 directives are allowed in a document, wherever they are', async () => {
  const run = openTransport('HTTP', graph.url);
  const wide = times(20, () => '__typename @skip(if: false)');
  expect((await run({ query: `{ ${wide} }` })).errors).toEqual([]);
  const cases = [
    `{ __typename ${'@include(if: true) '.repeat(51)} }`,
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
  const higher = await startGraph({
    environment: { MAX_VARIABLE_DEPTH: '1000', MAX_VARIABLE_VALUES: '100000' },
  });
  const deep = JSON.parse(nestedIn(25, ['[', ']'])) as unknown;
  const wide = Array.from({ length: 10_001 }, () => 1);
  for (const transport of TRANSPORTS)
    for (const [f, refusal] of [
      [deep, 'depth of the variables: 21 of 20'],
      [wide, 'values in the variables: 10002 of 10000'],
    ] as const) {
      const [refused, executed] = await Promise.all(
        [graph, higher].map(({ url }) => openTransport(transport, url)({ query: QUERY, variables: { f } })),
      );
      expect(refused && refusalsIn(refused)).toBe(refusal);
      expect(executed?.errors[0]?.extensions['code']).toBe('BAD_USER_INPUT');
    }
});

// What validation costs, and how much it reports.

/** Levels of fragments that each spread the next one twice: 2 to the power of the levels fields. */
const fanOut = (levels: number): string =>
  `{ ...F0 } ${times(levels, (level) => `fragment F${level} on Query { ...F${level + 1} ...F${level + 1} }`)}
  fragment F${levels} on Query { __typename }`;

/** Documents whose validation takes time that grows with the square of their size, or faster. */
const EXPENSIVE: Readonly<Record<string, string>> = {
  'the same field 300 times': `{ accounts { ${'totalCount '.repeat(299)} } }`,
  'the same field 2,000 times': `{ ${'__typename '.repeat(2_000)} }`,
  'the same name with 3,000 arguments': `{ ${times(3_000, (index) => `a: accounts(first: ${index}) { totalCount }`)} }`,
  'a fan-out of fragments': fanOut(18),
  '250 fragments that overlap': `{ ${times(250, (index) => `...F${index}`)} } ${times(
    250,
    (index) => `fragment F${index} on Query { surfaces { surface } }`,
  )}`,
  'fragments that hold each other': `{ ...A } fragment A on Query { ...B ...B } fragment B on Query { ...A ...A }`,
  'a fragment that holds itself': '{ ...A } fragment A on Query { a: surfaces { ...A } ...A }',
  '20,000 nested lists': `{ accounts(filter: ${'['.repeat(20_000)}${']'.repeat(20_000)}) { totalCount } }`,
  'nested conflicts': `{ ${times(9, () => `a: accounts { nodes { b: groups { accounts { nodes { c: id c: surface } } } } }`)} }`,
};

/** How many nodes the rules of validation enter in a document; 0 for one that is refused before they see it. */
function stepsOf(query: string, limits: DocumentLimits): number {
  let document: DocumentNode;
  try {
    document = parseWithin(query, limits);
  } catch (error) {
    expect(error).toMatchObject({ extensions: { code: 'LIMIT_EXCEEDED' } });
    return 0;
  }
  if (shapeErrors(document, limits).length > 0) return 0;
  let steps = 0;
  validate(schema, document, [() => ({ enter: () => void (steps += 1) })]);
  return steps;
}

test('a document whose validation takes quadratic time is refused before the rules see it, or is small', async () => {
  const { limits } = readConfig({});
  for (const [name, query] of Object.entries(EXPENSIVE)) {
    // 1,000 tokens make fewer nodes than that.
    expect(stepsOf(query, limits), name).toBeLessThan(1_000);
    const { status, text } = await postJson(`${graph.url}/graphql`, { query });
    expect([200, 400], name).toContain(status);
    expect(text.length, name).toBeLessThan(8_192);
  }
  // All others are refused for their size alone.
  const small = Object.keys(EXPENSIVE).filter((name) => stepsOf(EXPENSIVE[name] ?? '', limits) > 0);
  expect(small).toEqual([
    'the same field 300 times',
    'fragments that hold each other',
    'a fragment that holds itself',
    'nested conflicts',
  ]);
});

const refusalsOf = (query: string, changed: Partial<DocumentLimits> = {}): string[] =>
  shapeErrors(parse(query), { ...readConfig({}).limits, ...changed }).map(({ message }) => message);

test('counting a fan-out of fragments stops at twice the allowed selections', () => {
  const [refusal] = refusalsOf(fanOut(18));
  expect(refusal).toMatch(/selections, with fragments expanded: 1201 \(maximum 600\)/);
  const circular = fanOut(18).replace('F18 on Query { __typename }', 'F18 on Query { ...F0 ...F0 }');
  expect(refusalsOf(circular)).not.toEqual([]);
});

test('a fragment that no operation spreads is measured too', () => {
  const document = '{ __typename } fragment F on Query { a: surfaces { b: surface } }';
  expect(refusalsOf(document, { depth: 2, selections: 3 })).toEqual([]);
  expect(refusalsOf(document, { depth: 1, selections: 2 })).toEqual([
    'The operation exceeds the limit for depth of fields: 2 (maximum 1).',
    'The operation exceeds the limit for selections, with fragments expanded: 3 (maximum 2).',
  ]);
});

test('introspection within introspection counts in full', () => {
  const document = '{ __schema { __schema { __type { a { b } } } } }';
  expect(refusalsOf(document, { depth: 1, introspectionDepth: 4, selections: 4 })).toEqual([]);
  expect(refusalsOf(document, { introspectionDepth: 3, selections: 3 })).toEqual([
    'The operation exceeds the limit for depth of introspection: 4 (maximum 3).',
    'The operation exceeds the limit for selections of introspection, with fragments expanded: 4 (maximum 3).',
  ]);
});

test('of many errors ten are told, cut at 300 characters, in 8 KB', async () => {
  const { endpoint, url } = await startServer({ MAX_ALIASES: '300', MAX_ROOT_FIELDS: '300' });
  const long = 'n'.repeat(60);
  const queries = [
    `{ ${times(150, (index) => `${long}${index}`)} }`,
    `{ accounts(filter: ${'['.repeat(450)}${']'.repeat(450)}) { totalCount } }`,
    `{ ${times(60, (index) => `a: accounts(first: ${index}) { totalCount }`)} }`,
    `query (${times(60, (index) => `$v${index}: Nothing${index}`)}) { __typename }`,
    `{ node(id: { a: "${'\\u0001'.repeat(1_500)}" }) { id } }`,
    `{ ${times(15, (index) => `a${index}: node(id: { a: "${'\\u0001'.repeat(150)}" }) { id }`)} }`,
    `{ ${times(15, (index) => `a${index}: node(id: { a: "${'\u{1f600}'.repeat(100)}" }) { id }`)} }`,
  ];
  for (const query of queries) {
    const reply = await postJson(endpoint, { query });
    const { errors } = jsonOf(reply);
    expect(reply.body.length).toBeLessThanOrEqual(8_192);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.length).toBeLessThanOrEqual(10);
    for (const { message, locations = [], extensions } of errors) {
      expect(message.length).toBeLessThanOrEqual(300);
      expect(locations.length).toBeLessThanOrEqual(4);
      expect(extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    }
    const overSocket = await openTransport('WebSocket', url)({ query });
    expect(overSocket.errors.map(({ message }) => message)).toEqual(
      errors.map(({ message }: Error) => message),
    );
  }
  const patient = await startServer({ MAX_DOCUMENT_ERRORS: '1000' });
  const { errors } = jsonOf(
    await postJson(patient.endpoint, { query: `{ ${times(15, (index) => `n${index}`)} }` }),
  );
  expect(errors).toHaveLength(15);
});
