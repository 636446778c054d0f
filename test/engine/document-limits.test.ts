import { Source } from 'graphql';
import { expect, test } from 'vitest';
import { parseWithin } from '../../src/engine/prepared.ts';
import { startGraph } from '../support/graph.ts';
import { refusalsIn } from '../support/refusals.ts';
import { startServer } from '../support/server.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { openTransport, TRANSPORTS, type Operation } from '../support/transports.ts';

const graph = shareGraph();

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
  `mutation { ${times(count, (index) => `a${index}: createBillingPortalSession { outcome }`)} }`;
const roots = (count: number): string => `{ ${'surfaces { surface } '.repeat(count)} }`;
const padded = (bytes: number): string => `{ __typename } #${'x'.repeat(bytes - 16)}`;
const tokens = (count: number): string =>
  `{ accounts(filter: { platformIds: [${'1 '.repeat(count - 16)}] }) { totalCount } }`;

interface Limit {
  /** The setting that raises it. */
  readonly setting: string;
  /** Further settings, where another limit would be met first. */
  readonly others?: Readonly<Record<string, string>>;
  readonly allowed: number;
  readonly what: string;
  /** An operation that is as large as told. */
  readonly make: (size: number) => string;
  /** The next size that is too much. */
  readonly beyond?: number;
}

const LIMITS: Readonly<Record<string, Limit>> = {
  'bytes of text': {
    setting: 'MAX_DOCUMENT_BYTES',
    allowed: 16_384,
    what: 'bytes of the document',
    make: padded,
  },
  tokens: {
    setting: 'MAX_TOKENS',
    allowed: 1_000,
    what: 'tokens of the document',
    make: tokens,
  },
  depth: { setting: 'MAX_DEPTH', allowed: 10, what: 'depth of fields', make: nested },
  'depth through fragments': {
    setting: 'MAX_DEPTH',
    allowed: 10,
    what: 'depth of fields',
    make: fragmentChain,
  },
  'depth through inline fragments': {
    setting: 'MAX_DEPTH',
    allowed: 10,
    what: 'depth of fields',
    make: inlineChain,
  },
  'depth of introspection': {
    setting: 'MAX_INTROSPECTION_DEPTH',
    allowed: 30,
    what: 'depth of introspection',
    make: introspection,
  },
  aliases: {
    setting: 'MAX_ALIASES',
    allowed: 30,
    what: 'aliases of one field of one parent',
    make: renamed,
  },
  'aliases that are written in several places': {
    setting: 'MAX_ALIASES',
    allowed: 30,
    what: 'aliases of one field of one parent',
    make: renamedInPlaces,
  },
  'fields at the root': {
    setting: 'MAX_ROOT_FIELDS',
    allowed: 50,
    what: 'fields at the root of a query',
    make: roots,
  },
  mutations: {
    setting: 'MAX_MUTATION_FIELDS',
    allowed: 5,
    what: 'fields at the root of a mutation',
    make: mutations,
  },
  selections: {
    setting: 'MAX_SELECTIONS',
    others: { MAX_ROOT_FIELDS: '2000' },
    allowed: 600,
    what: 'selections, with fragments expanded',
    make: spread,
    beyond: 606,
  },
};

test.each(Object.entries(LIMITS))(
  'a document within the limit of %s is answered, and one beyond it is refused alike on every transport',
  async (_name, { setting, others, allowed, what, make, beyond = allowed + 1 }) => {
    const strict = others ? await startGraph({ environment: others }) : graph;
    for (const transport of TRANSPORTS) {
      const run = openTransport(transport, strict.url, strict.caller.both);
      expect((await run({ query: make(allowed) })).errors, transport).toEqual([]);
      strict.sandbox.requests.clear();
      expect(refusalsIn(await run({ query: make(beyond) }))).toBe(`${what}: ${beyond} of ${allowed}`);
      expect(strict.sandbox.requests.all).toEqual([]);
    }
    // With a higher limit the same document is answered, so it was this limit that refused it.
    const weak = await startGraph({ environment: { ...others, [setting]: String(beyond) } });
    const run = openTransport('HTTP', weak.url, weak.caller.both);
    expect((await run({ query: make(beyond) })).errors).toEqual([]);
  },
);

test('a document beyond a limit is answered with HTTP 400', async () => {
  const run = openTransport('HTTP', graph.url);
  for (const query of [padded(20_000), tokens(1_001), renamed(31)]) {
    const { status, errors } = await run({ query });
    expect([status, errors[0]?.extensions['code']]).toEqual([400, 'LIMIT_EXCEEDED']);
  }
});

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
  const weak = openTransport('HTTP', (await startServer({ MAX_DIRECTIVES: '100' })).url);
  for (const query of cases) {
    const { errors } = await weak({ query });
    for (const { extensions } of errors) expect(extensions['code']).not.toBe('LIMIT_EXCEEDED');
  }
});

/** Documents that are far too large; which limit refuses them first does not matter. */
const ATTACKS: Readonly<Record<string, string>> = {
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

test('a document that is too long is refused by its size, before any of its text is read', () => {
  const body = `{ a(b: "${'x'.repeat(16_384)}") }`;
  let reads = 0;
  const source = new Source(body);
  const counted = Object.create(source, {
    body: { get: () => ((reads += 1), body) },
  }) as Source;
  expect(() => parseWithin(counted, { documentBytes: 16_384, tokens: 1_000 })).toThrow(
    /bytes of the document/,
  );
  expect(reads).toBe(1);
  // Parsing reads it again and again.
  parseWithin(counted, { documentBytes: 20_000, tokens: 1_000 });
  expect(reads).toBeGreaterThan(10);
});

test('a mutation that is selected too often under other names is not executed at all', async () => {
  const run = openTransport('HTTP', graph.url, graph.caller.both);
  const operation: Operation = { query: mutations(15) };
  expect(refusalsIn(await run(operation))).toBe('fields at the root of a mutation: 15 of 5');
  const hidden = `mutation { ...F ...F } fragment F on Mutation { ${times(
    3,
    (index) => `a${index}: createBillingPortalSession { outcome }`,
  )} }`;
  expect(refusalsIn(await run({ query: hidden }))).toBe('fields at the root of a mutation: 6 of 5');
  expect(graph.sandbox.requests.all).toEqual([]);
});
