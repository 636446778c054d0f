import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  Source,
  type GraphQLInputType,
} from 'graphql';
import { expect, test } from 'vitest';
import { parseWithin } from '../../src/engine/prepared.ts';
import { schema } from '../../src/schema/index.ts';
import { isDeep } from '../support/depth.ts';
import { startGraph, shareGraph } from '../support/graph.ts';
import { send } from '../support/http.ts';
import { refusalsIn, openTransport, TRANSPORTS, type Operation } from '../support/transports.ts';
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
  'a document within the limit of %s is executed, and one beyond it is refused on every transport',
  async (_name, { setting, others, allowed, what, make, beyond = allowed + 1 }) => {
    const strict = others ? await startGraph({ environment: others }) : graph;
    for (const transport of TRANSPORTS) {
      const run = openTransport(transport, strict.url, strict.caller.both);
      expect((await run({ query: make(allowed) })).errors, transport).toEqual([]);
      strict.sandbox.requests.clear();
      const refused = await run({ query: make(beyond) });
      expect(refusalsIn(refused)).toBe(`${what}: ${beyond} of ${allowed}`);
      if (transport === 'HTTP') expect(refused.status).toBe(400);
      expect(strict.sandbox.requests.all).toEqual([]);
    }
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

test('a mutation with too many fields is not executed at all, nor one that hides them in fragments', async () => {
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

test('a body with a variable of 10 MB is refused, and one of 400 KB is read', async () => {
  const headers = { 'content-type': 'application/json', ...graph.caller.both };
  const sendText = (length: number) =>
    send(`${graph.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: QUERY, variables: { f: { name: 'x'.repeat(length) } } }),
    });
  expect((await sendText(10_000_000)).status).toBe(413);
  expect([200, 400]).toContain((await sendText(400_000)).status);
});

/** Values that are wrong for most inputs. */
const WRONG: readonly unknown[] = [
  0,
  -1,
  1.5,
  '',
  'x',
  true,
  [],
  [[]],
  {},
  { a: 1 },
  null,
  1e308,
  '2026-13-45',
];

test('a value of the wrong type for any field of any input is refused with BAD_USER_INPUT, and nothing is sent', async () => {
  const run = openTransport('HTTP', graph.url, graph.caller.both);
  const attempts = wrongInputs();
  expect(attempts.length).toBeGreaterThan(30);
  for (const [index, { name, type, field, values }] of attempts.entries()) {
    const chosen = isDeep ? values : [0, 5].map((step) => values[(index + step) % values.length]);
    for (const value of chosen) {
      const query = `mutation ($input: ${type}!) { ${name}(input: $input) { outcome } }`;
      const { status, errors, data } = await run({ query, variables: { input: { [field]: value } } });
      expect([status, data], `${name} ${field} ${JSON.stringify(value)}`).toEqual([400, undefined]);
      for (const { extensions } of errors) expect(extensions['code']).toBe('BAD_USER_INPUT');
    }
  }
  expect(graph.sandbox.requests.all).toEqual([]);
});

// The fields of every mutation's input, each with all values that are wrong for it.
function wrongInputs() {
  return Object.values(schema.getMutationType()?.getFields() ?? {}).flatMap(({ name, args: [input] }) => {
    const type = input && getNamedType(input.type);
    if (!isInputObjectType(type)) return [];
    return Object.values(type.getFields()).flatMap((field) => {
      const values = WRONG.filter((value) => !fits(field.type, value));
      return values.length > 0 ? [{ name, type: type.name, field: field.name, values }] : [];
    });
  });
}

// Whether the value may be right by itself; other fields of the input decide then.
function fits(type: GraphQLInputType, value: unknown): boolean {
  if (isNonNullType(type)) return value !== null && fits(type.ofType, value);
  if (value === null) return true;
  if (isListType(type))
    return Array.isArray(value) ? value.every((one) => fits(type.ofType, one)) : fits(type.ofType, value);
  if (isEnumType(type)) return typeof value === 'string' && type.getValue(value) !== undefined;
  if (isInputObjectType(type))
    return typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0;
  return isLeafType(type) && (type.name === 'JSON' || parses(type, value));
}

function parses(type: { parseValue(value: unknown): unknown }, value: unknown): boolean {
  try {
    return type.parseValue(value) !== undefined;
  } catch {
    return false;
  }
}
